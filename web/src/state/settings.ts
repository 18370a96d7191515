// What a person prefers: theme, density. Kept by the server, so that every browser agrees; the
// theme also locally, against a flash.
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

export async function loadSettings(): Promise<void> {
  try {
    settings.value = { theme: settings.value.theme, ...(await get<Settings>("settings")) };
  } catch {
    // Defaults do; a read-only or older server simply keeps none.
  }
}

export async function changeSettings(patch: Settings): Promise<void> {
  settings.value = { ...settings.value, ...patch };
  if (patch.theme) localStorage.setItem("taffrail.theme", patch.theme);
  try {
    await post<Settings>("settings", patch);
  } catch {
    // Read-only server: the choice lasts as long as the tab.
  }
}
