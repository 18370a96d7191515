// The searches' own patterns, beside the engine of the language where both know a pattern.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pattern, textMatcher } from "../src/lib/pattern";

/** Pieces that both engines know, joined at random. */
function* patterns(count: number): Generator<string> {
  let seed = 17;
  const random = (n: number) => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) % n;
  const atoms = [
    "a",
    "b",
    "l",
    "/",
    ".",
    "[ab]",
    "[^a/]",
    "\\d",
    "\\w",
    "(a|b)",
    "(l|o)s",
    "(?:ab)",
  ];
  const repeats = ["", "", "", "*", "+", "?", "{2}", "{1,2}"];
  for (let i = 0; i < count; i++) {
    const parts = Array.from(
      { length: 1 + random(4) },
      () => atoms[random(atoms.length)] + repeats[random(repeats.length)],
    );
    const body = parts.join(random(4) === 0 ? "|" : "");
    yield (random(4) === 0 ? "^" : "") + body + (random(4) === 0 ? "$" : "");
  }
}

const texts = [
  "",
  "a",
  "b",
  "ab",
  "aab",
  "abab",
  "a/b",
  "loss",
  "train/loss",
  "val/los1",
  "b2b",
  "//",
];

test("patterns match what the language's own engine matches", () => {
  for (const source of patterns(3000)) {
    const mine = pattern(source);
    const reference = new RegExp(source, "i");
    for (const text of texts)
      assert.equal(mine(text), reference.test(text), `${source} on ${JSON.stringify(text)}`);
  }
});

test("a pattern with more ways to match than there is time answers", () => {
  const long = "a".repeat(5000) + "!";
  assert.equal(pattern("(a+)+$")(long), false);
  assert.equal(pattern("(a|aa)+!")(long), true);
});

test("what is no pattern is searched for as text, and nothing matches everything", () => {
  assert.throws(() => pattern("(a"));
  assert.deepEqual(["x(ay", "xay"].map(textMatcher("(A")), [true, false]);
  assert.ok(textMatcher("")("anything"));
  assert.deepEqual(["Train/Loss", "acc"].map(textMatcher("loss|f1")), [true, false]);
});
