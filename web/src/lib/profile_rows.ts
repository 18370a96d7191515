// Rows of two tables of functions that belong together.
import type { FunctionRow } from "../api/types";

export interface ChangedFunction {
  name: string;
  before: FunctionRow | null;
  after: FunctionRow | null;
}

/** With a sign that there is more of it. */
export const shownName = (r: { name: string; cut?: string }) => (r.cut ? r.name + "…" : r.name);

/** Lines move when a file is edited: a function is its name and its file. */
export function changedFunctions(before: FunctionRow[], after: FunctionRow[]): ChangedFunction[] {
  const rows = new Map<string, ChangedFunction>();
  const add = (list: FunctionRow[], side: "before" | "after") => {
    for (const r of list) {
      const key = JSON.stringify([r.name, r.cut, r.file]);
      const row = rows.get(key) ?? { name: shownName(r), before: null, after: null };
      const old = row[side];
      row[side] = old
        ? { ...r, calls: r.calls + old.calls, self: r.self + old.self, total: r.total + old.total }
        : r;
      rows.set(key, row);
    }
  };
  add(before, "before");
  add(after, "after");
  return [...rows.values()];
}
