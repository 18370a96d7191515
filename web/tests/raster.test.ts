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

test("dots depend on how far points lie from each other, not on how many there are", () => {
  const wide = { ...job, width: 400, x: { kind: "linear" as const, from: 0, to: 400 } };
  const dotted = (count: number, apart: number) => {
    const styles = [{ ...job.styles[0]!, dots: true }];
    const raster = new Raster({ ...wide, styles });
    raster.draw(raw(Array.from({ length: count }, (_, i) => [i * apart, 10])));
    const column = raster.pixels.filter(
      (_, i) => i % 4 === 1 && Math.floor(i / 4) % wide.width === apart,
    );
    return column.filter((green) => green < 200).length > 2;
  };
  assert.ok(dotted(40, 10), "ten pixels apart");
  assert.ok(dotted(20, 10), "a run that ended half-way");
  assert.ok(!dotted(80, 5), "five pixels apart");
  assert.ok(!dotted(40, 5), "a run that ended half-way");
  assert.ok(dotted(4, 5), "a run that has just begun");
});
