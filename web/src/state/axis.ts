// The x axis of a card: its own, else the one chosen for the page, else the one its metrics were
// defined with, else steps.
import { signal } from "@preact/signals";
import { stepMetricOf } from "./metrics";
import { view, type View } from "./view";

export interface CardAxis {
  axis: Exclude<View["xAxis"], "auto">;
  metric: string; // of the axis "metric"
}

/** What an axis is of. */
export interface AxisCard {
  id: string;
  keys: readonly string[];
}

/** One text for an axis: what cursors, zooms and pins are told apart by. */
export const axisId = ({ axis, metric }: { axis: string; metric?: string }) =>
  axis === "metric" ? `metric:${metric}` : axis;

function axisNamed(id: string): CardAxis {
  return id.startsWith("metric:")
    ? { axis: "metric", metric: id.slice(7) }
    : { axis: id as CardAxis["axis"], metric: "" };
}

/** What an axis is called under a chart. */
export const axisTitle = ({ axis, metric }: { axis: string; metric?: string }) =>
  axis === "metric" ? (metric ?? "") : axis;

/** The axis of the cards that say nothing of their own. */
export function pageAxis(v: View = view.value): CardAxis {
  return v.xAxis === "auto"
    ? { axis: "step", metric: "" }
    : { axis: v.xAxis, metric: v.xAxis === "metric" ? v.xMetric : "" };
}

/** Metrics that were logged without an epoch or a number of samples: drawn over steps then. */
const without = signal<ReadonlySet<string>>(new Set());
const axisAndKeys = (axis: string, keys: readonly string[]) => [axis, ...keys].join("\n");

/** A card found out that none of its points is on the axis. */
export function lacksAxis(axis: string, keys: readonly string[]): void {
  if (axis !== "epoch" && axis !== "samples") return;
  without.value = new Set(without.value).add(axisAndKeys(axis, keys));
}

/** Whether the card shows steps because its metrics lack the axis that is chosen. */
export const isOverSteps = (card: AxisCard, v: View = view.value): boolean =>
  without.value.has(axisAndKeys(wishedAxis(card, v).axis, card.keys));

/** What a person chose, for the card or for the page. */
function wishedAxis({ id }: AxisCard, v: View): CardAxis {
  const own = v.panels[id]?.x;
  return own ? axisNamed(own) : pageAxis(v);
}

/** Reads signals: the metrics' definitions come with the list of keys. */
export function axisOf(card: AxisCard, v: View = view.value): CardAxis {
  const defined = v.xAxis === "auto" && !v.panels[card.id]?.x ? stepMetricOf(card.keys) : "";
  if (defined) return { axis: "metric", metric: defined };
  return isOverSteps(card, v) ? { axis: "step", metric: "" } : wishedAxis(card, v);
}

/** Where the x zoom shared by all cards of an axis is kept. */
export function sharedZoom(card: AxisCard, v: View = view.value): string {
  const id = axisId(axisOf(card, v));
  return id === axisId(pageAxis(v)) ? "*" : "*" + id;
}

/** The axis on which pins and the marked range stand. */
export const pinAxis = (v: View = view.value): CardAxis =>
  v.pinAxis ? axisNamed(v.pinAxis) : pageAxis(v);

/** The same for the view: empty means the page's own. */
export function pinAxisFor(card: AxisCard, v: View = view.value): string {
  const id = axisId(axisOf(card, v));
  return id === axisId(pageAxis(v)) ? "" : id;
}
