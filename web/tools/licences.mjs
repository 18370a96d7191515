// The text of licences.txt: every package whose code is inside the bundle, with its licence.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function licences(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) names.add(match[1]);
  }
  const parts = ["Packages inside the Taffrail dashboard and their licences.\n"];
  for (const name of [...names].sort()) {
    const folder = join("node_modules", name);
    const info = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
    const text =
      file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : "";
    parts.push(`\n==== ${name} ${info.version} (${info.license})\n\n${text.trim()}\n`);
  }
  return parts.join("");
}
