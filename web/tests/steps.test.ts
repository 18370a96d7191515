// Undo and redo: views and edits in one line, the browser's own history beside it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inTurn, Steps, type EditStep } from "../src/state/steps";

const edit = (label: string): EditStep => ({
  kind: "edit",
  label,
  undo: () => Promise.resolve(),
  redo: () => Promise.resolve(),
});

test("the browser's Back and Forward walk through the views, there and back", () => {
  const steps = new Steps<string>();
  const entries = [steps.entry];
  for (const [before, after] of [
    ["a", "b"],
    ["b", "c"],
    ["c", "d"],
  ]) {
    steps.changed(before, after);
    entries.push(steps.entry);
  }
  assert.equal(new Set(entries).size, 4);
  assert.deepEqual(
    [2, 1, 0].map((i) => steps.travelled(entries[i])),
    ["c", "b", "a"],
  );
  assert.deepEqual(steps.counts, { undo: 0, redo: 3 });
  assert.equal(steps.travelled(entries[3]), "d", "several at once");
  assert.deepEqual(steps.counts, { undo: 3, redo: 0 });
});

test("a change after going back forgets what was ahead", () => {
  const steps = new Steps<string>();
  const first = steps.entry;
  steps.changed("a", "b");
  const left = steps.entry;
  steps.travelled(first);
  steps.changed("a", "c");
  assert.deepEqual(steps.counts, { undo: 1, redo: 0 });
  assert.equal(steps.travelled(left), null, "its entry is of another life");
});

test("Back passes over edits and leaves them as they are", () => {
  const steps = new Steps<string>();
  const first = steps.entry;
  const tagged = edit("tagged");
  steps.changed("a", "b");
  steps.edited(tagged);
  assert.equal(steps.travelled(first), "a");
  assert.ok(steps.isDone(tagged));
  assert.equal(steps.last, tagged);
});

test("an edit taken back can be done again, in its place", () => {
  const steps = new Steps<string>();
  const tagged = edit("tagged");
  const renamed = edit("renamed");
  steps.edited(tagged);
  steps.edited(renamed);
  steps.tookBack(renamed);
  steps.tookBack(tagged);
  assert.deepEqual([steps.last, steps.next], [undefined, tagged]);
  steps.didAgain(tagged);
  assert.deepEqual([steps.last, steps.next], [tagged, renamed]);
});

test("an entry of before the page was loaded is no step of this page", () => {
  const steps = new Steps<string>();
  steps.changed("a", "b");
  assert.equal(steps.travelled(7), null);
  assert.deepEqual(steps.counts, { undo: 1, redo: 0 });
});

test("tasks run one at a time, in the order asked for, also after one that failed", async () => {
  const said: string[] = [];
  const task = (name: string, turns: number) =>
    inTurn(async () => {
      said.push(`${name} begins`);
      for (let i = 0; i < turns; i++) await Promise.resolve();
      said.push(`${name} ends`);
      if (name === "two") throw new Error("refused");
      return name;
    });
  const all = await Promise.allSettled([task("one", 9), task("two", 3), task("three", 0)]);
  assert.deepEqual(
    all.map((r) => r.status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(
    said,
    ["one", "two", "three"].flatMap((n) => [`${n} begins`, `${n} ends`]),
  );
});
