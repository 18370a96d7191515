// Histograms of one key in one run over steps, with the shared cursor.
import { useRef } from "preact/hooks";
import type { HistogramSeries } from "../api/types";
import { cursor, markedStep } from "../state/cursor";
import { runStyle } from "../state/colors";
import { runById } from "../state/runs";
import { theme } from "../state/settings";
import { view } from "../state/view";
import { formatInteger } from "../viz/format";
import { drawHistograms, histogramHit } from "../viz/histograms";
import type { Plot } from "../viz/plot";
import { CanvasPlot } from "./canvas_plot";
import { Swatch } from "./controls";

export function HistogramCard({
  series,
  height = 220,
}: {
  series: HistogramSeries;
  height?: number;
}) {
  const { mode } = view.value.distributions;
  const plot = useRef<Plot | null>(null);
  const color = runStyle.value(series.run).drawn;
  const name = runById.value.get(series.run)?.name ?? series.run;
  const step = markedStep.value;
  const nan = series.columns.reduce((n, c) => n + c.nan, 0);
  const inf = series.columns.reduce((n, c) => n + c.positive_infinity + c.negative_infinity, 0);
  return (
    <div
      class="plot-card"
      data-histogram={series.key}
      data-run={series.run}
      data-cursor={step ?? undefined}
    >
      <CanvasPlot
        title={series.key}
        label={`Histograms of ${series.key} in ${name}, ${series.total} entries`}
        height={height}
        deps={[series, mode, step, color]}
        actions={
          <>
            <span class="chip">
              <Swatch color={color} />
              {name}
            </span>
            {nan + inf > 0 ? (
              <span class="chip warn">
                NaN {nan} Inf {inf}
              </span>
            ) : null}
            {series.total > series.columns.length ? (
              <span class="chip">
                {formatInteger(series.total)} → {series.columns.length} columns
              </span>
            ) : null}
          </>
        }
        draw={(canvas, width, height) =>
          (plot.current = drawHistograms(
            canvas,
            width,
            height,
            series,
            mode,
            theme.peek(),
            color,
            step,
          ))
        }
        onMove={(x, y) => {
          const hit =
            x < 0 || !plot.current ? null : histogramHit(plot.current, series, mode, x, y);
          cursor.value = hit
            ? { axis: "step", x: hit.step, step: hit.step, source: "histogram " + series.key }
            : null;
          return hit?.text ?? null;
        }}
        csv={() => [
          ["first_step", "last_step", "from", "to", "count"],
          ...series.columns.flatMap((c) =>
            c.counts.map((n, i) => [
              c.first_step,
              c.last_step,
              series.edges[i],
              series.edges[i + 1],
              n,
            ]),
          ),
        ]}
      />
    </div>
  );
}
