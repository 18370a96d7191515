// Profiles without a browser: frames of slices, places of boxes, rows and times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSlices } from "../src/api/slices";
import type { Flame, ProfileInfo } from "../src/api/types";
import { changedFunctions, corners, shortName, shortTitle } from "../src/lib/profile_rows";
import { boxAt, boxes, neighbour, ringAt, rings } from "../src/viz/flame";
import { formatMs, formatNs, formatShare, formatWeight, timeTicks } from "../src/viz/nanoseconds";
import { headHeight, hitAt, placeTracks, rowHeight, rulerHeight } from "../src/viz/timeline";

const flame: Flame = {
  value: 0,
  left_out: 0,
  matched: 0,
  path: [],
  node: [0, 1, 2, 3, 4],
  depth: [0, 1, 2, 2, 1],
  begin: [0, 0, 0, 30, 60],
  total: [100, 60, 30, 20, 40],
  self: [0, 10, 30, 20, 40],
  title: [0, 1, 2, 3, 4],
  titles: ["", "a", "b", "c", "d"],
};

function frame(header: object, columns: ArrayBufferView[]): ArrayBuffer {
  let text = JSON.stringify(header);
  text += " ".repeat((8 - (text.length % 8)) % 8);
  const body = Buffer.concat(
    columns.map((c) => {
      const bytes = Buffer.from(c.buffer, c.byteOffset, c.byteLength);
      return Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);
    }),
  );
  const head = Buffer.alloc(16);
  head.write("TFP1", "latin1");
  head.writeUInt32LE(text.length, 4);
  head.writeBigUInt64LE(BigInt(body.length), 8);
  const all = Buffer.concat([head, Buffer.from(text), body]);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength) as ArrayBuffer;
}

test("a frame of slices is read back as it was sent, with odd counts too", () => {
  for (const count of [0, 1, 3, 4]) {
    const numbers = Array.from({ length: count }, (_, i) => i * 10);
    const got = readSlices(
      frame({ count, name_ids: [7], names: ["mm"], track: [], row: [], first: [] }, [
        Float64Array.from(numbers),
        Float64Array.from(numbers, (n) => n + 0.5),
        Uint32Array.from(numbers, () => 7),
        Uint32Array.from(numbers, (n) => n + 1),
        Uint32Array.from(numbers, (n) => n + 2),
        Float32Array.from(numbers, () => 0.25),
      ]),
    );
    assert.deepEqual([...got.begin], numbers);
    assert.deepEqual(
      [...got.id],
      numbers.map((n) => n + 2),
    );
    assert.ok([...got.busy].every((b) => b === 0.25));
    assert.equal(got.names.get(7), "mm");
  }
  assert.throws(() => readSlices(new ArrayBuffer(20)), /no frame/);
});

test("boxes of a flame and an icicle have the same places but for up and down", () => {
  const up = boxes(flame, "flame", 1000);
  const down = boxes(flame, "icicle", 1000);
  assert.deepEqual(
    up.map((b) => [b.x, b.width]),
    down.map((b) => [b.x, b.width]),
  );
  assert.ok(up[0].y > up[1].y && down[0].y < down[1].y);
  for (const mode of ["flame", "icicle"] as const)
    boxes(flame, mode, 1000).forEach((b) =>
      assert.equal(boxAt(flame, mode, 1000, b.x + b.width / 2, b.y + 3), b.index),
    );
  assert.equal(boxAt(flame, "icicle", 1000, 950, 45), -1, "nothing below d at its right end");
});

test("rings of a sunburst cover the same shares as the boxes", () => {
  const radius = 200;
  const { width, hole } = rings(flame, radius);
  flame.node.forEach((_, i) => {
    const angle = ((flame.begin[i] + flame.total[i] / 2) / 100) * 2 * Math.PI;
    const away = flame.depth[i] === 0 ? 0 : hole + (flame.depth[i] - 0.5) * width;
    assert.equal(ringAt(flame, radius, Math.sin(angle) * away, -Math.cos(angle) * away), i);
  });
  assert.equal(ringAt(flame, radius, 500, 0), -1);
});

test("keys walk from frame to frame", () => {
  assert.equal(neighbour(flame, 0, "in"), 1);
  assert.equal(neighbour(flame, 1, "next"), 4);
  assert.equal(neighbour(flame, 4, "back"), 1);
  assert.equal(neighbour(flame, 2, "next"), 3);
  assert.equal(neighbour(flame, 3, "out"), 1);
  assert.equal(neighbour(flame, 4, "in"), 4, "a leaf stays");
  assert.equal(neighbour(flame, 2, "back"), 2);
});

test("a value holds until the next one comes", () => {
  assert.deepEqual(corners([0, 100, 200, 300], [0, 0, 50, 20]), [
    [0, 100, 200, 200, 300, 300],
    [0, 0, 0, 50, 50, 20],
  ]);
  assert.deepEqual(corners([], []), [[], []]);
});

