// Pixels, their place on a stage, and tables side by side, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { having, joined, keyColumn, sorted } from "../src/lib/table_join";
import { nearestMark } from "../src/viz/nearest_mark";
import { difference, fitted, fromBytes, fromRgba, pixelAt, zoomed } from "../src/viz/pixels";
import { Scale } from "../src/viz/scale";

test("channels are as many as the pixels need", () => {
  const grey = fromRgba(2, 1, Uint8ClampedArray.from([7, 7, 7, 255, 9, 9, 9, 255]));
  assert.equal(grey.channels, 1);
  assert.deepEqual(pixelAt(grey, 1, 0), [9]);
  const color = fromRgba(1, 1, Uint8ClampedArray.from([1, 2, 3, 255]));
  assert.deepEqual(pixelAt(color, 0, 0), [1, 2, 3]);
  const glass = fromRgba(1, 1, Uint8ClampedArray.from([1, 1, 1, 128]));
  assert.deepEqual(pixelAt(glass, 0, 0), [1, 1, 1, 128]);
  assert.equal(pixelAt(grey, 2, 0), null);
  assert.equal(pixelAt(grey, 0, -1), null);
});

test("stored numbers are read by their type, and only where they fill the picture", () => {
  const bytes = Float32Array.from([0.5, 1, 2, 3, 4, 5]).buffer;
  assert.deepEqual(pixelAt(fromBytes(bytes, "f32", 3, 1)!, 1, 0), [2, 3]);
  assert.equal(fromBytes(bytes, "f32", 4, 1), null);
  assert.equal(fromBytes(bytes, "f16", 3, 1), null);
  assert.equal(fromBytes(new ArrayBuffer(7), "f32", 1, 1), null);
});

test("a difference is that of every channel, three times as bright", () => {
  const d = difference(
    Uint8ClampedArray.from([10, 0, 0, 255, 0, 0, 0, 255]),
    Uint8ClampedArray.from([0, 100, 0, 255, 0, 0, 0, 255]),
  );
  assert.equal(d.largest, 100);
  assert.ok(Math.abs(d.mean - 110 / 6) < 1e-12);
  assert.deepEqual([...d.rgba], [30, 255, 0, 255, 0, 0, 0, 255]);
});

test("a picture fits its stage, and zooming keeps the pixel under the pointer", () => {
  assert.deepEqual(fitted(10, 10, 100, 55), { scale: 5, x: 25, y: 2.5 });
  assert.equal(fitted(1000, 500, 100, 100).scale, 0.1);
  const before = fitted(16, 16, 640, 640);
  const after = zoomed(before, 3, 100, 200);
  assert.ok(Math.abs((100 - after.x) / after.scale - (100 - before.x) / before.scale) < 1e-9);
  assert.ok(Math.abs((200 - after.y) / after.scale - (200 - before.y) / before.scale) < 1e-9);
  assert.equal(zoomed(before, 1e9, 0, 0).scale, 200);
});

test("rows are sorted as numbers and words are, and what is absent comes last", () => {
  const rows = [[3], [null], ["Infinity"], [-1], ["x10"], ["x9"], [""]];
  const order = (down: boolean) => sorted(rows, 0, down).map((r) => r[0]);
  assert.deepEqual(order(false), [-1, 3, "Infinity", "x9", "x10", null, ""]);
  assert.deepEqual(order(true), ["x10", "x9", "Infinity", 3, -1, null, ""]);
  assert.deepEqual(
    having(
      [
        ["ab", 1],
        [null, 2],
      ],
      (t) => t === "2",
    ),
    [[null, 2]],
  );
});

test("tables of several runs are joined by the first column that names their rows", () => {
  const a = {
    name: "a",
    columns: ["kind", "id", "v"],
    rows: [
      ["k", "x", 1],
      ["k", "y", 2],
    ],
  };
  const b = {
    name: "b",
    columns: ["id", "v", "w"],
    rows: [
      ["y", 5, 6],
      ["z", 7, 8],
    ],
  };
  assert.equal(keyColumn([a, b]), "id");
  const both = joined([a, b]);
  assert.deepEqual(both.columns, ["id", "kind · a", "v · a", "v · b", "w · b"]);
  assert.deepEqual(both.rows, [
    ["x", "k", 1, null, null],
    ["y", "k", 2, 5, 6],
    ["z", null, null, 7, 8],
  ]);
  const twice = { name: "c", columns: ["id"], rows: [["x"], ["x"]] };
  assert.equal(joined([twice]).by, "row");
});

test("the nearest mark is found within reach, and no other", () => {
  const x = new Scale("linear", 0, 10, 0, 100);
  const y = new Scale("linear", 0, 10, 100, 0);
  const marks = [
    { xs: [0, 5, 10], ys: [0, 5, 10] },
    { xs: [5], ys: [6] },
  ];
  assert.deepEqual(nearestMark(x, y, marks, 52, 41), { series: 1, index: 0 });
  assert.deepEqual(nearestMark(x, y, marks, 52, 52), { series: 0, index: 1 });
  assert.equal(nearestMark(x, y, marks, 50, 95), null);
});
