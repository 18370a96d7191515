// A reporter of node's tests: a failed one is named with its last lines the moment it failed.
const LINES = 15;

export default async function* (source) {
  for await (const { type, data } of source) {
    if (type !== "test:fail") continue;
    const error = data.details?.error;
    if (error?.failureType === "subtestsFailed") continue; // what failed inside has been told
    const said = String(error?.cause?.stack ?? error?.cause?.message ?? error?.message ?? "").split("\n");
    yield [`FAILED ${data.name}`, ...said.slice(0, LINES).map((line) => `    ${line.slice(0, 200)}`), ""].join("\n");
  }
}
