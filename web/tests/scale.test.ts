// Axes: pixels there and back, and ticks that lie inside.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scale, ticks, transform, untransform, type ScaleKind } from "../src/viz/scale";

const kinds: ScaleKind[] = ["linear", "log", "symlog"];

test("a value comes back from its pixel, on every kind of axis and however wide it is", () => {
  const spans: [number, number][] = [
    [0.001, 1000],
    [1, 2],
    [1794810000, 1794810100],
    [1e-300, 1e-299],
    [1e30, 1e38],
  ];
  for (const kind of kinds)
    for (const [from, to] of spans) {
      if (kind === "symlog" && to < 1e-12) continue; // flat near zero: no axis at all
      const scale = new Scale(kind, from, to, 50, 850);
      for (const pixel of [50, 123, 500, 850]) {
        const back = scale.pixel(scale.value(pixel));
        assert.ok(Math.abs(back - pixel) < 0.01, `${kind} ${from}…${to}: ${pixel} → ${back}`);
      }
      assert.ok(Math.abs(scale.pixel(from) - 50) < 1e-3 && Math.abs(scale.pixel(to) - 850) < 1e-3);
    }
});

test("the whole range of doubles fits on a linear axis", () => {
  const scale = new Scale("linear", -Number.MAX_VALUE, Number.MAX_VALUE, 0, 100);
  assert.deepEqual(
    [-Number.MAX_VALUE, 0, Number.MAX_VALUE].map((v) => scale.pixel(v)),
    [0, 50, 100],
  );
});

test("transforms undo each other; a log axis has no place for what is not above zero", () => {
  for (const kind of kinds)
    for (const v of [1e-6, 0.5, 1, 3e7])
      assert.ok(Math.abs(untransform(kind, transform(kind, v)) / v - 1) < 1e-9);
  assert.ok([0, -1].every((v) => Number.isNaN(transform("log", v))));
  assert.equal(transform("symlog", -9), -transform("symlog", 9));
});

test("ticks lie inside the axis, rise, and are about as many as asked for", () => {
  let seed = 11;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 4294967296;
  for (let i = 0; i < 600; i++) {
    const kind = kinds[i % 3];
    const size = 10 ** (random() * 12 - 6);
    const from = kind === "log" ? size : (random() - 0.5) * size;
    const to =
      kind === "log" ? from * 10 ** (random() * 8 + 0.01) : from + size * (random() + 0.01);
    const found = ticks(kind, from, to, 8);
    const slack = (to - from) * 1e-3;
    assert.ok(
      found.every((v) => v >= from - slack && v <= to + slack),
      `${kind} ${from}…${to}: ${found}`,
    );
    assert.ok(
      found.every((v, k) => k === 0 || v > found[k - 1]),
      found.join(),
    );
    assert.ok(found.length <= 24, `${found.length} ticks`);
  }
});

test("ticks of steps are whole numbers", () => {
  assert.deepEqual(ticks("linear", 0, 3, 10, true), [0, 1, 2, 3]);
});
