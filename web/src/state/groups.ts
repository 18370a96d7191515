// Groups of runs: one map from group to label and place for the whole project, whatever is visible,
// so that a group has one colour on every card and page.
import { computed } from "@preact/signals";
import type { Cell } from "../api/types";
import { pieceMatcher } from "../lib/pattern";
import { formatSetting } from "../viz/format";
import { columnValues, everyRun } from "./columns";
import { view } from "./view";

export interface Group {
  label: string;
  values: Cell[]; // one for each column
  place: number; // in the order in which the groups' first runs were created
}

const patternMark = "name~";
export const isPattern = (by: string) => by.startsWith(patternMark);
export const patternOf = (by: string) => by.slice(patternMark.length);
export const byPattern = (text: string) => patternMark + text;

/** What a column is called where people choose it. */
export const columnTitle = (id: string) =>
  isPattern(id)
    ? `name ~ ${patternOf(id)}`
    : id === "*"
      ? "all runs"
      : id === "job_type"
        ? "job type"
        : id.replace(/^(config|summary|metric):/, "");

/** What a run without a value is called. */
export const noValue = "–";

const words = (cell: Cell) =>
  cell === null || cell === ""
    ? noValue
    : typeof cell === "number"
      ? formatSetting(cell)
      : String(cell);

/**
 * Label of every run of the project under these columns, and the labels in the order of creation of
 * their first run. Null until the columns are there.
 */
function labelled(by: readonly string[]): { of: Map<string, Group>; labels: string[] } | null {
  const parts: ((run: string) => Cell)[] = [];
  for (const id of by) {
    if (id === "*") continue;
    const values = columnValues(isPattern(id) ? "name" : id);
    if (!values) return null;
    const piece = isPattern(id) ? pieceMatcher(patternOf(id)) : null;
    parts.push((run) => {
      const cell = values.get(run) ?? null;
      return piece ? (piece(String(cell ?? "")) ?? "other") : cell;
    });
  }
  const of = new Map<string, Group>();
  const known = new Map<string, Group>();
  for (const run of everyRun.value) {
    const values = parts.map((part) => part(run));
    const label = values.map(words).join(" · ") || "all runs";
    if (!known.has(label)) known.set(label, { label, values, place: known.size });
    of.set(run, known.get(label)!);
  }
  return { of, labels: [...known.keys()] };
}

const groupBy = computed(() => JSON.stringify(view.value.groupBy));
const grouped = computed(() => {
  const by = JSON.parse(groupBy.value) as string[];
  if (!by.length) return null;
  if (by[0] === "*") columnValues("name"); // brings the list of all runs
  return labelled(by);
});

/** Whether a person grouped the runs. */
export const isGrouped = computed(() => groupBy.value !== "[]");

/** The group of a run; null where there are no groups, or none yet. */
export const groupOf = computed<(run: string) => Group | null>(() => {
  const map = grouped.value?.of;
  return (run) => map?.get(run) ?? null;
});

function before(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const absent = (c: Cell) => Number(c === null || c === "");
  return absent(a) - absent(b) || String(a).localeCompare(String(b), undefined, { numeric: true });
}

/** These runs by group, groups in the order of their values; null where there are none. */
export function intoGroups<T extends { id: string }>(
  runs: readonly T[],
): { group: Group; runs: T[] }[] | null {
  if (!isGrouped.value) return null;
  const of = groupOf.value;
  const found = new Map<Group, T[]>();
  for (const run of runs) {
    const group = of(run.id);
    if (!group) return null;
    if (!found.has(group)) found.set(group, []);
    found.get(group)!.push(run);
  }
  return [...found]
    .map(([group, members]) => ({ group, runs: members }))
    .sort((a, b) => {
      for (let i = 0; i < a.group.values.length; i++) {
        const order = before(a.group.values[i], b.group.values[i]);
        if (order) return order;
      }
      return 0;
    });
}

/** How a closed group is remembered, on every page that lists it. */
export const rowName = (group: Group) => "row:" + group.label;

/** How the cursor names a group, beside the ids of runs. */
export const groupName = (label: string) => `group ${label}`;

/** What a chart draws of a run: the run itself, or its group. */
export const drawnAs = (run: string): string => {
  const group = groupOf.value(run);
  return group ? groupName(group.label) : run;
};

const colorBy = computed(() => view.value.colorBy);
/** The same for the column that runs are coloured by. */
export const colorWords = computed(() => (colorBy.value ? labelled([colorBy.value]) : null));
