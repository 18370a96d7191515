// Plotly figures: scatter, line, bar, heat map and histogram by our own toolkit; anything else as
// the stored picture or a download.
import { useMemo, useRef } from "preact/hooks";
import { apiUrl } from "../api/client";
import type { FigureValue } from "../api/types";
import { theme } from "../state/settings";
import { formatExact, formatNumber } from "../viz/format";
import { nearestMark } from "../viz/nearest_mark";
import { saveBlob } from "../viz/save";
import { slotColor } from "../viz/palette";
import { Plot, rangeOf } from "../viz/plot";
import { CanvasPlot } from "./canvas_plot";

interface Trace {
  type?: string;
  mode?: string;
  name?: string;
  x?: (number | string)[];
  y?: (number | string)[];
  z?: number[][];
  orientation?: string;
  nbinsx?: number;
}
interface Layout {
  title?: string | { text?: string };
  xaxis?: { title?: string | { text?: string }; type?: string };
  yaxis?: { title?: string | { text?: string }; type?: string };
}

const known = new Set(["scatter", "scattergl", "line", "bar", "heatmap", "histogram", undefined]);
const textOf = (t: string | { text?: string } | undefined) =>
  typeof t === "string" ? t : (t?.text ?? "");

function parse(json: string): { data: Trace[]; layout: Layout } | null {
  try {
    const figure = JSON.parse(json) as { data?: Trace[]; layout?: Layout };
    if (!Array.isArray(figure.data) || !figure.data.every((t) => known.has(t.type))) return null;
    return { data: figure.data, layout: figure.layout ?? {} };
  } catch {
    return null;
  }
}

function categories(traces: Trace[], axis: "x" | "y"): string[] | undefined {
  const all = traces.flatMap((t) => t[axis] ?? []);
  if (!all.some((v) => typeof v === "string" && Number.isNaN(Number(v)))) {
    if (!(traces[0]?.type === "heatmap" && all.length)) return undefined;
  }
  return [...new Set(all.map(String))];
}

/** Room of one bar: the smallest distance of two. */
function slotOf(xs: number[]): number {
  const sorted = [...new Set(xs)].sort((a, b) => a - b);
  const least = sorted.reduce(
    (gap, v, i) => (i ? Math.min(gap, v - sorted[i - 1]) : gap),
    Infinity,
  );
  return Number.isFinite(least) ? least : 1;
}

