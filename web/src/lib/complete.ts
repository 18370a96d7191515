// What the word under the cursor of a filter may become.

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
const quoted = (name: string) => (plainName.test(name) ? name : JSON.stringify(name));
const asValue = (value: string) =>
  /^[\w.+-]+$/.test(value) && !/^(and|or|not)$/i.test(value) ? value : JSON.stringify(value);

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
