// Hyperparameters as numbers: categories coded, logarithms proposed, brushes applied.
import type { Cell } from "../api/types";
import { columnValues } from "../state/columns";
import { columns, type Run } from "../state/runs";
import type { Brush, ParallelAxis } from "../viz/parallel";
import { numberOf } from "../lib/cells";
import { formatNumber, formatSetting } from "../viz/format";

export const titleOf = (id: string) => id.replace(/^(config|summary|metric):/, "");

/** Spans orders of magnitude and never touches zero. */
export function wantsLog(values: number[]): boolean {
  const finite = values.filter(Number.isFinite);
  return (
    finite.length > 2 &&
    finite.every((v) => v > 0) &&
    Math.max(...finite) / Math.min(...finite) >= 10
  );
}

/** A run's value on an axis, in words. */
export const textOf = (a: ParallelAxis, run: number) =>
  !Number.isFinite(a.values[run])
    ? "missing"
    : a.names
      ? a.names[a.values[run]]
      : a.id.startsWith("config:")
        ? formatSetting(a.values[run])
        : formatNumber(a.values[run], 5);

export function axisOf(
  id: string,
  runs: Run[],
  logs: string[],
  inverted: string[],
): ParallelAxis | null {
  const held = columnValues(id);
  if (!held) return null;
  const cells: Cell[] = runs.map((r) => held.get(r.id) ?? null);
  const numbers = cells.map((c) => (typeof c === "boolean" ? NaN : numberOf(c)));
  const present = cells.filter((c) => c !== null);
  const numeric =
    present.length > 0 &&
    present.every((c) => typeof c === "number" || !Number.isNaN(numberOf(c)) || c === "NaN");
  if (!numeric) {
    const names = [...new Set(present.map(String))].sort((a, b) =>
      a.localeCompare(b, undefined, { numeric: true }),
    );
    return {
      id,
      title: titleOf(id),
      log: false,
      canLog: false,
      inverted: inverted.includes(id),
      names,
      values: Float64Array.from(cells, (c) => (c === null ? NaN : names.indexOf(String(c)))),
      from: -0.5,
      to: Math.max(0.5, names.length - 0.5),
    };
  }
  const finite = numbers.filter(Number.isFinite);
  let from = Math.min(...finite);
  let to = Math.max(...finite);
  const proposed = wantsLog(finite);
  const canLog = from > 0;
  const log = canLog && proposed !== logs.includes(id);
  if (from === to) {
    from -= Math.abs(from) * 0.1 || 0.5;
    to += Math.abs(to) * 0.1 || 0.5;
  }
  return {
    id,
    title: titleOf(id),
    log,
    canLog,
    inverted: inverted.includes(id),
    names: null,
    values: Float64Array.from(numbers),
    from,
    to,
  };
}

/** Config that differs between runs, most telling first; seeds and the like last. */
export function defaultAxes(total: number): string[] {
  return columns.value
    .filter(
      (c) =>
        c.id.startsWith("config:") &&
        c.distinct > 1 &&
        !/seed|path|dir|name$/i.test(c.id) &&
        c.present > total / 2,
    )
    .slice(0, 7)
    .map((c) => c.id);
}

export function passes(axes: ParallelAxis[], brushes: Record<string, Brush>, run: number): boolean {
  for (const axis of axes) {
    const brush = brushes[axis.id];
    if (!brush) continue;
    const v = axis.values[run];
    if (brush === "missing" ? Number.isFinite(v) : !(v >= brush[0] && v <= brush[1])) return false;
  }
  return true;
}

/** Without the item where it is in the list, with it behind the others where it is not. */
export const toggled = <T>(list: readonly T[], item: T): T[] =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
