// Rows of cards: filled, shared by small sections, and whole.
import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsIn, heightOf, layoutOf } from "../src/pages/charts_layout";
import type { Section } from "../src/pages/charts_sections";

const section = (name: string, count: number, open = true): Section => ({
  name,
  title: name,
  open,
  kind: "chart",
  cards: Array.from({ length: count }, (_, i) => ({ id: name + i, title: "", keys: [] })),
});

const rowsOf = (sections: Section[], columns: number) => {
  const { placed } = layoutOf(sections, 1100, columns, 250);
  const rows = new Map<number, { left: number; width: number }[]>();
  for (const place of placed.flatMap((p) => p.places))
    rows.set(place.top, [...(rows.get(place.top) ?? []), place]);
  return [...rows.values()];
};

test("finding U03: every row reaches the right edge, whatever the number of cards", () => {
  for (const columns of [1, 2, 3, 4])
    for (let a = 1; a <= 9; a++)
      for (let b = 1; b <= 4; b++)
        for (const row of rowsOf([section("a", a), section("b", b), section("c", 1)], columns)) {
          const last = row[row.length - 1];
          assert.equal(row[0].left, 12);
          assert.equal(last.left + last.width, 1088, `${columns} columns, ${a} and ${b} cards`);
          assert.ok(row.length <= columns);
          for (let i = 1; i < row.length; i++)
            assert.equal(row[i].left, row[i - 1].left + row[i - 1].width + 12);
        }
});

test("finding U03: small sections stand beside each other, each below its own head", () => {
  const { placed } = layoutOf([section("a", 1), section("b", 2), section("c", 1)], 1100, 3, 250);
  const [a, b, c] = placed;
  assert.equal(a.head.top, b.head.top);
  assert.ok(a.head.left + a.head.width < b.head.left);
  assert.equal(b.places[0].left, b.head.left);
  assert.ok(c.head.top > b.places[0].top + 250 - 1, "what does not fit stands below");
});

test("finding D06: a card that comes late changes the width of no other", () => {
  const before = layoutOf([section("a", 2), section("*late", 1)], 1100, 3, 250).placed[1];
  const after = layoutOf([section("a", 2), section("*late", 2)], 1100, 3, 250).placed[1];
  assert.deepEqual(after.places[0], before.places[0]);
});

test("two, three and four columns by the width of the page; rows that fit the screen", () => {
  assert.deepEqual(
    [390, 800, 1120, 2300].map((width) => columnsIn(width, "m")),
    [1, 2, 3, 4],
  );
  assert.ok(heightOf("m", 800) >= 250 && heightOf("m", 800) <= 338);
});
