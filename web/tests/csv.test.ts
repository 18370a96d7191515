import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "../src/lib/csv";

test("cells of a saved table read back as they were, and none is a formula", () => {
  const rows = [
    ["run", "lr, final", 'say "hi"'],
    ["two\nlines", " padded", 1e-7],
    ["=1+1", "-x", "-1.5"],
    ["@sum(a,b)", "", NaN],
  ];
  assert.equal(
    csvOf(rows),
    'run,"lr, final","say ""hi"""\n' +
      '"two\nlines"," padded",1e-7\n' +
      "'=1+1,'-x,-1.5\n" +
      '"\'@sum(a,b)",,NaN\n',
  );
});
