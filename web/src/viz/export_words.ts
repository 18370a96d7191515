// What a saved file lacks, in plain words.
import type { ExportTicket } from "../api/types";

const named = 3;

/** Which runs the file has only in part, and why. */
export function partialWords(
  { name, partial = [] }: Pick<ExportTicket, "name" | "partial">,
  nameOf: (run: string) => string,
): string {
  const reasons = partial
    .slice(0, named)
    .map(({ run, file, reason }) => `${nameOf(run)} (${file}: ${reason})`);
  if (partial.length > named) reasons.push(`${partial.length - named} more`);
  const who = partial.length === 1 ? "one run is" : `${partial.length} runs are`;
  return `${name} is not complete: ${who} damaged, and the file holds only what can be read of ${partial.length === 1 ? "it" : "them"}. ${reasons.join(", ")}`;
}
