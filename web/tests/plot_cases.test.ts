// The page's numbers, ticks and colours are those of tests/data/plot_cases.json, which src/plot
// reads too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatAxisTicks, formatDuration, formatNumber, formatTicks } from "../src/viz/format";
import { darkPalette, greyAmong, lightPalette, themes } from "../src/viz/palette";
import { ticks, type ScaleKind } from "../src/viz/scale";
import { timeTicks } from "../src/viz/time_ticks";

interface Cases {
  numbers: { value: number; digits: number; short: boolean; text: string }[];
  axes: {
    kind: ScaleKind;
    from: number;
    to: number;
    count: number;
    whole: boolean;
    ticks: number[];
    labels: string[];
  }[];
  times: {
    axis: string;
    from: number;
    to: number;
    count: number;
    ticks: number[] | null;
    labels: string[] | null;
  }[];
  durations: { seconds: number; text: string }[];
  grey: { slots: (number | null)[]; grey: number[] }[];
  palette: { light: string[]; dark: string[] };
  themes: Record<"light" | "dark", { ground: string; text: string; muted: string }>;
}
const cases = JSON.parse(readFileSync("../tests/data/plot_cases.json", "utf8")) as Cases;

test("numbers and durations read as in pictures and on terminals", () => {
  assert.ok(cases.numbers.length > 300);
  for (const c of cases.numbers) assert.equal(formatNumber(c.value, c.digits, c.short), c.text);
  for (const c of cases.durations) assert.equal(formatDuration(c.seconds), c.text);
});

test("ticks and their labels are those of pictures and terminals", () => {
  assert.ok(cases.axes.length > 200);
  for (const c of cases.axes) {
    assert.deepEqual(ticks(c.kind, c.from, c.to, c.count, c.whole), c.ticks);
    assert.deepEqual(formatTicks(c.ticks), c.labels);
  }
  for (const c of cases.times) {
    assert.deepEqual(timeTicks(c.axis, c.from, c.to, c.count), c.ticks);
    if (c.ticks) assert.deepEqual(formatAxisTicks(c.axis, c.ticks), c.labels);
  }
});

test("colours are those of pictures and terminals", () => {
  assert.deepEqual(cases.palette, { light: lightPalette, dark: darkPalette });
  for (const { slots, grey } of cases.grey)
    assert.deepEqual(
      [...greyAmong(slots)].sort((a, b) => a - b),
      grey,
    );
  for (const theme of ["light", "dark"] as const) {
    const { ground, text, muted } = themes[theme];
    assert.deepEqual(cases.themes[theme], { ground, text, muted });
  }
});
