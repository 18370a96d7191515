// Short messages at the foot of the page.
import { signal } from "@preact/signals";

/** Takes back what the message tells of; gives its name, or null when that happened already. */
export type Undo = () => Promise<string | null>;

export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "good" | "bad" | "warn";
  undo: Undo | null;
}

export const toasts = signal<Toast[]>([]);
let next = 1;

export function toast(text: string, tone: Toast["tone"] = "plain", undo: Undo | null = null): void {
  const entry = { id: next++, text, tone, undo };
  toasts.value = [...toasts.value.slice(-2), entry];
  // A warning is about something that was saved and will be used: it stays until somebody has read
  // it.
  if (tone !== "warn") setTimeout(() => dismiss(entry.id), tone === "bad" ? 8000 : 5000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}
