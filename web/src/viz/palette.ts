// Colours of runs. Eight slots that stay apart for every kind of colour vision, in both themes,
// plus dashes beyond eight.

export const lightPalette = [
  "#372dcd",
  "#c47a26",
  "#28a584",
  "#be0077",
  "#0974af",
  "#7e1a19",
  "#9d68fe",
  "#776203",
];
export const darkPalette = [
  "#3980fa",
  "#fc8900",
  "#1fc891",
  "#c75bad",
  "#89f4fc",
  "#db1d03",
  "#bea9fe",
  "#f7e816",
];

/** On-off lengths in pixels for the second and third eight runs. */
export const dashes: (readonly [number, number] | null)[] = [null, [6, 3], [2, 2]];

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

export function slotDash(slot: number): readonly [number, number] | null {
  return dashes[Math.floor(slot / 8) % dashes.length];
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
