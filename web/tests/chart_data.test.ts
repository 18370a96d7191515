// The numbers of a chart: what the cursor finds and how far the axes reach, against plain searches.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "../src/api/frame";
import type { FrameHeader } from "../src/api/types";
import { emptyWords } from "../src/viz/chart_words";
import { binX, chartData, nearestBin, padRange, toNumber, valueRange } from "../src/viz/chart_data";
import { joinTails } from "../src/viz/tail";

/** A frame of raw points: one list of [x, value] for each series. */
function frame(lists: [number, number][][]): Frame {
  const n = lists.map((list) => list.length);
  const last = (list: [number, number][]) => list.at(-1) ?? [0, NaN];
  const header = {
    chart: "c",
    runs: lists.map((_, i) => `r${i}`),
    keys: ["loss"],
    missing: 0,
    outside: 0,
    x: {
      axis: "step",
      scale: "linear",
      from: Math.min(...lists.flat().map(([x]) => x)),
      to: Math.max(...lists.flat().map(([x]) => x)),
    },
    fields: [],
    series: {
      run: lists.map((_, i) => i),
      key: n.map(() => 0),
      attempt: n.map(() => 0),
      current: n.map(() => true),
      raw: n.map(() => true),
      bins: n,
      points: n,
      total: n,
      last_x: lists.map((list) => last(list)[0]),
      last: lists.map((list) => last(list)[1]),
    },
  } as unknown as FrameHeader;
  // Each series has an edge more than it has bins.
  const x = Float64Array.from(lists.flatMap((list) => [...list.map(([at]) => at), last(list)[0]]));
  const mean = Float64Array.from(lists.flatMap((list) => list.map(([, value]) => value)));
  const count = new Uint32Array(mean.length).fill(1);
  return {
    header,
    x,
    fields: new Map<string, Float64Array | Uint32Array>([
      ["mean", mean],
      ["count", count],
    ]),
  };
}

let seed = 5;
const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 4294967296;
function points(count: number): [number, number][] {
  let x = 0;
  return Array.from({ length: count }, () => [
    (x += 1 + Math.floor(random() * 9)),
    random() < 0.1 ? NaN : random() * 10 - 5,
  ]);
}

test("the cursor finds the point that a plain search finds", () => {
  for (let round = 0; round < 40; round++) {
    const lists = [points(60), points(7), points(1)];
    const data = chartData(frame(lists));
    lists.forEach((list, s) => {
      const finite = list.filter(([, value]) => Number.isFinite(value));
      if (finite.length < list.length) return; // holes are passed over, which is no nearest point
      for (let k = 0; k < 20; k++) {
        const at = random() * 400 - 20;
        const bin = nearestBin(data, s, at);
        const nearest = Math.min(...list.map(([x]) => Math.abs(x - at)));
        assert.equal(Math.abs(binX(data, s, bin) - at), nearest);
      }
    });
  }
});

test("a series without a value has no point under the cursor", () => {
  const data = chartData(
    frame([
      [
        [1, NaN],
        [2, NaN],
      ],
      [[1, 5]],
    ]),
  );
  assert.equal(nearestBin(data, 0, 1), -1);
  assert.equal(nearestBin(data, 1, 900), 2);
});

test("the range of values is that of what is drawn, between the limits", () => {
  const list: [number, number][] = [
    [0, 1],
    [10, -3],
    [20, Infinity],
    [30, NaN],
    [40, 7],
    [50, 100],
  ];
  const data = chartData(frame([list]));
  const range = (kind: "linear" | "log", x: [number, number] | null) =>
    valueRange(data, () => true, kind, x, false, true);
  assert.deepEqual(range("linear", null), [-3, 100]);
  assert.deepEqual(range("log", null), [1, 100]);
  assert.deepEqual(range("linear", [5, 45]), [-3, 7]);
  assert.equal(
    valueRange(data, () => false, "linear", null, false, true),
    null,
  );
});

test("outliers are left out of the range when asked for", () => {
  const calm: [number, number][] = Array.from({ length: 200 }, (_, i) => [i, i / 200]);
  calm[77][1] = 1e9;
  const data = chartData(frame([calm]));
  assert.equal(valueRange(data, () => true, "linear", null, false, true)![1], 1e9);
  assert.ok(valueRange(data, () => true, "linear", null, true, true)![1] < 1);
});

test("air around the values: a constant stands in the middle, the largest number stays finite", () => {
  assert.deepEqual(padRange([5, 5], "linear"), [4.5, 5.5]);
  assert.deepEqual(padRange([0, 0], "linear"), [-1, 1]);
  assert.deepEqual(padRange([0, 100], "linear"), [-5, 105]);
  assert.ok(padRange([-Number.MAX_VALUE, Number.MAX_VALUE], "linear").every(Number.isFinite));
});

test("numbers that JSON has no word for", () => {
  assert.deepEqual(["Infinity", "-Infinity", 2].map(toNumber), [Infinity, -Infinity, 2]);
  assert.ok([null, undefined, "NaN"].map(toNumber).every(Number.isNaN));
});

test("a tail joined to what is held is what a chart asked anew would show", () => {
  for (const cut of [1, 30, 59]) {
    const list = points(60).map(([x, v]): [number, number] => [x, Number.isNaN(v) ? 0 : v]);
    const whole = chartData(frame([list, list]));
    const held = chartData(frame([list.slice(0, cut), list]));
    // The tail begins with the last point that is held.
    const from = list[cut - 1][0];
    const tail = chartData(frame([list.slice(cut - 1)]));
    const joined = joinTails(held, [{ data: tail, from }], 1000);
    assert.deepEqual([...joined.raster.line], [...whole.raster.line]);
    assert.deepEqual([...joined.raster.starts], [...whole.raster.starts]);
    assert.deepEqual([...joined.raster.x], [...whole.raster.x]);
    assert.deepEqual(
      joined.series.map((s) => [s.points, s.last, s.lastX]),
      whole.series.map((s) => [s.points, s.last, s.lastX]),
    );
  }
});

test("a joined series keeps count and mean when its bins are halved", () => {
  const list: [number, number][] = Array.from({ length: 64 }, (_, i) => [i, i]);
  const held = chartData(frame([list.slice(0, 40)]));
  const tail = chartData(frame([list.slice(39)]));
  const joined = joinTails(held, [{ data: tail, from: 39 }], 16);
  assert.ok(joined.bins <= 16);
  const counts = [...joined.raster.count!];
  assert.equal(
    counts.reduce((a, b) => a + b, 0),
    64,
  );
  const sum = counts.reduce((all, count, i) => all + count * joined.mean![i], 0);
  assert.equal(sum / 64, 31.5);
});

test("a chart without anything to draw says why", () => {
  const words = (lists: [number, number][][], y: "linear" | "log") =>
    emptyWords(chartData(frame(lists)), () => true, "linear", y, false);
  assert.match(
    words(
      [
        [
          [1, -1],
          [2, -2],
        ],
      ],
      "log",
    ),
    /No value is above 0/,
  );
  assert.equal(words([[[1, 1]]], "linear"), "");
});
