// Turns the view state into the question a chart asks the server.
import type { Grouping, Smoothing } from "../api/types";
import { axisOf } from "./axis";
import { groupOf, isPattern } from "./groups";
import { forcedRuns, runById, visibleIds } from "./runs";
import { densityFrom } from "../viz/line_chart";
import type { ChartAsk } from "./feed";
import { view, type PanelSettings } from "./view";
import { zoomOf } from "./zoom";

export interface CardSpec {
  id: string;
  title: string;
  keys: string[];
  expression?: string;
  bars?: boolean; // one value a run
}

export function smoothingOf(panel: PanelSettings | undefined): Smoothing | undefined {
  const v = view.value;
  const method = (panel?.smoothing?.method ?? v.smoothing) as Smoothing["method"];
  const amount = panel?.smoothing?.amount ?? v.smoothingAmount;
  return method === "none" ? undefined : { method, amount };
}

/** How these runs are grouped; null while that is not known yet. */
function groupingOf(runs: string[]): Grouping | undefined | null {
  const { groupBy: by, groupCenter: center, groupBand: band } = view.value;
  if (!by.length) return undefined;
  if (!by.some(isPattern)) return { by: by[0] === "*" ? [] : by, center, band };
  const labels = runs.map((run) => groupOf.value(run)?.label);
  return labels.every((label) => label !== undefined)
    ? { by: [], labels: labels as string[], center, band }
    : null;
}

/** The question of a card `width` pixels wide. Reads signals: call it inside an effect. */
export function askOf(spec: CardSpec, width: number, runs?: string[]): ChartAsk | null {
  const v = view.value;
  const panel = v.panels[spec.id];
  // Read before a card without a width is turned away: what changes them asks again then.
  void groupOf.value;
  const { axis, metric } = axisOf(spec, v);
  const ids = runs ?? forcedRuns(panel?.filter) ?? visibleIds.value;
  if (ids.length === 0 || width < 2 || (spec.keys.length === 0 && !spec.expression)) return null;
  const zoom = zoomOf(spec, v);
  const series = ids.length * Math.max(1, spec.keys.length);
  const grouping = groupingOf(ids);
  if (grouping === null) return null;
  const many = series > 50 && !grouping;
  // Whole steps of 64 pixels: a window dragged wider does not ask again for every pixel.
  const bins = Math.max(64, Math.min(2048, Math.ceil(width / 64) * 64));
  return {
    runs: ids,
    keys: spec.expression ? [] : spec.keys,
    ...(spec.expression ? { expression: spec.expression } : {}),
    x: {
      axis,
      ...(axis === "metric" ? { metric } : {}),
      scale: v.xScale,
      ...(zoom.x ? { from: zoom.x[0], to: zoom.x[1] } : {}),
    },
    width: bins,
    raw_limit: bins,
    smoothing: smoothingOf(panel),
    group: grouping,
    ...(!grouping && ids.some((id) => (runById.value.get(id)?.world_size ?? 1) > 1)
      ? { ranks: v.ranks }
      : {}),
    attempts: v.olderAttempts && !grouping ? "all" : "winning",
    y_scale: panel?.y_scale ?? v.yScale,
    share_x: true,
    // Where lines melt into a density nobody sees a gap, which is what the counts are for.
    fields: [
      "mean",
      "smooth",
      ...(many ? (["spread"] as const) : (["min", "max"] as const)),
      ...(series > densityFrom && many ? [] : (["count"] as const)),
    ],
  };
}
