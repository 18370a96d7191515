// Short messages at the foot of the page.
import { signal } from "@preact/signals";

export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "good" | "bad";
  undo: boolean;
}

export const toasts = signal<Toast[]>([]);
let next = 1;

export function toast(text: string, tone: Toast["tone"] = "plain", undo = false): void {
  const entry = { id: next++, text, tone, undo };
  toasts.value = [...toasts.value.slice(-2), entry];
  setTimeout(() => dismiss(entry.id), tone === "bad" ? 8000 : 5000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}
