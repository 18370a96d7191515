// One chart of the charts page: asks for its series, draws them, reports what a person does with
// them.
import { batch, effect, untracked } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { post } from "../api/client";
import type { Points } from "../api/types";
import { askOf, smoothingOf, type CardSpec } from "../state/ask";
import { axisId, axisOf, axisTitle, pinAxis, pinAxisFor } from "../state/axis";
import {
  activeCard,
  cursor,
  hoveredRun,
  pickedRun,
  tooltip,
  type TooltipRow,
} from "../state/cursor";
import { Feed, feedStats } from "../state/feed";
import { styleKey } from "../state/runs";
import { theme } from "../state/settings";
import { change, view } from "../state/view";
import { setZoom, zoomBack, zoomForward, zoomOf } from "../state/zoom";
import { toNumber, type ChartData } from "../viz/chart_data";
import { formatAxisValue, formatNumber } from "../viz/format";
import { LineChart, type Nearby } from "../viz/line_chart";
import { dashes, slotColor } from "../viz/palette";
import { CardHead } from "./card_head";
import { Swatch } from "./controls";
import { copyText } from "./states";
import { oneRun, styleOf } from "./series_style";
import { SeriesTable } from "./series_table";
import { tooltipText } from "./tooltip";

let lookup = 0;

/** Asks for the exact points behind the tooltip once the cursor rests. */
function exactRows(data: ChartData, near: Nearby[], x: number, rows: TooltipRow[]): void {
  clearTimeout(lookup);
  lookup = window.setTimeout(async () => {
    const asked = near.map((n) => data.series[n.series]).filter((s) => s.run && s.ranks === 1);
    if (!asked.length) return;
    try {
      const reply = await post<Points>("series:points", {
        series: asked.map((s) => ({ run: s.run, key: s.key, rank: s.rank ?? undefined })),
        x: { ...data.header.x, from: undefined, to: undefined },
        at: x,
        smoothing: data.smoothed ? smoothingOf(undefined) : undefined,
      });
      const tip = tooltip.peek();
      if (!tip || tip.rows !== rows) return;
      const exact = rows.map((row) => {
        const i = asked.findIndex(
          (s) => s.run === row.run && s.key === row.key && s.rank === row.rank,
        );
        const point = i >= 0 ? reply.points[i] : null;
        if (!point) return row;
        return {
          ...row,
          value: toNumber(point.value),
          smooth: point.smooth === undefined ? row.smooth : toNumber(point.smooth),
          x: point.x,
          exact: true,
          extra: point.x === x ? "" : `@ ${formatAxisValue(data.header.x.axis, point.x)}`,
        };
      });
      // A number of the page does not hold every step; the server's text does.
      const nearest = reply.points.find((p) => p?.x === x)?.step_text;
      const title =
        nearest && data.header.x.axis === "step"
          ? `step ${nearest.replace(/\B(?=(\d{3})+$)/g, ",")}`
          : tip.title;
      tooltip.value = { ...tip, title, rows: exact };
    } catch {
      // The binned values on show stay; the next move asks again.
    }
  }, 60);
}

