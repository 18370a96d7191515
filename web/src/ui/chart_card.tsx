// One chart of the charts page: asks for its series, draws them, reports what a person does with
// them.
import { batch, effect, untracked } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { askOf, type CardSpec } from "../state/ask";
import { axisId, axisOf, lacksAxis, pinAxis, pinAxisFor } from "../state/axis";
import {
  activeCard,
  cursor,
  dropTooltip,
  highlighted,
  hoveredRun,
  pickedRun,
  tooltip,
} from "../state/cursor";
import { withoutCommon } from "../lib/names";
import { isNoisy } from "../lib/noise";
import { noteNoise } from "../state/noise";
import { Feed, feedStats } from "../state/feed";
import { groupColor, styleKey } from "../state/colors";
import { intoGroups } from "../state/groups";
import { visible } from "../state/runs";
import { theme } from "../state/settings";
import { change, view } from "../state/view";
import { setZoom, zoomBack, zoomForward, zoomOf } from "../state/zoom";
import type { ChartData } from "../viz/chart_data";
import { formatNumber } from "../viz/format";
import { LineChart, type Nearby } from "../viz/line_chart";
import { themes } from "../viz/palette";
import { metricNames, unknownMetric } from "./expressions";
import { CardHead } from "./card_head";
import { titleOf } from "./panel_form";
import { RunLegend } from "./run_legend";
import { Swatch } from "./controls";
import { copyText } from "./states";
import { keyLooks, oneRun, styleOf, toneOf } from "./series_style";
import { SeriesTable } from "./series_table";
import { markReach, showTooltip, stopLookup } from "./chart_tooltip";
import { tooltipText } from "./tooltip";

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
    let judged: ChartData | null = null;
    const f = new Feed(() => {
      const { data } = f;
      // Not at once: it asks this very feed again.
      if (data && data.bins === 0 && data.header.outside > 0 && data.xScale === "linear")
        queueMicrotask(() => lacksAxis(data.header.x.axis, spec.keys));
      if (data && data !== judged && data.series.length && !data.smoothed) {
        judged = data;
        noteNoise(spec.id, isNoisy(data.raster.line, data.raster.starts));
      }
      draw();
      redraw((n) => n + 1);
    });
    feed.current = f;
    const c = new LineChart(body.current!, {
      // At once, not with the next frame: browsers report the pointer once a frame, just before it
      // is drawn.
      hover(x, near, client) {
        batch(() => hover(x, near, client));
      },
      leave() {
        if (tooltip.peek()?.frozen) return;
        stopLookup();
        batch(() => {
          tooltip.value = null;
          cursor.value = null;
          hoveredRun.value = null;
        });
      },
      zoom(x, y) {
        f.urgent = () => c.drawn();
        stopLookup();
        dropTooltip();
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
          pinAxis: pinAxisFor(spec),
        });
      },
      range(from, to) {
        activeCard.value = { id: spec.id, keys: spec.keys };
        change({
          range: [from, to],
          ...(samePins() ? {} : { pins: [] }),
          pinAxis: pinAxisFor(spec),
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
      return axisId(pinAxis()) === axisId(axisOf(spec));
    }
    function ask() {
      f.ask(askOf(spec, c.askWidth, runs));
    }
    function draw() {
      const v = view.peek();
      const data = f.data;
      const panel = v.panels[spec.id];
      const zoom = zoomOf(spec, v);
      const axis = axisOf(spec, v);
      const pinned = axisId(pinAxis(v)) === axisId(axis);
      c.update({
        theme: theme.peek(),
        data,
        loading: f.loading,
        style: data ? styleOf(data, spec.keys, !!runs) : () => null,
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
        // Beyond a few lines there are no labels, and no room is kept for them.
        endLabels: !!full && visible.peek().length * spec.keys.length <= 8,
        highlight: highlighted.peek(),
        cursor: cursor.peek()?.axis === axisId(axis) ? cursor.peek()!.x : null,
        pins: pinned ? v.pins : [],
        range: pinned ? v.range : null,
      });
      c.element.setAttribute("aria-label", describe(spec, data));
    }
    function hover(x: number, near: Nearby[], client: { x: number; y: number }) {
      const data = f.data;
      if (!data || tooltip.peek()?.frozen) return;
      const axis = axisOf(spec, view.peek());
      cursor.value = {
        axis: axisId(axis),
        x,
        step: axis.axis === "step" ? Math.round(x) : null,
        source: spec.id,
      };
      const look = styleOf(data, spec.keys, !!runs);
      const closest = near[0];
      const first = closest ? data.series[closest.series] : null;
      hoveredRun.value =
        first && closest.distance < markReach && data.series.length > 1
          ? look(closest.series)!.who
          : null;
      showTooltip(spec, data, axis, look, x, near, client, body.current!.parentElement!);
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
          at && at.axis === untracked(() => axisId(axisOf(spec))) ? at.x : null,
          highlighted.value,
        );
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      stopLookup();
      if (tooltip.peek()?.source === spec.id) dropTooltip();
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
  const single = data !== null && oneRun(data);
  const note = data ? noSeries(spec, data) : "";
  const shortNames = withoutCommon(spec.keys);
  const groups = intoGroups(
    (data?.header.groups ?? []).flatMap((g) => (g.runs.length ? [{ id: g.runs[0] }] : [])),
  );
  return (
    <section
      class={`${full ? "full-card" : "chart-card"}${dropping ? " drop" : ""}`}
      style={style}
      aria-label={titleOf(spec)}
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
      {data && groups && groups.length > 1 && groups.length <= 8 ? (
        <div class="legend" data-groups={groups.length}>
          {groups.map(({ group }) => (
            <span key={group.label}>
              <Swatch color={groupColor.value(group.place)} />
              {group.label}
            </span>
          ))}
        </div>
      ) : null}
      {spec.keys.length > 1 ? (
        <div class="legend">
          {keyLooks(spec.keys, single, theme.value).map((look, i) => (
            <span key={spec.keys[i]}>
              <Swatch
                line
                color={look.color ?? toneOf(theme.value, themes[theme.value].muted, look.tone)}
                dash={look.dash}
              />
              {shortNames[i]}
            </span>
          ))}
        </div>
      ) : null}
      {data && view.value.panels[spec.id]?.legend === "show" && !data.header.groups ? (
        <RunLegend data={data} keys={spec.keys} few={!!runs} />
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
        {note ? <div class="card-note">{note}</div> : null}
        {!data && f?.loading ? (
          <div class="skeleton" style={{ position: "absolute", inset: "8px 12px 22px 52px" }} />
        ) : null}
      </div>
    </section>
  );
}

function describe(spec: CardSpec, data: ChartData | null): string {
  if (!data || data.series.length === 0) return `Line chart of ${spec.title}, no data yet`;
  const current = data.series.filter((s) => s.current);
  const last = current.map((s) => s.last).filter(Number.isFinite);
  return `Line chart of ${spec.title}: ${current.length} series, ${current.reduce((n, s) => n + s.points, 0)} points, last values from ${formatNumber(Math.min(...last))} to ${formatNumber(Math.max(...last))}. Arrow keys move the cursor.`;
}

/** Why a chart has no line: a metric that nobody logged is named, with the nearest that exists. */
function noSeries(spec: CardSpec, data: ChartData): string {
  const unknown = spec.expression ? unknownMetric(spec.expression, metricNames()) : null;
  return unknown ?? (data.series.length === 0 ? `No visible run has ${spec.title}.` : "");
}