test("names are short where there is little room", () => {
  assert.equal(shortName("12 before.json"), "before.json");
  assert.equal(shortName("profiles/a.tprof"), "a.tprof");
  assert.equal(shortTitle("work (/home/me/train.py:12)"), "work (train.py:12)");
  for (const whole of ["work", "operator() (int)", "f(a/b)", "x (/)", "z (f(a)/b)", ""])
    assert.equal(shortTitle(whole), whole);
});

test("times read well at every size", () => {
  assert.deepEqual([0, 1, 999, 1000, 1234567, 59262e3, 12e9, 1e14].map(formatNs), [
    "0",
    "1 ns",
    "999 ns",
    "1 µs",
    "1.235 ms",
    "59.26 ms",
    "12 s",
    "100,000 s",
  ]);
  assert.equal(formatMs(1234567), "1.235");
  assert.equal(formatShare(0.5), "50.0 %");
  assert.equal(formatShare(48.961), "4,896.1 %");
  assert.equal(formatWeight(1500, "bytes"), "1,500 B");
  for (const [from, to] of [
    [0, 10],
    [0, 1e9],
    [123456, 123999],
    [5e12, 9e15],
  ]) {
    const list = timeTicks(from, to, 8);
    assert.ok(list.length >= 1 && list.length <= 12, `${from} ${to}: ${list.length}`);
    assert.ok(list.every((t) => t.at >= from && t.at <= to));
    assert.equal(new Set(list.map((t) => t.text)).size, list.length, "every label once");
  }
});

const info = {
  tracks: [
    { rows: [2, 1], kind: "thread", title: "main", process: "p" },
    { rows: [1], kind: "thread", title: "gpu", process: "p" },
  ],
  steps: [{ number: 3, begin_ns: 0, duration_ns: 50 }],
} as unknown as ProfileInfo;
const slices = readSlices(
  frame(
    { count: 4, track: [0, 0, 1], row: [0, 1, 0], first: [0, 2, 3], name_ids: [1], names: ["x"] },
    [
      Float64Array.of(0, 50, 10, 60),
      Float64Array.of(40, 40, 10, 20),
      Uint32Array.of(1, 1, 1, 1),
      Uint32Array.of(1, 1, 1, 1),
      Uint32Array.of(10, 11, 12, 13),
      Float32Array.of(1, 1, 1, 1),
    ],
  ),
);

test("tracks are placed below each other; hidden ones take no room, folded ones one row", () => {
  const all = placeTracks(info, new Set(), new Set());
  assert.equal(all.placed[1].top, headHeight + 2 * rowHeight + 4);
  const folded = placeTracks(info, new Set(), new Set([0]));
  assert.equal(folded.placed[1].top, headHeight + rowHeight + 4);
  assert.deepEqual(
    placeTracks(info, new Set([0]), new Set()).placed.map((p) => [p.track, p.top]),
    [[1, 0]],
  );
});

test("a point of the timeline finds the slice, the track or the step below it", () => {
  const { placed } = placeTracks(info, new Set(), new Set());
  const v = {
    theme: "light" as const,
    from: 0,
    to: 100,
    left: 100,
    width: 1100,
    height: 400,
    scroll: 0,
    selected: -1,
    hovered: -1,
    matches: null,
    font: "",
  };
  const at = (time: number, y: number) => hitAt(v, info, placed, slices, 100 + time * 10, y);
  const row = (top: number, r: number) => rulerHeight + top + headHeight + r * rowHeight + 5;
  assert.deepEqual(at(20, row(0, 0)), { kind: "slice", index: 0 });
  assert.deepEqual(at(70, row(0, 0)), { kind: "slice", index: 1 });
  assert.equal(at(45, row(0, 0)), null);
  assert.deepEqual(at(15, row(0, 1)), { kind: "slice", index: 2 });
  assert.deepEqual(at(70, row(placed[1].top, 0)), { kind: "slice", index: 3 });
  assert.deepEqual(at(-5, rulerHeight + 5), { kind: "track", track: 0 });
  assert.deepEqual(at(20, 25), { kind: "step", step: info.steps[0] });
  assert.equal(at(70, 25), null);
});

test("functions of two profiles are matched by name and file, whatever their line", () => {
  const row = (name: string, file: string, line: number, self: number) => ({
    id: 0,
    name,
    file,
    line,
    calls: 1,
    self,
    total: self,
  });
  const rows = changedFunctions(
    [row("f", "a.py", 3, 10), row("g", "a.py", 9, 1)],
    [row("f", "a.py", 4, 7), row("f", "a.py", 5, 1), row("h", "", 0, 2)],
  );
  assert.deepEqual(
    rows.map((r) => [r.name, r.before?.self ?? null, r.after?.self ?? null]),
    [
      ["f", 10, 8],
      ["g", 1, null],
      ["h", null, 2],
    ],
  );
  const long = [
    { ...row("Matrix<", "", 0, 5), cut: "1" },
    { ...row("Matrix<", "", 0, 3), cut: "2" },
  ];
  assert.deepEqual(
    changedFunctions(long, [long[1]]).map((r) => [r.name, r.before?.self, r.after?.self]),
    [
      ["Matrix<…", 5, undefined],
      ["Matrix<…", 3, 3],
    ],
    "names that begin alike are two",
  );
});
