// Writes web/src/api/types.ts from docs/api/schema.json, the one description of the HTTP API. A
// test fails when the file differs from what this would write.
import { readFileSync, writeFileSync } from "node:fs";
import { typesOf } from "./api_types.mjs";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const schema = JSON.parse(read("../../docs/api/schema.json"));
writeFileSync(new URL("../src/api/types.ts", import.meta.url), typesOf(schema));
