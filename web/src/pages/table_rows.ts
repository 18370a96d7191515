// Rows and columns of the table page: sorting, grouping, which columns to show first.
import type { Cell, Column } from "../api/types";
import { columnValues, type Run } from "../state/runs";
import type { View } from "../state/view";

export type Row =
  { kind: "run"; run: Run } | { kind: "group"; label: string; runs: Run[]; open: boolean };

const interest = (name: string) =>
  /loss|error|perplexity/i.test(name) ? 0 : /acc|f1|auc|reward|score/i.test(name) ? 1 : 2;

/** Metrics with a goal of their own, interesting ones, then what differs between the runs. */
export function defaultColumns(
  all: Column[],
  total: number,
  hasGoal: (id: string) => boolean,
): string[] {
  const rank = (id: string) => (hasGoal(id) ? -1 : interest(id));
  const differs = (c: Column) => c.distinct > 1 || c.present < total;
  const metrics = all
    .filter((c) => c.id.startsWith("metric:") && !c.id.startsWith("metric:system/"))
    .sort(
      (a, b) =>
        rank(a.id) - rank(b.id) || Number(b.id.includes("val")) - Number(a.id.includes("val")),
    );
  const config = all.filter((c) => c.id.startsWith("config:") && differs(c));
  const summary = all.filter((c) => c.id.startsWith("summary:"));
  return [
    "state",
    "tags",
    ...metrics
      .filter((c) => rank(c.id) < 2)
      .slice(0, 4)
      .map((c) => c.id),
    ...summary.slice(0, 2).map((c) => c.id),
    ...config.slice(0, 16).map((c) => c.id),
    "start_ms",
    "duration_ms",
  ];
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

export function numberOf(cell: Cell): number {
  if (typeof cell === "number") return cell;
  if (cell === "NaN") return NaN;
  if (cell === "Infinity") return Infinity;
  if (cell === "-Infinity") return -Infinity;
  return NaN;
}

function compare(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

export function rowsOf(runs: Run[], v: Pick<View, "sort" | "tableGroup" | "closed">): Row[] {
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
  if (!v.tableGroup) return sorted.map((run) => ({ kind: "run", run }));
  const groups = new Map<string, Run[]>();
  for (const run of sorted) {
    const label = String(cellOf(run, v.tableGroup) ?? "–");
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label)!.push(run);
  }
  const rows: Row[] = [];
  for (const [label, members] of groups) {
    const open = !v.closed.includes("row:" + label);
    rows.push({ kind: "group", label, runs: members, open });
    if (open) for (const run of members) rows.push({ kind: "run", run });
  }
  return rows;
}

export function meanAndDeviation(values: number[]): { mean: number; std: number; n: number } {
  const finite = values.filter(Number.isFinite);
  const n = finite.length;
  const mean = finite.reduce((a, b) => a + b, 0) / n;
  const std = n > 1 ? Math.sqrt(finite.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1)) : 0;
  return { mean, std, n };
}
