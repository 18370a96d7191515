// What a person prefers. The theme is this browser's alone: another person at the same server has
// other eyes. The rest is kept by the server.
import { computed, effect, signal } from "@preact/signals";
import { get, post } from "../api/client";
import type { Settings } from "../api/types";
import type { Theme } from "../viz/palette";

export const settings = signal<Settings>({
  theme: (localStorage.getItem("taffrail.theme") as Settings["theme"]) ?? "system",
});

const media = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(media.matches);
media.addEventListener("change", (event) => (systemDark.value = event.matches));

export const theme = computed<Theme>(() => {
  const wish = settings.value.theme ?? "system";
  return wish === "system" ? (systemDark.value ? "dark" : "light") : wish;
});

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  document.documentElement.dataset.density = settings.value.density ?? "normal";
});

/** How this browser shows the frame of the page: kept here, never in an address. */
export interface Frame {
  railPinned: boolean;
  listWidth: number; // of the run list, pixels
  listFolded: boolean;
}
export const listWidths = { least: 200, usual: 272, most: 640 };
const wide = matchMedia("(min-width: 1800px)").matches;
const frameOf = (text: string | null): Frame => {
  const usual = { railPinned: wide, listWidth: listWidths.usual, listFolded: false };
  try {
    return { ...usual, ...(JSON.parse(text ?? "{}") as Partial<Frame>) };
  } catch {
    return usual;
  }
};
export const frame = signal<Frame>(frameOf(localStorage.getItem("taffrail.frame")));
export function changeFrame(patch: Partial<Frame>): void {
  frame.value = { ...frame.value, ...patch };
  localStorage.setItem("taffrail.frame", JSON.stringify(frame.value));
}

export async function loadSettings(): Promise<void> {
  try {
    settings.value = { ...(await get<Settings>("settings")), theme: settings.value.theme };
  } catch {
    // Defaults do; a read-only or older server simply keeps none.
  }
}

export async function changeSettings({ theme, ...shared }: Settings): Promise<void> {
  settings.value = { ...settings.value, ...shared, ...(theme ? { theme } : {}) };
  if (theme) localStorage.setItem("taffrail.theme", theme);
  if (Object.keys(shared).length === 0) return;
  try {
    await post<Settings>("settings", shared);
  } catch {
    // Read-only server: the choice lasts as long as the tab.
  }
}
