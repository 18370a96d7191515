// The x axis of a card: the one chosen for the page, else the one its metrics were defined with,
// else steps.
import { signal } from "@preact/signals";
import { stepMetricOf } from "./metrics";
import { view, type View } from "./view";

export interface CardAxis {
  axis: Exclude<View["xAxis"], "auto">;
  metric: string; // of the axis "metric"
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
export const isOverSteps = (keys: readonly string[], v: View = view.value): boolean =>
  without.value.has(axisAndKeys(pageAxis(v).axis, keys));

/** Reads signals: the metrics' definitions come with the list of keys. */
export function axisOf(keys: readonly string[], v: View = view.value): CardAxis {
  const own = v.xAxis === "auto" ? stepMetricOf(keys) : "";
  if (own) return { axis: "metric", metric: own };
  return isOverSteps(keys, v) ? { axis: "step", metric: "" } : pageAxis(v);
}

/** Where the x zoom shared by all cards of an axis is kept. */
export function sharedZoom(keys: readonly string[], v: View = view.value): string {
  const id = axisId(axisOf(keys, v));
  return id === axisId(pageAxis(v)) ? "*" : "*" + id;
}

/** The axis on which pins and the marked range stand. */
export const pinAxis = (v: View = view.value): CardAxis =>
  v.pinAxis ? axisNamed(v.pinAxis) : pageAxis(v);

/** The same for the view: empty means the page's own. */
export function pinAxisFor(keys: readonly string[], v: View = view.value): string {
  const id = axisId(axisOf(keys, v));
  return id === axisId(pageAxis(v)) ? "" : id;
}
