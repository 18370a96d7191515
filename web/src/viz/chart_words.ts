// What a chart says where it would otherwise be an empty frame with made-up labels.
import type { ChartData } from "./chart_data";
import type { ScaleKind } from "./scale";

/**
 * Why nothing of the visible series can be drawn. Called where no value is in the range of the
 * axes.
 */
export function emptyWords(
  data: ChartData,
  visible: (s: number) => boolean,
  xScale: ScaleKind,
  yScale: ScaleKind,
  zoomed: boolean,
): string {
  const { starts, line, markBin } = data.raster;
  const shown = data.series.map((_, s) => s).filter(visible);
  if (shown.length === 0) return "";
  const bins = shown.reduce((n, s) => n + starts[s + 1] - starts[s], 0);
  if (bins === 0) {
    if (xScale === "log" && data.header.outside > 0)
      return "Every point is at x ≤ 0, which a log axis cannot show.";
    return zoomed ? "No point lies in this range." : "";
  }
  if (zoomed && !shown.some((s) => hasFinite(line, starts[s], starts[s + 1])))
    return "No value lies in this range.";
  if (yScale === "log" && shown.some((s) => hasFinite(line, starts[s], starts[s + 1])))
    return "No value is above 0, and a log axis can show nothing else.";
  return markBin.length > 0 ? "Every value is NaN or infinite." : "";
}

function hasFinite(values: ArrayLike<number>, begin: number, end: number): boolean {
  for (let i = begin; i < end; i++) if (Number.isFinite(values[i])) return true;
  return false;
}
