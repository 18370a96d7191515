// Rows and columns of the table page: sorting, grouping, which columns to show first.
import type { Cell, Column } from "../api/types";
import { tierOf } from "../lib/interest";
import { columnValues } from "../state/columns";
import { type Run } from "../state/runs";
import { intoGroups, rowName, type Group } from "../state/groups";
import type { View } from "../state/view";

export type Row =
  { kind: "run"; run: Run } | { kind: "group"; group: Group; runs: Run[]; open: boolean };

/**
 * The most interesting metrics of the visible runs (`ranked`), then what differs between the runs.
 * Where there is room for one or two columns (`narrow`) these are metrics.
 */
export function defaultColumns(
  all: Column[],
  total: number,
  ranked: readonly string[],
  hasGoal: (key: string) => boolean,
  narrow = false,
): string[] {
  const differs = (c: Column) => c.distinct > 1 || c.present < total;
  const known = new Set(all.map((c) => c.id));
  const metrics = ranked
    .filter((key) => known.has("metric:" + key) && (hasGoal(key) || tierOf(key) < 2))
    .slice(0, 5)
    .map((key) => "metric:" + key);
  const config = all.filter((c) => c.id.startsWith("config:") && differs(c));
  const summary = all.filter((c) => c.id.startsWith("summary:"));
  return [
    ...(narrow ? metrics : []),
    "state",
    "tags",
    ...(narrow ? [] : metrics),
    ...summary.slice(0, 2).map((c) => c.id),
    ...config.slice(0, 16).map((c) => c.id),
    "start_ms",
    "duration_ms",
  ];
}

/** Columns that stay where they are: those that came since stand at the end. */
export function inOldOrder(columns: string[], old: readonly string[]): string[] {
  const there = new Set(columns);
  const before = new Set(old);
  return [...old.filter((id) => there.has(id)), ...columns.filter((id) => !before.has(id))];
}

export function cellOf(run: Run, id: string): Cell {
  switch (id) {
    case "name":
    case "state":
    case "group":
    case "job_type":
    case "notes":
    case "source":
      return run[id];
    case "tags":
      return run.tags.join(", ");
    case "start_ms":
    case "end_ms":
    case "attempts":
    case "world_size":
      return run[id];
    case "duration_ms":
      return run.end_ms - run.start_ms;
    default:
      return columnValues(id)?.get(run.id) ?? null;
  }
}

function compare(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

export function rowsOf(runs: Run[], v: Pick<View, "sort" | "closed">): Row[] {
  const sorted = runs.slice();
  for (const { column, descending } of v.sort.slice().reverse()) {
    const cells = new Map(sorted.map((r) => [r, cellOf(r, column)]));
    const absent = (c: Cell) => (c === null || c === "NaN" || c === "" ? 1 : 0);
    sorted.sort((p, q) => {
      const a = cells.get(p)!;
      const b = cells.get(q)!;
      return absent(a) - absent(b) || compare(a, b) * (descending ? -1 : 1);
    });
  }
  const groups = intoGroups(sorted);
  if (!groups) return sorted.map((run) => ({ kind: "run", run }));
  return groups.flatMap(({ group, runs: members }): Row[] => {
    const open = !v.closed.includes(rowName(group));
    return [
      { kind: "group", group, runs: members, open },
      ...(open ? members.map((run): Row => ({ kind: "run", run })) : []),
    ];
  });
}