function drawFigure(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  { data, layout }: { data: Trace[]; layout: Layout },
): (px: number, py: number) => string | null {
  const title = textOf(layout.title);
  const xTitle = textOf(layout.xaxis?.title);
  const yTitle = textOf(layout.yaxis?.title);
  const heat = data.find((t) => t.type === "heatmap");
  if (heat?.z) {
    const rows = heat.z.length;
    const columns = heat.z.reduce((most, r) => Math.max(most, r.length), 1);
    const [least, largest] = rangeOf(heat.z.flat(), "linear", 0);
    const span = largest - least || 1;
    const plot = new Plot(
      canvas,
      width,
      height,
      theme.peek(),
      {
        from: -0.5,
        to: columns - 0.5,
        labels: categories([heat], "x") ?? Array.from({ length: columns }, (_, i) => String(i)),
        title: xTitle,
      },
      {
        from: -0.5,
        to: rows - 0.5,
        labels: categories([heat], "y") ?? Array.from({ length: rows }, (_, i) => String(i)),
        title: yTitle,
      },
      title,
    );
    plot.inside(() =>
      plot.heat(
        Array.from({ length: columns + 1 }, (_, i) => i - 0.5),
        Array.from({ length: rows + 1 }, (_, i) => i - 0.5),
        (c, r) => Math.max(heat.z![r][c] - least, 1e-6 * span),
        span,
      ),
    ); // nothing but a missing value is blank
    const nameOf = (axis: "x" | "y", i: number) => categories([heat], axis)?.[i] ?? String(i);
    return (px, py) => {
      const [c, r] = [Math.round(plot.x.value(px)), Math.round(plot.y.value(py))];
      const found = heat.z![r]?.[c];
      return found === undefined
        ? null
        : `${xTitle || "x"} ${nameOf("x", c)}\n${yTitle || "y"} ${nameOf("y", r)}\n${formatExact(found)}`;
    };
  }
  const xNames = categories(data, "x");
  const places = xNames && new Map(xNames.map((name, i) => [name, i]));
  const value = (v: number | string) => (places ? places.get(String(v))! : Number(v));
  const histograms = data.map((t) => {
    if (t.type !== "histogram") return null;
    const list = (t.x ?? []).map(Number).filter(Number.isFinite);
    const [a, b] = rangeOf(list, "linear", 0);
    const n = t.nbinsx ?? Math.max(5, Math.min(60, Math.ceil(Math.sqrt(list.length))));
    const counts = new Array<number>(n).fill(0);
    for (const v of list) counts[Math.min(n - 1, Math.floor(((v - a) / (b - a)) * n))]++;
    return { x: counts.map((_, i) => a + ((i + 0.5) * (b - a)) / n), y: counts, slot: (b - a) / n };
  });
  const xs = data.map(
    (t, i) => histograms[i]?.x ?? (t.x ?? (t.y ?? []).map((_, k) => k)).map(value),
  );
  const ys = data.map((t, i) => histograms[i]?.y ?? (t.y ?? []).map((v) => Number(v)));
  const bars = data.some((t, i) => t.type === "bar" || histograms[i]);
  const xr = rangeOf(xs.flat(), "linear", bars ? 0.1 : 0.03);
  const yr = rangeOf(bars ? ys.flat().concat(0) : ys.flat());
  const plot = new Plot(
    canvas,
    width,
    height,
    theme.peek(),
    {
      from: xNames ? -0.5 : xr[0],
      to: xNames ? xNames.length - 0.5 : xr[1],
      labels: xNames,
      title: xTitle,
      kind: layout.xaxis?.type === "log" ? "log" : "linear",
    },
    {
      from: yr[0],
      to: yr[1],
      title: yTitle,
      kind: layout.yaxis?.type === "log" ? "log" : "linear",
    },
    title,
  );
  plot.inside(() => {
    data.forEach((t, i) => {
      const color = slotColor(theme.peek(), i);
      if (t.type === "bar" || histograms[i])
        plot.bars(
          xs[i],
          ys[i],
          histograms[i]?.slot ?? slotOf(xs[i]),
          color,
          0,
          histograms[i] ? 0.96 : 0.7,
        );
      else {
        const mode = t.mode ?? "lines";
        if (mode.includes("lines")) plot.lines(xs[i], ys[i], color);
        if (mode.includes("markers")) plot.dots(xs[i], ys[i], () => color);
      }
    });
  });
  const marks = xs.map((list, i) => ({ xs: list, ys: ys[i] }));
  const columnAt = (px: number) => {
    // A bar is meant anywhere in its column.
    for (let s = 0; s < marks.length; s++) {
      if (data[s].type !== "bar" && !histograms[s]) continue;
      const half = (histograms[s]?.slot ?? slotOf(xs[s])) / 2;
      const index = xs[s].findIndex((x) => Math.abs(plot.x.value(px) - x) <= half);
      if (index >= 0) return { series: s, index };
    }
    return null;
  };
  return (px, py) => {
    const found = nearestMark(plot.x, plot.y, marks, px, py) ?? (bars ? columnAt(px) : null);
    if (!found) return null;
    const { series, index } = found;
    const x = xs[series][index];
    const name = data[series].name;
    return [
      ...(name ? [name] : []),
      `${xTitle || "x"} ${xNames ? xNames[x] : formatNumber(x, 6)}`,
      `${yTitle || (histograms[series] ? "count" : "y")} ${formatExact(ys[series][index])}`,
    ].join("\n");
  };
}

export function FigurePanel({
  run,
  value,
  size,
}: {
  run: string;
  value: FigureValue;
  size: number;
}) {
  const found = useRef<(x: number, y: number) => string | null>(() => null);
  const figure = useMemo(() => (value.plotly ? parse(value.plotly) : null), [value.plotly]);
  const height = Math.max(200, Math.round(size * 0.7));
  const names = figure?.data.map((t) => t.name).filter(Boolean) ?? [];
  if (figure) {
    return (
      <div style={{ width: Math.max(260, size) }}>
        <CanvasPlot
          label={textOf(figure.layout.title) || "Figure"}
          height={height}
          deps={[value.plotly]}
          draw={(c, w, h) => (found.current = drawFigure(c, w, h, figure))}
          onMove={(x, y) => found.current(x, y)}
        />
        {names.length > 1 ? (
          <div class="legend">
            {figure.data.map((t, i) => (
              <span key={i}>
                <span class="swatch" style={{ color: slotColor(theme.value, i) }} />
                {t.name}
              </span>
            ))}
          </div>
        ) : null}
      </div>
    );
  }
  if (value.picture)
    return (
      <img
        src={apiUrl("blob", { run, sha: value.picture.sha, format: value.picture_format })}
        alt="Figure"
        style={{ maxWidth: size }}
      />
    );
  return (
    <div class="media-note">
      This kind of figure has no picture stored with it.{" "}
      {value.plotly ? (
        <button
          type="button"
          class="link"
          onClick={() =>
            saveBlob(new Blob([value.plotly!], { type: "application/json" }), "figure.json")
          }
        >
          figure.json
        </button>
      ) : null}
    </div>
  );
}
