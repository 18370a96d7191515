// What was said of metrics and of answers, in the words and orders of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyInfo } from "../src/api/types";
import { betterOf, firstDescending, keyOfColumn } from "../src/lib/goals";
import {
  pinOf,
  sectionsOf,
  suggested,
  withoutMoves,
  withoutRuns,
} from "../src/pages/charts_sections";
import type { CardSpec } from "../src/state/ask";
import { defaults } from "../src/state/view_address";
import { partialWords } from "../src/viz/export_words";

const key = (name: string, more: Partial<KeyInfo> = {}): KeyInfo => ({
  key: name,
  kind: "scalar",
  runs: 1,
  points: 1,
  first_step: 0,
  last_step: 0,
  ...more,
});

test("a declared goal goes before what a name suggests", () => {
  const keys = [
    key("loss", { goal: "maximize" }),
    key("speed", { goal: "minimize" }),
    key("val/loss"),
  ];
  assert.deepEqual(
    [
      "metric:loss",
      "metric.min:speed",
      "metric:val/loss",
      "metric:acc",
      "metric:x",
      "config:loss",
      "summary:best",
    ].map((id) => betterOf(id, keys)),
    [1, -1, -1, 1, 0, 0, 1],
  );
  assert.deepEqual(
    ["metric:loss", "metric:speed", "config:loss"].map((id) => firstDescending(id, keys)),
    [true, false, false],
  );
  assert.deepEqual(["metric:a:b", "metric.max:a", "config:a"].map(keyOfColumn), ["a:b", "a", null]);
});

test("hidden metrics have no card, not even a suggested one", () => {
  const keys = [
    key("train/loss"),
    key("val/loss", { hidden: true }),
    key("debug", { hidden: true }),
    key("picture", { kind: "image", hidden: true }),
  ];
  assert.deepEqual(
    suggested(keys).map((card) => card.keys),
    [["train/loss"]],
  );
  const shown = sectionsOf(keys, defaults).flatMap((section) =>
    section.cards.flatMap((card) => card.keys),
  );
  assert.deepEqual([...new Set(shown)], ["train/loss"]);
});

test("sections by prefix, the search narrows them, dragged cards come first", () => {
  const keys = ["b/two", "a/one", "a/two", "plain", "system/cpu"].map((name) => key(name));
  const titles = (more: object) =>
    sectionsOf(keys, { ...defaults, ...more }).map((s) => [
      s.title,
      s.cards.map((c) => c.id),
      s.open,
    ]);
  assert.deepEqual(titles({}), [
    ["metrics", ["plain"], true],
    ["a/", ["a/one", "a/two"], true],
    ["b/", ["b/two"], true],
    ["system/", ["system/cpu"], false],
  ]);
  assert.deepEqual(titles({ search: "two$" }), [
    ["a/", ["a/two"], true],
    ["b/", ["b/two"], true],
  ]);
  assert.deepEqual(titles({ order: ["a/two", "a/one"], search: "^a" }), [
    ["a/", ["a/two", "a/one"], true],
  ]);
});

test("train and validation of one name share a card, losses first", () => {
  const keys = ["train/acc", "val/acc", "val/loss", "train/loss", "lr"].map((name) => key(name));
  assert.deepEqual(
    suggested(keys).map((card) => [card.title, card.keys]),
    [
      ["loss", ["train/loss", "val/loss"]],
      ["acc", ["train/acc", "val/acc"]],
    ],
  );
});

test("finding D05: what more of the visible runs have comes first, what none has not at all", () => {
  const keys = ["vae/loss", "kl/loss", "recon/loss", "elbo/loss", "val/acc", "x"].map((name) =>
    key(name),
  );
  const share = (name: string) => (name.endsWith("loss") ? 0.04 : 1);
  const facts = { share, single: () => false };
  assert.equal(suggested(keys, facts)[0].title, "val/acc");
  const none = { share: (name: string) => (name === "val/acc" ? 1 : 0), single: () => false };
  assert.deepEqual(
    sectionsOf(keys, defaults, none).flatMap((s) => s.cards.map((c) => c.id)),
    ["auto:acc", "val/acc"],
  );
  assert.equal(withoutRuns(keys, none).length, 5);
  const goal = [...keys, key("speed", { goal: "maximize" })];
  assert.equal(suggested(goal, facts)[0].title, "speed");
});

test("finding D06: what comes later stands at the end, and nothing else moves", () => {
  const kept = new Map<string, CardSpec[]>();
  const ids = (names: string[]) =>
    withoutMoves(
      sectionsOf(
        names.map((name) => key(name)),
        defaults,
      ),
      kept,
    ).map((s) => [s.title, s.cards.map((c) => c.id)]);
  const first = ids(["b/loss", "b/two"]);
  assert.deepEqual(ids(["a/loss", "b/aaa", "b/loss", "b/two"]), [
    ...first,
    ["new", ["a/loss", "b/aaa"]],
  ]);
});

test("finding D10: a pinned card is the card, and the overview stays", () => {
  const keys = ["train/loss", "val/loss", "val/acc"].map((name) => key(name));
  const pinned = { ...defaults, pinnedMetrics: [pinOf(["train/loss", "val/loss"])] };
  assert.deepEqual(
    sectionsOf(keys, pinned)
      .slice(0, 2)
      .map((s) => [s.title, s.cards.map((c) => [c.title, c.keys])]),
    [
      ["pinned", [["loss", ["train/loss", "val/loss"]]]],
      ["overview", [["val/acc", ["val/acc"]]]],
    ],
  );
});

test("a file that lacks something names the runs and the reasons, three of them", () => {
  const partial = ["a", "b", "c", "d", "e"].map((run) => ({
    run,
    file: `${run}.tlog`,
    reason: "checksum",
  }));
  const nameOf = (run: string) => run.toUpperCase();
  assert.equal(
    partialWords({ name: "loss.csv", partial: partial.slice(0, 1) }, nameOf),
    "loss.csv is not complete: one run is damaged, and the file holds only what can be read of it. A (a.tlog: checksum)",
  );
  const many = partialWords({ name: "loss.csv", partial }, nameOf);
  assert.match(many, /5 runs are damaged, .* of them\. A .*, B .*, C .*, 2 more$/);
});
