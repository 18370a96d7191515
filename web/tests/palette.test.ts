// Whether people can tell runs apart: CIEDE2000 between any two colours, as seen with normal,
// protan, deutan and tritan eyes (Machado, full severity), and their contrast with what they stand
// on.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  darkPalette,
  dashesOf,
  greyAmong,
  lightPalette,
  parseColor,
  splitOf,
  themed,
  themes,
  type Theme,
} from "../src/viz/palette";

type Triple = [number, number, number];

const linear = (hex: string) =>
  parseColor(hex).map((v) =>
    v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
  ) as Triple;

const visions: Record<string, number[][]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const seen = (rgb: Triple, vision: number[][]) =>
  vision.map((row) =>
    Math.max(0, Math.min(1, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])),
  ) as Triple;

function lab([r, g, b]: Triple): Triple {
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const seventh = (c: number) => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));

function deltaE([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const g = 0.5 * (1 - seventh((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)];
  const hue = (a: number, b: number) => ((((Math.atan2(b, a) * 180) / Math.PI) % 360) + 360) % 360;
  const [h1, h2] = [hue(p1, b1), hue(p2, b2)];
  let dh = c1 * c2 === 0 ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  let h = c1 * c2 === 0 ? h1 + h2 : (h1 + h2) / 2;
  if (c1 * c2 !== 0 && Math.abs(h1 - h2) > 180) h += h1 + h2 < 360 ? 180 : -180;
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63));
  const dl = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
  const dc = (c2 - c1) / (1 + 0.045 * c);
  const dH = (2 * Math.sqrt(c1 * c2) * Math.sin(radians(dh / 2))) / (1 + 0.015 * c * t);
  const turn = -Math.sin(radians(60 * Math.exp(-(((h - 275) / 25) ** 2)))) * 2 * seventh(c);
  return Math.sqrt(dl ** 2 + dc ** 2 + dH ** 2 + turn * dc * dH);
}

test("the distance is CIEDE2000: pairs of Sharma, Wu and Dalal's table", () => {
  const pairs: [Triple, Triple, number][] = [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ];
  for (const [a, b, expected] of pairs) assert.ok(Math.abs(deltaE(a, b) - expected) < 1e-4);
});

function closest(colors: string[], vision: number[][]): number {
  const list = colors.map((c) => lab(seen(linear(c), vision)));
  return Math.min(...list.flatMap((a, i) => list.slice(i + 1).map((b) => deltaE(a, b))));
}

const luminance = (hex: string) => {
  const [r, g, b] = linear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a: string, b: string) => {
  const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
  return (high + 0.05) / (low + 0.05);
};

for (const [theme, palette] of [
  ["light", lightPalette],
  ["dark", darkPalette],
] as [Theme, string[]][]) {
  test(`finding D08: twenty colours before anything repeats, apart for all eyes, ${theme}`, () => {
    assert.equal(new Set(palette).size, 20);
    for (const [name, vision] of Object.entries(visions)) {
      const [twelve, twenty] = [closest(palette.slice(0, 12), vision), closest(palette, vision)];
      assert.ok(twelve >= 12, `${name}: the first twelve are ${twelve} apart`);
      assert.ok(twenty >= 8, `${name}: all twenty are ${twenty} apart`);
    }
    const { ground, raised, sunken } = themes[theme];
    for (const color of palette)
      for (const below of [ground, raised, sunken])
        assert.ok(contrast(color, below) >= 3, `${color} on ${below}: ${contrast(color, below)}`);
  });
}

test("a chosen colour is the same slot in the other theme; one that is none of them stays", () => {
  assert.equal(themed("dark", lightPalette[3]), darkPalette[3]);
  assert.equal(themed("light", darkPalette[19].toUpperCase()), lightPalette[19]);
  assert.equal(themed("light", lightPalette[3]), lightPalette[3]);
  assert.equal(themed("dark", "#123456"), "#123456");
});

test("of those who would wear one colour the oldest does, a chosen colour is nobody else's", () => {
  assert.deepEqual([...greyAmong([1, 5, 21])], [2]);
  assert.deepEqual([...greyAmong([21, 5, 1])], [0]);
  assert.deepEqual([...greyAmong([41, null, 21])], [0]);
  assert.deepEqual([...greyAmong([null, 21])], []);
  assert.equal(greyAmong(Array.from({ length: 20 }, (_, i) => i + 7)).size, 0);
  assert.equal(greyAmong(Array.from({ length: 1000 }, (_, i) => i)).size, 980);
});

test("finding D04: a dash means train, val or test of one thing, and nothing else", () => {
  assert.deepEqual(dashesOf(["train/loss", "val/loss", "test/loss"]), [null, [6, 3], [2, 2]]);
  assert.deepEqual(dashesOf(["val/loss"]), [null]);
  assert.deepEqual(dashesOf(["system/cpu", "system/disk"]), [null, null]);
  assert.deepEqual(dashesOf(["val/loss", "valid/loss"]), [null, null]);
  assert.deepEqual(splitOf("gan/validation/loss"), { split: "val", tail: "gan/loss" });
  assert.deepEqual(splitOf("eval_accuracy"), { split: "val", tail: "accuracy" });
  assert.deepEqual(splitOf("constructor/x"), { split: null, tail: "constructor/x" });
});
