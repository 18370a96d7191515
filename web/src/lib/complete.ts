// The words of a filter: what the one under the cursor may become, and how a value that somebody
// points at is written.
import type { Cell } from "../api/types";

export interface Completion {
  label: string;
  count: number; // runs that have it
  text: string; // the filter with it
  cursor: number;
}

interface Name {
  name: string;
  column: string;
  count: number;
}

const limit = 8;
const plainName = /^[\w/.-]+$/;
const isWord = (text: string) => /^(and|or|not)$/i.test(text);
/** In quotes, where a filter knows no other escapes than these. */
const inQuotes = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
const quoted = (name: string) => (plainName.test(name) && !isWord(name) ? name : inQuotes(name));
const asValue = (value: string) =>
  /^[\w.+-]+$/.test(value) && !isWord(value) ? value : inQuotes(value);

/** What a filter calls something else than a setting. */
const fields =
  /^(name|project|group|job_type|state|notes?|id|source|tags?|archived|started|ended|duration)$/;

/** The comparison that holds for runs with this value in a column; null where there is none. */
export function comparison(column: string, value: Cell): string | null {
  if (value === null || value === "") return null;
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    return null; // not the number that was logged
  if (column === "tag") return `tag:${asValue(String(value))}`;
  const key = /^config:(.+)$/s.exec(column)?.[1];
  if (key === undefined && !/^(state|group|job_type)$/.test(column)) return null;
  const name = key === undefined ? column : fields.test(key) ? `config:${key}` : quoted(key);
  return `${name}=${asValue(String(value))}`;
}

/** A filter that wants this, too. */
export function narrowed(filter: string, term: string): string {
  const before = filter.trim();
  if (!before || before === term) return term;
  // Quoted texts hold words that are none of the filter's.
  const bare = before.replace(/"(\\.|[^"\\])*"/gs, "");
  if (/\bor\b/i.test(bare)) {
    // `a or b and c` wants c of some runs only; a second click on a cell finds its own words.
    return before.endsWith(`) and ${term}`) ? before : `(${before}) and ${term}`;
  }
  return before.split(" and ").includes(term) ? before : `${before} and ${term}`;
}

/** Beginnings before middles, then what more runs have. */
function ranked<T extends { label: string; count: number }>(list: T[], part: string): T[] {
  const wanted = part.toLowerCase();
  const place = (c: T) => c.label.toLowerCase().indexOf(wanted);
  return list
    .filter((c) => place(c) >= 0 && c.label.toLowerCase() !== wanted)
    .sort(
      (a, b) =>
        Math.min(1, place(a)) - Math.min(1, place(b)) ||
        b.count - a.count ||
        (a.label < b.label ? -1 : 1),
    )
    .slice(0, limit);
}

/** `valuesOf`: values of a column and how many runs have each; null while they are unknown. */
export function completions(
  text: string,
  cursor: number,
  names: readonly Name[],
  valuesOf: (column: string) => Map<string, number> | null,
): Completion[] {
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  const value = /([\w/.-]+)\s*(==?|!=|:)\s*"?([^\s"()]*)$/.exec(before);
  const found = value && names.find((n) => n.name === value[1]);
  const put = (begin: number, word: string) => {
    const next = before.slice(0, begin) + word;
    return { text: next + after, cursor: next.length };
  };
  if (value && found) {
    const begin = cursor - value[3].length - (before.endsWith('"' + value[3]) ? 1 : 0);
    return ranked(
      [...(valuesOf(found.column) ?? [])].map(([label, count]) => ({ label, count })),
      value[3],
    ).map((c) => ({ ...c, ...put(begin, asValue(c.label)) }));
  }
  const word = /[\w/.-]*$/.exec(before)![0];
  if (!word) return [];
  return ranked(
    names.map((n) => ({ label: n.name, count: n.count })),
    word,
  ).map((c) => ({
    ...c,
    ...put(cursor - word.length, quoted(c.label) + (c.label === "tag" ? ":" : "")),
  }));
}
