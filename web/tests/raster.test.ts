// The line renderer: every value of a pixel column is inside its span, and nothing is drawn beyond.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Raster } from "../src/viz/raster";
import type { RasterData, RasterJob } from "../src/viz/raster_job";

const [width, height] = [40, 30];
const job: RasterJob = {
  width,
  height,
  x: { kind: "linear", from: 0, to: 40 },
  y: { kind: "linear", from: 0, to: 30 },
  ground: [255, 255, 255],
  grid: [255, 255, 255],
  gridX: [],
  gridY: [],
  styles: [{ rgb: [200, 0, 0], alpha: 1, bandAlpha: 0, width: 1, dash: null, dots: false }],
  order: Uint32Array.of(0),
  density: null,
  ratio: 1,
};

const raw = (points: [number, number][]): RasterData => ({
  starts: Uint32Array.of(0, points.length),
  raw: Uint8Array.of(1),
  x: Float64Array.from([...points.map(([x]) => x), points.at(-1)![0]]),
  shift: Int32Array.of(0),
  line: Float64Array.from(points.map(([, y]) => y)),
  low: null,
  high: null,
  count: null,
  under: null,
  markBin: new Uint32Array(0),
  markKind: new Uint8Array(0),
});

/** Rows of a pixel column that are not of the ground, as values of the y axis. */
function drawn(points: [number, number][], column: number): number[] {
  const raster = new Raster(job);
  raster.draw(raw(points));
  const rows = Array.from({ length: height }, (_, row) => row);
  return rows
    .filter((row) => raster.pixels[(row * width + column) * 4 + 1] < 200)
    .map((row) => height - 1 - row);
}

test("a steady line is in every column at its value and nowhere else", () => {
  for (const column of [2, 20, 37]) {
    const found = drawn(
      [
        [0, 10],
        [40, 10],
      ],
      column,
    );
    assert.ok(
      found.length >= 1 && found.every((value) => Math.abs(value - 10) <= 2),
      `${column}: ${found}`,
    );
  }
});

test("one spike among many points of a column reaches its height", () => {
  const points: [number, number][] = Array.from({ length: 4000 }, (_, i) => [i / 100, 5]);
  points[2012][1] = 25;
  assert.ok(Math.max(...drawn(points, 20)) >= 24);
  assert.ok(Math.max(...drawn(points, 23)) <= 7);
});

test("a gap of NaN is a gap", () => {
  const found = drawn(
    [
      [0, 10],
      [10, 10],
      [20, NaN],
      [30, 10],
      [40, 10],
    ],
    20,
  );
  assert.deepEqual(found, []);
});

test("a line to a value far beyond the axis leaves it, and ends", () => {
  const points: [number, number][] = [
    [0, 10],
    [10, 1e300],
    [20, -1e300],
    [30, 10],
    [40, 10],
  ];
  const first = drawn(points, 0);
  assert.ok(first.includes(10) && Math.max(...first) > 10, "upwards at once");
  assert.deepEqual(drawn(points, 9), []);
  assert.ok(drawn(points, 35).length > 0);
});
