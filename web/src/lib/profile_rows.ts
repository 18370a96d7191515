// What stands in lists and drawings of profiles: names, rows that belong together, curves.
import type { FunctionRow } from "../api/types";

export interface ChangedFunction {
  name: string;
  before: FunctionRow | null;
  after: FunctionRow | null;
}

/** Of a file in a run, or the n-th that was opened: what it is called. */
export const shortName = (name: string) => name.replace(/^(profiles\/|\d+ )/, "");

/** "work (/home/me/train.py:12)" → "work (train.py:12)": what a box has room for. */
export const shortTitle = (title: string) => title.replace(/ \([^()]*\/([^()/]+\))$/, " ($1");

/** A value holds until the next one comes: the corners of that line. */
export function corners(xs: readonly number[], ys: readonly number[]): [number[], number[]] {
  const [x, y]: [number[], number[]] = [[], []];
  xs.forEach((at, i) => {
    if (i > 0 && ys[i] !== ys[i - 1]) {
      x.push(at);
      y.push(ys[i - 1]);
    }
    x.push(at);
    y.push(ys[i]);
  });
  return [x, y];
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
