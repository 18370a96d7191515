// Completions of the filter, and names found by parts of words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { comparison, completions, narrowed } from "../src/lib/complete";
import { partsScore, withoutCommon } from "../src/lib/names";

const names = [
  { name: "name", column: "name", count: 9 },
  { name: "tag", column: "tag", count: 9 },
  { name: "lr", column: "config:lr", count: 9 },
  { name: "model", column: "config:model", count: 7 },
  { name: "val/loss", column: "metric:val/loss", count: 5 },
  { name: "train loss", column: "metric:train loss", count: 6 },
];
const values = (column: string) =>
  column === "config:model"
    ? new Map([
        ["vit-b", 4],
        ["resnet 50", 3],
      ])
    : null;
const of = (text: string, cursor = text.length) => completions(text, cursor, names, values);

test("finding M03: names come by their beginning first, then by how many runs have them", () => {
  assert.deepEqual(
    of("lr<1 and l").map((c) => [c.label, c.count]),
    [
      ["lr", 9],
      ["model", 7],
      ["train loss", 6],
      ["val/loss", 5],
    ],
  );
  const [loss] = of("val");
  assert.deepEqual([loss.text, loss.cursor], ["val/loss", 8]);
  assert.equal(of("train")[0].text, '"train loss"');
  assert.equal(of("ta")[0].text, "tag:");
  assert.deepEqual(of("lr < "), []);
});

test("finding M03: values come with counts, and are quoted where they need it", () => {
  assert.deepEqual(
    of("model = ").map((c) => [c.label, c.count, c.text]),
    [
      ["vit-b", 4, "model = vit-b"],
      ["resnet 50", 3, 'model = "resnet 50"'],
    ],
  );
  assert.equal(of("model=res")[0].text, 'model="resnet 50"');
  assert.equal(of("model=re and lr<1", 8)[0].text, 'model="resnet 50" and lr<1');
  assert.deepEqual(of("nothing = "), []);
});

test("finding M03: a value that is pointed at is written as a filter reads it", () => {
  assert.equal(comparison("config:lr", 3e-4), "lr=0.0003");
  assert.equal(comparison("config:lr", 1e-7), "lr=1e-7");
  assert.equal(comparison("config:augment", true), "augment=true");
  assert.equal(comparison("config:model", "resnet 50"), 'model="resnet 50"');
  assert.equal(comparison("config:model", 'a "b" \\ c'), 'model="a \\"b\\" \\\\ c"');
  assert.equal(comparison("config:my key", "or"), '"my key"="or"');
  assert.equal(comparison("config:name", "x"), "config:name=x");
  assert.equal(comparison("state", "finished"), "state=finished");
  assert.equal(comparison("tag", "good"), "tag:good");
  assert.equal(comparison("config:seed", 2 ** 60), null);
  assert.equal(comparison("config:model", null), null);
  assert.equal(comparison("metric:val/loss", 0.1), null);
});

test("finding M03: a second value narrows what is there, and none stands twice", () => {
  assert.equal(narrowed(" ", "lr=1"), "lr=1");
  assert.equal(narrowed("lr=1", "tag:good"), "lr=1 and tag:good");
  assert.equal(narrowed("lr=1 and tag:good", "lr=1"), "lr=1 and tag:good");
  assert.equal(narrowed("lr=1 or lr=2", "tag:good"), "(lr=1 or lr=2) and tag:good");
  assert.equal(
    narrowed("lr=1 or lr=2 and tag:good", "tag:good"),
    "(lr=1 or lr=2 and tag:good) and tag:good",
  );
  assert.equal(narrowed("(lr=1 or lr=2) and tag:good", "tag:good"), "(lr=1 or lr=2) and tag:good");
  assert.equal(narrowed('model="this or that"', "a=b"), 'model="this or that" and a=b');
});

test("finding M11: every word begins a part of the name", () => {
  assert.ok(partsScore("val/accuracy", "val acc"));
  assert.ok(partsScore("Metric val/accuracy", "acc val"));
  assert.ok(!partsScore("val/loss", "val acc"));
});

test("names beside each other lose what they share, but never become bare numbers", () => {
  assert.deepEqual(withoutCommon(["train/loss", "val/loss"]), ["train", "val"]);
  assert.deepEqual(withoutCommon(["system/gpu/0/watts", "system/gpu/1/watts"]), ["gpu/0", "gpu/1"]);
  assert.deepEqual(withoutCommon(["0/loss", "1/loss"]), ["0", "1"]);
});
