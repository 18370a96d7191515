// The colour each run wears on every page: the one a person chose, else its group's, else that of
// the column that colours stand for, else its own by the order of creation.
import { computed } from "@preact/signals";
import { greyAmong, rampColor, slotColor, themed, themes } from "../viz/palette";
import { columnValues } from "./columns";
import { colorWords, groupOf, isGrouped } from "./groups";
import { runById, visibleIds } from "./runs";
import { theme } from "./settings";
import { view } from "./view";

/** What the colours stand for when they do not stand for runs. */
export type ColorLegend =
  | { kind: "ramp"; from: number; to: number; log: boolean }
  | { kind: "words"; words: { label: string; color: string }[] };

/** More different numbers than this are a ramp: hardly anybody reads a legend of more. */
const wordLimit = 8;

const coloring = computed<{ of: (run: string) => string; legend: ColorLegend } | null>(() => {
  const id = view.value.colorBy;
  if (!id) return null;
  const values = columnValues(id);
  const named = colorWords.value;
  if (!values || !named) return null;
  const current = theme.value;
  const grey = themes[current].muted;
  // Over all runs of the project: a filter moves no colour.
  const numbers = [...values.values()].filter((v): v is number => typeof v === "number");
  if (numbers.length && new Set(numbers).size > wordLimit) {
    const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
    const log = from > 0 && to / from >= 10;
    const f = (v: number) => (log ? Math.log(v) : v);
    const [low, span] = [f(from), f(to) - f(from) || 1];
    return {
      of: (run) => {
        const v = values.get(run);
        return typeof v === "number" ? rampColor((f(v) - low) / span) : grey;
      },
      legend: { kind: "ramp", from, to, log },
    };
  }
  const colorOf = (label: string, place: number) =>
    label === "–" ? grey : slotColor(current, place);
  return {
    of: (run) => {
      const word = named.of.get(run);
      return word ? colorOf(word.label, word.place) : grey;
    },
    legend: {
      kind: "words",
      words: named.labels.map((label, place) => ({ label, color: colorOf(label, place) })),
    },
  };
});

export const colorLegend = computed(() => coloring.value?.legend ?? null);

/** Places of visible groups whose colour an older visible group wears. */
const greyPlaces = computed<ReadonlySet<number>>(() => {
  if (!isGrouped.value) return new Set();
  const of = groupOf.value;
  const places = [...new Set(visibleIds.value.flatMap((id) => of(id)?.place ?? []))];
  return new Set([...greyAmong(places)].map((at) => places[at]));
});

/** The colour of a group by its place; grey where that is an older visible group's. */
export const groupColor = computed(() => {
  const current = theme.value;
  const grey = greyPlaces.value;
  return (place: number) => (grey.has(place) ? themes[current].muted : slotColor(current, place));
});

export interface RunStyle {
  color: string; // its own
  drawn: string; // among the visible runs: grey where an older one wears the same
}

/**
 * Runs whose colour an older one of these wears. A colour is a run's own or it is grey, never
 * another's: who else is there may bring it back, and moves none.
 */
export function greyOf(ids: readonly string[]): ReadonlySet<string> {
  if (view.value.colorBy || isGrouped.value) return new Set();
  const byId = runById.value;
  const grey = greyAmong(
    ids.map((id) => {
      const run = byId.get(id);
      return run && !run.color ? run.slot : null;
    }),
  );
  return new Set([...grey].map((at) => ids[at]));
}

const greyRuns = computed(() => greyOf(visibleIds.value));

export const greyCount = computed(() => greyRuns.value.size);
export const greyGroups = computed(() => greyPlaces.value.size);

export const runStyle = computed<(id: string) => RunStyle>(() => {
  const current = theme.value;
  const byColumn = coloring.value;
  const group = groupOf.value;
  const ofGroup = groupColor.value;
  const byId = runById.value;
  const grey = greyRuns.value;
  const colorOf = (id: string) => {
    const run = byId.get(id);
    if (run?.color) return themed(current, run.color);
    const own = group(id);
    if (own) return ofGroup(own.place);
    return byColumn?.of(id) ?? slotColor(current, run?.slot ?? 0);
  };
  return (id) => {
    const color = colorOf(id);
    return { color, drawn: grey.has(id) ? themes[current].muted : color };
  };
});

/** The same for chosen runs that stand beside each other, whoever else is visible. */
export function styleAmong(ids: readonly string[]): (id: string) => RunStyle {
  const grey = greyOf(ids);
  const { muted } = themes[theme.value];
  return (id) => {
    const { color } = runStyle.value(id);
    return { color, drawn: grey.has(id) ? muted : color };
  };
}

/** The same text as long as every visible run looks the same: charts need no new picture then. */
export const styleKey = computed(() => {
  const style = runStyle.value;
  return visibleIds.value.map((id) => style(id).drawn).join("") + theme.value;
});