export function ChartCard({
  spec,
  style,
  full,
  runs,
  drag,
}: {
  spec: CardSpec;
  style?: Record<string, string | number>;
  full?: boolean;
  runs?: string[];
  drag?: { onDrop: (from: string) => void };
}) {
  const body = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const feed = useRef<Feed | null>(null);
  const [, redraw] = useState(0);
  const [asTable, setAsTable] = useState(false);
  const [dropping, setDropping] = useState(false);
  const specKey = JSON.stringify([spec, runs]);

  function mount(): () => void {
    const f = new Feed(() => {
      draw();
      redraw((n) => n + 1);
    });
    feed.current = f;
    const c = new LineChart(body.current!, {
      // At once, not with the next frame: browsers report the pointer once a frame, just before it
      // is drawn.
      hover(x, near, client) {
        batch(() => showTooltip(x, near, client));
      },
      leave() {
        if (tooltip.peek()?.frozen) return;
        clearTimeout(lookup);
        batch(() => {
          tooltip.value = null;
          cursor.value = null;
          hoveredRun.value = null;
        });
      },
      zoom(x, y) {
        f.urgent = true;
        setZoom(spec, x, y);
      },
      click(x, near) {
        activeCard.value = { id: spec.id, keys: spec.keys };
        const info = near && near.distance <= 6 && f.data ? f.data.series[near.series] : null;
        if (info?.run && f.data!.series.length > 1) {
          pickedRun.value = pickedRun.value === info.run ? null : info.run;
          return;
        }
        const pins = samePins() ? view.value.pins : [];
        change({
          pins: pins.includes(x) ? pins.filter((p) => p !== x) : [...pins.slice(-1), x],
          ...(samePins() ? {} : { range: null }),
          pinAxis: pinAxisFor(spec.keys),
        });
      },
      range(from, to) {
        activeCard.value = { id: spec.id, keys: spec.keys };
        change({
          range: [from, to],
          ...(samePins() ? {} : { pins: [] }),
          pinAxis: pinAxisFor(spec.keys),
        });
      },
      key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return false;
        if (event.key === "[") zoomBack();
        else if (event.key === "]") zoomForward();
        else if (event.key === "f") change({ full: view.value.full === spec.id ? "" : spec.id });
        else if (event.key === "c") copyText(tooltipText());
        else if (event.key === " " && tooltip.value)
          tooltip.value = { ...tooltip.value, frozen: !tooltip.value.frozen };
        else return false;
        return true;
      },
      resize: () => ask(),
    });
    chart.current = c;

    // Pins of another axis are positions that mean nothing here.
    function samePins() {
      return axisId(pinAxis()) === axisId(axisOf(spec.keys));
    }
    function ask() {
      f.ask(askOf(spec, c.askWidth, runs));
    }
    function draw() {
      const v = view.peek();
      const data = f.data;
      const panel = v.panels[spec.id];
      const zoom = zoomOf(spec, v);
      const axis = axisOf(spec.keys, v);
      const pinned = axisId(pinAxis(v)) === axisId(axis);
      c.update({
        theme: theme.peek(),
        data,
        loading: f.loading,
        style: data ? styleOf(data, spec.keys) : () => null,
        styleKey: styleKey.peek(),
        xAxis: axis.axis,
        xScale: v.xScale,
        yScale: panel?.y_scale ?? v.yScale,
        x: zoom.x,
        y:
          zoom.y ??
          (panel?.y_from !== undefined && panel?.y_to !== undefined
            ? [panel.y_from, panel.y_to]
            : null),
        ignoreOutliers: panel?.outliers ? panel.outliers === "ignore" : v.ignoreOutliers,
        band: panel?.band ?? true,
        endLabels: !!full,
        highlight: hoveredRun.peek() ?? pickedRun.peek(),
        cursor: cursor.peek()?.axis === axisId(axis) ? cursor.peek()!.x : null,
        pins: pinned ? v.pins : [],
        range: pinned ? v.range : null,
      });
      c.element.setAttribute("aria-label", describe(spec, data));
    }
    function showTooltip(x: number, near: Nearby[], client: { x: number; y: number }) {
      const data = f.data;
      if (!data || tooltip.peek()?.frozen) return;
      const axis = axisOf(spec.keys, view.peek());
      cursor.value = {
        axis: axisId(axis),
        x,
        step: axis.axis === "step" ? Math.round(x) : null,
        source: spec.id,
      };
      const closest = near[0];
      const first = closest ? data.series[closest.series] : null;
      hoveredRun.value =
        first && closest.distance < 30 && data.series.length > 1
          ? first.run || first.group!.label
          : null;
      const look = styleOf(data, spec.keys);
      const shown = near.slice(0, 7);
      const rows = shown.map((n): TooltipRow => {
        const info = data.series[n.series];
        const st = look(n.series)!;
        const raw = data.mean ? data.mean[n.bin] : n.value;
        const half =
          data.raster.low && data.raster.high
            ? formatNumber((data.raster.high[n.bin] - data.raster.low[n.bin]) / 2, 3)
            : "";
        const spread = !half
          ? ""
          : info.group
            ? ` ± ${half} n=${data.runs?.[n.bin] ?? ""}`
            : info.ranks > 1
              ? ` ± ${half}`
              : "";
        const range =
          !info.group && data.min && data.max && data.max[n.bin] > data.min[n.bin]
            ? `${formatNumber(data.min[n.bin], 3)} … ${formatNumber(data.max[n.bin], 3)}`
            : "";
        return {
          run: info.run || info.group?.label || "",
          rank: info.rank,
          label: st.label,
          key: info.key,
          color: st.color,
          dash: st.dash,
          value: raw,
          smooth: data.smoothed ? n.value : null,
          x: n.x,
          exact: false,
          extra: spread || range,
        };
      });
      const total = data.series.filter((s) => s.current).length;
      tooltip.value = {
        title: `${axisTitle(axis)} ${formatAxisValue(axis.axis, x)}`,
        rows,
        more: Math.max(0, total - rows.length),
        x: client.x,
        y: client.y,
        frozen: false,
      };
      exactRows(data, shown, x, rows);
    }
    const stops = [
      effect(() => {
        void view.value;
        ask();
      }),
      effect(() => {
        void view.value;
        void theme.value;
        void styleKey.value;
        draw();
      }),
      effect(() => {
        const at = cursor.value;
        c.setCursor(
          at && at.axis === untracked(() => axisId(axisOf(spec.keys))) ? at.x : null,
          hoveredRun.value ?? pickedRun.value,
        );
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      c.destroy();
      f.destroy();
    };
  }
  // The first cards of a page ask for their series before they are painted; those that scroll by
  // may be gone again by then.
  const first = useRef(feedStats.requests === 0).current;
  useLayoutEffect(() => (first ? mount() : undefined), [specKey, full]);
  useEffect(() => (first ? undefined : mount()), [specKey, full]);

  const f = feed.current;
  const data = f?.data ?? null;
  const byKey = data !== null && oneRun(data);
  const shortNames = withoutCommon(spec.keys);
  const groups = data
    ? data.series.flatMap((info, s) =>
        info.group && data.series.findIndex((o) => o.group?.label === info.group!.label) === s
          ? [s]
          : [],
      )
    : [];
  return (
    <section
      class={`${full ? "full-card" : "chart-card"}${dropping ? " drop" : ""}`}
      style={style}
      aria-label={spec.title}
      data-card={spec.id}
      onDragOver={(e) => {
        if (drag && e.dataTransfer?.types.includes("text/taffrail-card")) {
          e.preventDefault();
          setDropping(true);
        }
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={(e) => {
        setDropping(false);
        drag?.onDrop(e.dataTransfer?.getData("text/taffrail-card") ?? "");
      }}
    >
      <CardHead
        spec={spec}
        data={data}
        full={!!full}
        draggable={!!drag}
        asTable={asTable}
        setAsTable={setAsTable}
        chart={() => chart.current}
      />
      {data && groups.length > 1 && groups.length <= 8 ? (
        <div class="legend" data-groups={groups.length}>
          {groups.map((s) => (
            <span key={s}>
              <Swatch color={styleOf(data, spec.keys)(s)?.color ?? ""} />
              {data.series[s].group!.label}
            </span>
          ))}
        </div>
      ) : null}
      {spec.keys.length > 1 ? (
        <div class="legend">
          {spec.keys.map((key, i) => (
            <span key={key}>
              <Swatch
                color={byKey ? slotColor(theme.value, i) : "var(--muted)"}
                dash={byKey ? null : (dashes[i % 3] ?? [18, 0.01])}
              />
              {shortNames[i]}
            </span>
          ))}
        </div>
      ) : null}
      <div class="card-body" ref={body}>
        {asTable && data ? <SeriesTable data={data} keys={spec.keys} /> : null}
        {f?.error && !data ? (
          <div class="card-note">
            <div role="alert">
              {f.error}{" "}
              <button type="button" class="button" onClick={() => f.refetch()}>
                Try again
              </button>
            </div>
          </div>
        ) : null}
        {data && data.series.length === 0 ? (
          <div class="card-note">No visible run has {spec.title}.</div>
        ) : null}
        {!data && f?.loading ? (
          <div class="skeleton" style={{ position: "absolute", inset: "8px 12px 22px 52px" }} />
        ) : null}
      </div>
    </section>
  );
}

/** Names without the path they share at both ends. */
function withoutCommon(keys: string[]): string[] {
  if (keys.length < 2) return keys;
  const parts = keys.map((k) => k.split("/"));
  let head = 0;
  while (parts.every((p) => p.length > head + 1 && p[head] === parts[0][head])) head++;
  let tail = 0;
  while (
    parts.every(
      (p) =>
        p.length > head + tail + 1 &&
        p[p.length - 1 - tail] === parts[0][parts[0].length - 1 - tail],
    )
  )
    tail++;
  return parts.map((p) => p.slice(head, p.length - tail).join("/"));
}

function describe(spec: CardSpec, data: ChartData | null): string {
  if (!data || data.series.length === 0) return `Line chart of ${spec.title}, no data yet`;
  const current = data.series.filter((s) => s.current);
  const last = current.map((s) => s.last).filter(Number.isFinite);
  return `Line chart of ${spec.title}: ${current.length} series, ${current.reduce((n, s) => n + s.points, 0)} points, last values from ${formatNumber(Math.min(...last))} to ${formatNumber(Math.max(...last))}. Arrow keys move the cursor.`;
}
