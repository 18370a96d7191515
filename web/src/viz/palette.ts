// Colours of runs: twenty that stay apart for every kind of colour vision, in both themes, before
// any repeats. tests/palette.test.ts measures them.

// Same slot, about the same hue in both themes. Of the first twelve any two are further apart than
// of all twenty.
export const lightPalette = [
  "#095ec3",
  "#f25873",
  "#11a17d",
  "#8d6200",
  "#9378ff",
  "#769a03",
  "#b42a72",
  "#881607",
  "#2008ca",
  "#00643e",
  "#b96cad",
  "#620d5e",
  "#d63067",
  "#75873a",
  "#114399",
  "#861851",
  "#b50238",
  "#057f51",
  "#4c24f9",
  "#7c54f9",
];
export const darkPalette = [
  "#9698ff",
  "#f30d36",
  "#09ffb2",
  "#fade15",
  "#a701fd",
  "#477a0b",
  "#c8287d",
  "#ff7d03",
  "#e8bfff",
  "#57b871",
  "#aa75b5",
  "#fe96be",
  "#cb5a83",
  "#b1d56b",
  "#7162ae",
  "#d777a2",
  "#e43460",
  "#098a54",
  "#d08ccd",
  "#8c77e9",
];

/** How many runs have a colour of their own. */
export const colorCount = lightPalette.length;

export type Dash = readonly [number, number];

/** On-off lengths in pixels. A dash tells training from validation from test, and nothing else. */
const splitDashes: Record<Split, Dash | null> = { train: null, val: [6, 3], test: [2, 2] };

export type Split = "train" | "val" | "test";
const splitNames: Record<string, Split> = {
  train: "train",
  training: "train",
  val: "val",
  valid: "val",
  validate: "val",
  validation: "val",
  eval: "val",
  dev: "val",
  test: "test",
};

/** Which split a metric is of, and what it is called without saying so. */
export function splitOf(key: string): { split: Split | null; tail: string } {
  const parts = key.split("/");
  const at = parts.findIndex((p) => Object.hasOwn(splitNames, p.toLowerCase()));
  if (at >= 0)
    return {
      split: splitNames[parts[at].toLowerCase()],
      tail: parts.filter((_, i) => i !== at).join("/"),
    };
  const flat = /^(train|val|test|eval)_(.+)/.exec(key);
  return flat ? { split: splitNames[flat[1]], tail: flat[2] } : { split: null, tail: key };
}

/**
 * The dash of each of these metrics in one chart: none unless they are the same thing of different
 * splits.
 */
export function dashesOf(keys: readonly string[]): (Dash | null)[] {
  const split = keys.map((key) => splitOf(key).split);
  const apart = keys.length > 1 && !split.includes(null) && new Set(split).size === keys.length;
  return split.map((s) => (apart ? splitDashes[s!] : null));
}

export type Theme = "light" | "dark";

export interface ThemeColors {
  ground: string;
  raised: string;
  sunken: string;
  text: string;
  muted: string;
  accent: string;
  good: string;
  warn: string;
  bad: string;
}

export const themes: Record<Theme, ThemeColors> = {
  light: {
    ground: "#ffffff",
    raised: "#fbfbfc",
    sunken: "#f5f6f8",
    text: "#16191d",
    muted: "#59616b",
    accent: "#2f5fe0",
    good: "#0b7a4b",
    warn: "#8a5a00",
    bad: "#b3261e",
  },
  dark: {
    ground: "#14171c",
    raised: "#1b1f26",
    sunken: "#0f1216",
    text: "#e8eaed",
    muted: "#9aa4b0",
    accent: "#7aa2ff",
    good: "#4cc38a",
    warn: "#f0b429",
    bad: "#ff8a80",
  },
};

export function slotColor(theme: Theme, slot: number): string {
  const palette = theme === "dark" ? darkPalette : lightPalette;
  return palette[slot % palette.length];
}

/** Of things counted within one picture: grey beyond the colours that there are. */
export const placeColor = (theme: Theme, place: number): string =>
  place < colorCount ? slotColor(theme, place) : themes[theme].muted;

/**
 * Which of these are grey, by their place in the list: an older one of them wears the colour. Null
 * is who has a chosen colour, which is nobody else's business.
 */
export function greyAmong(slots: readonly (number | null)[]): Set<number> {
  const grey = new Set<number>();
  const taken = new Set<number>();
  const byAge = slots.flatMap((slot, at) => (slot === null ? [] : [{ slot, at }]));
  for (const { slot, at } of byAge.sort((a, b) => a.slot - b.slot)) {
    if (taken.has(slot % colorCount)) grey.add(at);
    else taken.add(slot % colorCount);
  }
  return grey;
}

/** A colour that a person took from the palette, as the palette of this theme has it. */
export function themed(theme: Theme, color: string): string {
  const chosen = color.toLowerCase();
  const slot = (theme === "dark" ? lightPalette : darkPalette).indexOf(chosen);
  return slot < 0 ? color : slotColor(theme, slot);
}

export function parseColor(hex: string): [number, number, number] {
  const n = parseInt(hex.slice(1), 16);
  return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}

export function mix(a: string, b: string, share: number): string {
  const p = parseColor(a);
  const q = parseColor(b);
  return (
    "#" +
    p
      .map((v, i) =>
        Math.round(v + (q[i] - v) * share)
          .toString(16)
          .padStart(2, "0"),
      )
      .join("")
  );
}

// Even lightness steps from dark violet to yellow; sampled by hand so that neighbours stay apart in
// both themes.
const rampStops: [number, number, number][] = [
  [62, 28, 110],
  [74, 62, 148],
  [60, 98, 158],
  [46, 128, 152],
  [48, 158, 134],
  [104, 184, 98],
  [178, 200, 68],
  [246, 208, 72],
];

/** Colour of t in 0…1 on the continuous ramp. */
export function ramp(t: number): [number, number, number] {
  const at = Math.max(0, Math.min(1, Number.isFinite(t) ? t : 0)) * (rampStops.length - 1);
  const i = Math.min(rampStops.length - 2, Math.floor(at));
  const share = at - i;
  return rampStops[i].map((v, k) => Math.round(v + (rampStops[i + 1][k] - v) * share)) as [
    number,
    number,
    number,
  ];
}

export function rampColor(t: number): string {
  return (
    "#" +
    ramp(t)
      .map((v) => v.toString(16).padStart(2, "0"))
      .join("")
  );
}
