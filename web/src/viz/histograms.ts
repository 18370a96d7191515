// Histograms over steps: as ridges, as a heat map, as bands of percentiles.
import type { HistogramColumn, HistogramSeries } from "../api/types";
import { toNumber } from "./chart_data";
import { formatInteger, formatNumber } from "./format";
import { mix, parseColor, type Theme } from "./palette";
import { Plot, rangeOf } from "./plot";

export type HistogramMode = "ridge" | "heat" | "percentiles";

const total = (c: HistogramColumn) => c.counts.reduce((a, b) => a + b, 0);

/** Draws and returns the plot, for hit tests. `step` is the shared cursor. */
export function drawHistograms(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  series: HistogramSeries,
  mode: HistogramMode,
  theme: Theme,
  color: string,
  step: number | null,
): Plot {
  const { columns, edges } = series;
  const first = columns[0]?.first_step ?? 0;
  const last = columns[columns.length - 1]?.last_step ?? 1;
  const [low, high] = [edges[0], edges[edges.length - 1]];
  if (mode === "ridge") return drawRidge(canvas, width, height, series, theme, color, step);
  const steps = { from: first, to: last > first ? last : first + 1 };
  if (mode === "heat") {
    const plot = new Plot(canvas, width, height, theme, steps, { from: low, to: high });
    const xEdges = columns.map((c) => c.first_step).concat(steps.to);
    // The root keeps thin tails visible beside the peak.
    const most = Math.max(
      ...columns.map((c) => Math.max(...c.counts) / Math.max(1, total(c))),
      1e-9,
    );
    plot.inside(() => {
      plot.heat(
        xEdges,
        edges,
        (i, j) => Math.sqrt(columns[i].counts[j] / Math.max(1, total(columns[i])) / most),
        1,
      );
      if (step !== null) plot.lines([step, step], [low, high], plot.colors.text, 1, [3, 3]);
    });
    return plot;
  }
  const [from, to] = rangeOf(
    columns.flatMap((c) => [toNumber(c.percentiles[0]), toNumber(c.percentiles[8])]),
  );
  const plot = new Plot(canvas, width, height, theme, steps, { from, to });
  const xs = columns.map((c) => (c.first_step + c.last_step) / 2);
  plot.inside(() => {
    for (let band = 0; band < 4; band++) {
      const { c } = plot;
      c.fillStyle = mix(plot.colors.ground, color, 0.12 + band * 0.16);
      c.beginPath();
      columns.forEach((column, i) =>
        c[i ? "lineTo" : "moveTo"](
          plot.x.pixel(xs[i]),
          plot.y.pixel(toNumber(column.percentiles[band])),
        ),
      );
      for (let i = columns.length - 1; i >= 0; i--)
        c.lineTo(plot.x.pixel(xs[i]), plot.y.pixel(toNumber(columns[i].percentiles[8 - band])));
      c.fill();
    }
    plot.lines(
      xs,
      columns.map((c) => toNumber(c.percentiles[4])),
      color,
      2,
    );
    if (step !== null) plot.lines([step, step], [from, to], plot.colors.muted, 1, [3, 3]);
  });
  return plot;
}

function drawRidge(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  series: HistogramSeries,
  theme: Theme,
  color: string,
  step: number | null,
): Plot {
  const { columns, edges } = series;
  // At most one ridge for every three pixels; the newest is in front, at the bottom.
  const stride = Math.max(1, Math.ceil(columns.length / Math.max(8, Math.floor(height / 6))));
  const shown = columns.filter((_, i) => (columns.length - 1 - i) % stride === 0);
  const first = shown[0]?.first_step ?? 0;
  const last = shown[shown.length - 1]?.last_step ?? 1;
  const plot = new Plot(
    canvas,
    width,
    height,
    theme,
    { from: edges[0], to: edges[edges.length - 1] },
    {
      from: last > first ? last : first + 1,
      to: first - (last - first) * 0.25 || -0.25,
      format: (v) => v.map((s) => (s < first || s > last ? "" : formatInteger(s))),
    },
  );
  const most = Math.max(...shown.map((c) => Math.max(...c.counts)), 1);
  const lift = (height - 60) * 0.22;
  const { c } = plot;
  const rgb = parseColor(color);
  plot.inside(() => {
    shown.forEach((column, k) => {
      const base = plot.y.pixel((column.first_step + column.last_step) / 2);
      const share = shown.length > 1 ? k / (shown.length - 1) : 1;
      const tint = mix(plot.colors.ground, color, 0.25 + 0.55 * share);
      const marked = step !== null && column === shown[nearestColumn(shown, step)];
      c.beginPath();
      c.moveTo(plot.x.pixel(edges[0]), base);
      column.counts.forEach((n, i) =>
        c.lineTo(plot.x.pixel(edges[i] / 2 + edges[i + 1] / 2), base - (n / most) * lift),
      );
      c.lineTo(plot.x.pixel(edges[edges.length - 1]), base);
      c.closePath();
      c.fillStyle = marked ? plot.colors.accent : tint;
      c.fill();
      c.strokeStyle = marked ? plot.colors.text : `rgb(${rgb.join(" ")} / 70%)`;
      c.lineWidth = marked ? 1.5 : 0.7;
      c.strokeStyle = marked ? plot.colors.text : plot.colors.ground;
      c.stroke();
    });
  });
  c.lineWidth = 1;
  return plot;
}

export function nearestColumn(columns: HistogramColumn[], step: number): number {
  let best = 0;
  let distance = Infinity;
  columns.forEach((c, i) => {
    const d =
      step < c.first_step ? c.first_step - step : step > c.last_step ? step - c.last_step : 0;
    if (d < distance) {
      distance = d;
      best = i;
    }
  });
  return best;
}

/** What is under the pointer. */
export function histogramHit(
  plot: Plot,
  series: HistogramSeries,
  mode: HistogramMode,
  px: number,
  py: number,
): { step: number; text: string } | null {
  if (px < plot.box.left || px > plot.width - plot.box.right || !series.columns.length) return null;
  const at = mode === "ridge" ? plot.y.value(py) : plot.x.value(px);
  const value = mode === "ridge" ? plot.x.value(px) : plot.y.value(py);
  const column = series.columns[nearestColumn(series.columns, at)];
  const { edges } = series;
  let bin = 0;
  while (bin + 2 < edges.length && edges[bin + 1] <= value) bin++;
  const steps =
    column.first_step === column.last_step
      ? `step ${formatInteger(column.first_step)}`
      : `steps ${formatInteger(column.first_step)} … ${formatInteger(column.last_step)}`;
  const odd = [
    column.nan && `NaN ${column.nan}`,
    column.positive_infinity && `+Inf ${column.positive_infinity}`,
    column.negative_infinity && `-Inf ${column.negative_infinity}`,
  ]
    .filter(Boolean)
    .join("  ");
  return {
    step: column.last_step,
    text: `${steps}\nbin [${formatNumber(edges[bin], 3)}, ${formatNumber(edges[bin + 1], 3)})  n = ${formatNumber(column.counts[bin], 4)}\nmean ${formatNumber(toNumber(column.mean), 4)}  std ${formatNumber(toNumber(column.std), 4)}\nmedian ${formatNumber(toNumber(column.percentiles[4]), 4)}${odd ? "\n" + odd : ""}`,
  };
}
