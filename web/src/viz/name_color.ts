// A colour for a name: the same in every picture of a profile, about the same hue in both themes.
import { lightPalette, mix, slotColor, themes, type Theme } from "./palette";

const cache = new Map<string, string>();

function hash(text: string): number {
  let h = 7;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) >>> 0;
  return h;
}

/** Light enough (or dark enough) that the theme's text can be read on it. */
export function nameColor(theme: Theme, name: string): string {
  const key = theme + name;
  let color = cache.get(key);
  if (!color) {
    // Numbers in names (steps, addresses) are not what tells things apart.
    const slot = hash(name.replace(/[0-9]+/g, "#")) % Math.min(12, lightPalette.length);
    color = mix(slotColor(theme, slot), themes[theme].ground, theme === "dark" ? 0.62 : 0.58);
    if (cache.size > 20000) cache.clear();
    cache.set(key, color);
  }
  return color;
}
