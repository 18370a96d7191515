// Writes tests/data/plot_cases.json: numbers, ticks, labels and colours as the page has them, which
// the tests of the page and of src/plot both read. Look at the difference before it is kept.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
process.env.TZ = "UTC";
const { outputFiles } = await build({
  stdin: {
    contents: `export * from "../src/viz/format"; export * from "../src/viz/scale";
      export * from "../src/viz/time_ticks"; export * from "../src/viz/palette";`,
    resolveDir: here,
    loader: "ts",
  },
  bundle: true,
  write: false,
  format: "esm",
});
const page = await import("data:text/javascript," + encodeURIComponent(outputFiles[0].text));

let seed = 7;
const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32;
const sized = () => (random() < 0.3 ? -1 : 1) * 10 ** (random() * 40 - 18);
const chosen = [
  0,
  1,
  -1,
  0.5,
  2.5,
  0.125,
  1e-3,
  9.9995e-4,
  0.00123456,
  12345,
  123456,
  1234567.5,
  9999.95,
  99995,
  1e5,
  1e6,
  1.5e9,
  2.25e12,
  1e15,
  -1e15,
  5e-324,
  1.7976931348623157e308,
  0.1,
  0.30000000000000004,
  1 / 3,
  1e21,
  1005,
  1.005,
  999.95,
  1e4,
  10000.5,
  65536,
  1234,
  -1234.5,
  999999,
  999.96e6,
  9.9996e14,
];
const numbers = [...chosen, ...Array.from({ length: 60 }, sized)].flatMap((value) =>
  [
    [4, false],
    [2, false],
    [6, false],
    [4, true],
  ].map(([digits, short]) => ({
    value,
    digits,
    short,
    text: page.formatNumber(value, digits, short),
  })),
);
const spans = [
  [0, 1],
  [0, 100],
  [0, 43600],
  [0, 999999],
  [-5, 5],
  [0.1, 0.1003],
  [1e-9, 5e-9],
  [0, 1e26],
  [1e15, 3e15],
  [0, 1e-4],
  [2.31, 2.37],
  [-1e-3, 2e-3],
  [0, 7],
  [1, 1],
  [1e5, 1.5e5],
  [-1e308, 1e308],
  [1000, 2000],
  [8200, 9400],
  [-3000, -1200.5],
  [1234.5, 1236],
  ...Array.from({ length: 30 }, () => {
    const a = sized();
    return [a, a + Math.abs(sized())].sort((p, q) => p - q);
  }),
  [1e-4, 3e-3],
  [0.01, 0.47],
  [120, 9000],
  [3, 60],
];
const axes = [];
for (const kind of ["linear", "log", "symlog"])
  for (const [from, to] of spans)
    for (const [count, whole] of [
      [8, false],
      [4, false],
      [9, true],
    ]) {
      if (kind === "log" && !(from > 0)) continue;
      const ticks = page.ticks(kind, from, to, count, whole);
      axes.push({ kind, from, to, count, whole, ticks, labels: page.formatTicks(ticks) });
    }
const times = [];
for (const axis of ["relative", "wall"])
  for (const span of [0.5, 5, 42, 200, 600, 5000, 40000, 3e5, 2e6, 4e7, 9e8])
    for (const from of axis === "wall" ? [1.77e9, 1767225600] : [0, 17.5]) {
      const ticks = page.timeTicks(axis, from, from + span, 7);
      times.push({
        axis,
        from,
        to: from + span,
        count: 7,
        ticks,
        labels: ticks && page.formatAxisTicks(axis, ticks),
      });
    }
const durations = [
  0, 1e-7, 0.0025, 0.5, 1, 59.94, 60, 61.4, 3599.6, 3600, 86399, 86400, 1e7, -75,
].map((seconds) => ({ seconds, text: page.formatDuration(seconds) }));
const grey = [[1, 5, 21], [21, 5, 1], [41, null, 21], [null, 21], [0, 20, 40, 19], []].map(
  (slots) => ({ slots, grey: [...page.greyAmong(slots)].sort((a, b) => a - b) }),
);
const cases = {
  numbers,
  axes,
  times,
  durations,
  grey,
  palette: { light: page.lightPalette, dark: page.darkPalette },
  themes: Object.fromEntries(
    Object.entries(page.themes).map(([name, { ground, text, muted }]) => [
      name,
      { ground, text, muted },
    ]),
  ),
};
const rows = (list) => "[\n" + list.map((row) => "  " + JSON.stringify(row)).join(",\n") + "\n]";
writeFileSync(
  join(here, "../../tests/data/plot_cases.json"),
  "{\n" +
    Object.entries(cases)
      .map(([name, v]) => `"${name}": ${Array.isArray(v) ? rows(v) : JSON.stringify(v)}`)
      .join(",\n") +
    "\n}\n",
);
