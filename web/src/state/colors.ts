// The colour each run wears on every page: the one a person chose, else its group's, else that of
// the column that colours stand for, else its own by the order of creation.
import { computed } from "@preact/signals";
import { greyAmong, rampColor, slotColor, themed, themes } from "../viz/palette";
import { columnValues } from "./columns";
import { colorWords, groupOf, isGrouped, noValue } from "./groups";
import { runById, visibleIds } from "./runs";
import { theme } from "./settings";
import { view } from "./view";

/** What the colours stand for when they do not stand for runs. */
export type ColorLegend =
  | { kind: "ramp"; from: number; to: number; log: boolean }
  | { kind: "words"; words: { label: string; color: string }[] };

interface Coloring {
  of: (run: string) => string; // its own
  place: (run: string) => number | null; // of its word; null where no word may take a colour away
  ramp: Extract<ColorLegend, { kind: "ramp" }> | null;
  words: { label: string; place: number }[];
}

/** More different numbers than this are a ramp: hardly anybody reads a legend of more. */
const wordLimit = 8;

const coloring = computed<Coloring | null>(() => {
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
      place: () => null,
      ramp: { kind: "ramp", from, to, log },
      words: [],
    };
  }
  const placeOf = (run: string) => {
    const word = named.of.get(run);
    return word && word.label !== noValue ? word.place : null;
  };
  return {
    of: (run) => {
      const place = placeOf(run);
      return place === null ? grey : slotColor(current, place);
    },
    place: placeOf,
    ramp: null,
    words: named.labels.map((label, place) => ({ label, place })),
  };
});

/** Places whose colour an older one of them has. */
function greyPlacesAmong(places: Iterable<number | null | undefined>): ReadonlySet<number> {
  const apart = [...new Set(places)].filter((place) => place != null);
  return new Set([...greyAmong(apart)].map((at) => apart[at]));
}

/** Words of these runs that are grey: of runs with a chosen colour none is shown. */
function greyWordsAmong(ids: readonly string[]): ReadonlySet<number> {
  const by = isGrouped.value ? null : coloring.value;
  if (!by) return new Set();
  const byId = runById.value;
  return greyPlacesAmong(ids.map((id) => (byId.get(id)?.color ? null : by.place(id))));
}

const greyWordPlaces = computed(() => greyWordsAmong(visibleIds.value));

const byValue = (a: string, b: string) =>
  Number(a === noValue) - Number(b === noValue) ||
  Number(a) - Number(b) ||
  a.localeCompare(b, undefined, { numeric: true });

export const colorLegend = computed<ColorLegend | null>(() => {
  const by = coloring.value;
  if (!by) return null;
  if (by.ramp) return by.ramp;
  const current = theme.value;
  const isGrey = ({ label, place }: { label: string; place: number }) =>
    label === noValue || greyWordPlaces.value.has(place);
  // Those that have a colour first: what is grey is not told apart by a list.
  const words = [...by.words].sort(
    (a, b) => Number(isGrey(a)) - Number(isGrey(b)) || byValue(a.label, b.label),
  );
  return {
    kind: "words",
    words: words.map((word) => ({
      label: word.label,
      color: isGrey(word) ? themes[current].muted : slotColor(current, word.place),
    })),
  };
});

/** Places of visible groups whose colour an older visible group wears. */
const greyPlaces = computed<ReadonlySet<number>>(() => {
  if (!isGrouped.value) return new Set();
  const of = groupOf.value;
  return greyPlacesAmong(visibleIds.value.map((id) => of(id)?.place));
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
  if (isGrouped.value) return new Set();
  const byId = runById.value;
  if (view.value.colorBy) {
    const by = coloring.value;
    const words = greyWordsAmong(ids);
    if (!by || !words.size) return new Set();
    return new Set(ids.filter((id) => !byId.get(id)?.color && words.has(by.place(id) ?? -1)));
  }
  const grey = greyAmong(
    ids.map((id) => {
      const run = byId.get(id);
      return run && !run.color ? run.slot : null;
    }),
  );
  return new Set([...grey].map((at) => ids[at]));
}

const greyRuns = computed(() => greyOf(visibleIds.value));

/** How many are grey, and what they are, for the note that says so. */
export const greyNote = computed(() => {
  const [count, one, many] = isGrouped.value
    ? [greyPlaces.value.size, "group", "groups"]
    : view.value.colorBy
      ? [greyWordPlaces.value.size, "value", "values"]
      : [greyRuns.value.size, "run", "runs"];
  return { count, what: count === 1 ? `${one} is` : `${many} are` };
});

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
