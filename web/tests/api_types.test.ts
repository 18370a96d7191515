// The page's types of the API are those of docs/api/schema.json.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { typesOf } from "../tools/api_types.mjs";

const schema = JSON.parse(readFileSync("../docs/api/schema.json", "utf8"));
const types = readFileSync("src/api/types.ts", "utf8");

test("src/api/types.ts is what the schema says", () => {
  assert.equal(types, typesOf(schema), "run node tools/generate_types.mjs");
});

test("a member that the schema gains, loses or changes is missed", () => {
  const changes: ((run: { properties: Record<string, object>; required: string[] }) => void)[] = [
    (key) => (key.properties.added = { type: "string" }),
    (key) => delete key.properties.hidden,
    (key) => (key.properties.points = { type: "string" }),
    (key) => (key.required = key.required.slice(1)),
  ];
  for (const change of changes) {
    const other = structuredClone(schema);
    change(other.components.schemas.KeyInfo);
    assert.notEqual(types, typesOf(other));
  }
});
