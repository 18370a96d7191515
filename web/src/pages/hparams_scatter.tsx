// A scatter of runs: any column along x and y, as colour and as size.
import { useRef } from "preact/hooks";
import { isHiddenColumn } from "../state/metrics";
import { hoveredRun } from "../state/cursor";
import { columns, type Run } from "../state/runs";
import { theme } from "../state/settings";
import { change, view, type View } from "../state/view";
import { CanvasPlot } from "../ui/canvas_plot";
import { Check, Select, Swatch } from "../ui/controls";
import { formatInteger, formatNumber } from "../viz/format";
import { placeColor, rampColor, themes } from "../viz/palette";
import type { ParallelAxis } from "../viz/parallel";
import { Plot, rangeOf } from "../viz/plot";
import { textOf, titleOf, toggled } from "./hparams_data";

const patch = (hp: Partial<View["hparams"]>) =>
  change({ hparams: { ...view.value.hparams, ...hp } });

/** Where a value stands between the least and the most of its column, 0 to 1. */
function share(axis: ParallelAxis): (run: number) => number {
  const f = axis.log ? Math.log : (v: number) => v;
  const [from, span] = [f(axis.from), f(axis.to) - f(axis.from) || 1];
  return (run) => (f(axis.values[run]) - from) / span;
}

export function columnColor(axis: ParallelAxis): (run: number) => string {
  const grey = themes[theme.value].muted;
  const at = share(axis);
  return (run) =>
    !Number.isFinite(axis.values[run])
      ? grey
      : axis.names
        ? placeColor(theme.value, axis.values[run])
        : rampColor(at(run));
}

/** Radius by the root: areas are compared, not diameters. */
export function columnSize(axis: ParallelAxis): (run: number) => number {
  const at = share(axis);
  return (run) =>
    Number.isFinite(axis.values[run]) ? Math.sqrt(9 + 91 * Math.max(0, Math.min(1, at(run)))) : 2;
}

function ColorKey({ axis }: { axis: ParallelAxis }) {
  if (axis.names)
    return (
      <span class="row small" data-legend="color">
        {axis.names.slice(0, 8).map((name, i) => (
          <span key={name} class="row">
            <Swatch color={placeColor(theme.value, i)} />
            {name}
          </span>
        ))}
        {axis.names.length > 8 ? (
          <span class="muted">and {formatInteger(axis.names.length - 8)} more</span>
        ) : null}
      </span>
    );
  const stops = [0, 0.25, 0.5, 0.75, 1].map(rampColor).join();
  return (
    <span class="row small number column-key" data-legend="color">
      <span class="muted">{axis.title}</span>
      {formatNumber(axis.from, 3)}
      <span class="ramp" style={{ background: `linear-gradient(to right, ${stops})` }} />
      {formatNumber(axis.to, 3)}
    </span>
  );
}

function SizeKey({ axis }: { axis: ParallelAxis }) {
  return (
    <span class="row small number" data-legend="size">
      <span class="muted">{axis.title}</span>
      <span class="size-dot" style={{ width: 6, height: 6 }} />
      {axis.names ? axis.names[0] : formatNumber(axis.from, 3)}
      <span class="size-dot" style={{ width: 20, height: 20 }} />
      {axis.names ? axis.names[axis.names.length - 1] : formatNumber(axis.to, 3)}
    </span>
  );
}

/** Columns of more than one value, whatever they are of. */
const choices = () =>
  columns.value
    .filter((c) => c.distinct > 1 && !isHiddenColumn(c.id) && !c.id.startsWith("metric:system/"))
    .slice(0, 300)
    .map((c) => ({ value: c.id, label: titleOf(c.id) }));

/** What stands along x and y, as colour and as size. */
export function ScatterChoices({ x, y }: { x: ParallelAxis; y: ParallelAxis }) {
  const { scatterColor, scatterSize, logs } = view.value.hparams;
  const all = choices();
  const has = (axis: ParallelAxis) =>
    all.some((c) => c.value === axis.id) ? all : [{ value: axis.id, label: axis.title }, ...all];
  const side = (name: "x" | "y", axis: ParallelAxis, field: "scatterX" | "scatterY") => (
    <>
      <label class="field x-choice">
        {name}
        <Select
          label={name}
          value={axis.id}
          onChange={(id) => patch({ [field]: id })}
          options={has(axis)}
        />
      </label>
      {axis.canLog ? (
        <Check checked={axis.log} onChange={() => patch({ logs: toggled(logs, axis.id) })}>
          log {name}
        </Check>
      ) : null}
    </>
  );
  const look = (name: string, value: string, field: "scatterColor" | "scatterSize", of: string) => (
    <label class="field x-choice">
      {name}
      <Select
        label={name}
        value={value}
        onChange={(id) => patch({ [field]: id })}
        options={[{ value: "", label: of }, ...all]}
      />
    </label>
  );
  return (
    <>
      {side("x", x, "scatterX")}
      {side("y", y, "scatterY")}
      {look("colour", scatterColor, "scatterColor", "as the page")}
      {look("size", scatterSize, "scatterSize", "the same")}
    </>
  );
}

export function Scatter({
  x,
  y,
  list,
  color,
  colorBy = null,
  sizeBy = null,
  active,
  height,
  title,
}: {
  x: ParallelAxis;
  y: ParallelAxis;
  list: Run[];
  color: (run: number) => string;
  colorBy?: ParallelAxis | null;
  sizeBy?: ParallelAxis | null;
  active: (run: number) => boolean;
  height: number;
  title?: string;
}) {
  const plot = useRef<Plot | null>(null);
  const side = (a: ParallelAxis) => {
    const [from, to] = a.names ? [a.from, a.to] : rangeOf(a.values, a.log ? "log" : "linear");
    return {
      kind: (a.log ? "log" : "linear") as "log" | "linear",
      from,
      to,
      labels: a.names ?? undefined,
      title: title === undefined ? undefined : a.title,
    };
  };
  const shown = list.map((_, i) => i).filter(active);
  const without = shown.filter(
    (r) => !Number.isFinite(x.values[r]) || !Number.isFinite(y.values[r]),
  ).length;
  const paint = colorBy ? columnColor(colorBy) : color;
  const radius = sizeBy ? columnSize(sizeBy) : () => (height > 250 ? 4 : 2.5);
  const told = [x, y, colorBy, sizeBy].filter(
    (a, i, all): a is ParallelAxis => a !== null && all.findIndex((b) => b?.id === a.id) === i,
  );
  const near = (px: number, py: number) => {
    let best = -1;
    let distance = 12;
    for (const r of shown) {
      const d = Math.hypot(
        plot.current!.x.pixel(x.values[r]) - px,
        plot.current!.y.pixel(y.values[r]) - py,
      );
      if (d < distance) {
        distance = d;
        best = r;
      }
    }
    return best;
  };
  return (
    <div class="plot-card">
      <CanvasPlot
        title={title}
        actions={
          <>
            {colorBy ? <ColorKey axis={colorBy} /> : null}
            {sizeBy ? <SizeKey axis={sizeBy} /> : null}
            {without ? (
              <span class="chip warn">
                {formatInteger(without)} {without === 1 ? "run lacks" : "runs lack"} a value
              </span>
            ) : null}
          </>
        }
        label={`Scatter of ${y.title} over ${x.title} for ${shown.length} runs`}
        height={height}
        deps={[x, y, colorBy, sizeBy, list, shown.length, hoveredRun.value]}
        draw={(canvas, width, h) => {
          const p = new Plot(canvas, width, h, theme.peek(), side(x), side(y));
          plot.current = p;
          p.inside(() => {
            p.dots(
              shown.map((r) => x.values[r]),
              shown.map((r) => y.values[r]),
              (i) => paint(shown[i]),
              (i) => radius(shown[i]),
            );
            const at = list.findIndex((r) => r.id === hoveredRun.value);
            if (at >= 0)
              p.dots([x.values[at]], [y.values[at]], () => p.colors.text, radius(at) + 2, 1);
          });
        }}
        onMove={(px, py) => {
          const best = px < 0 || !plot.current ? -1 : near(px, py);
          hoveredRun.value = best >= 0 ? list[best].id : null;
          return best >= 0
            ? [list[best].name, ...told.map((a) => `${a.title}  ${textOf(a, best)}`)].join("\n")
            : null;
        }}
        onClick={(px, py) => {
          const best = near(px, py);
          if (best >= 0) change({ page: "run", run: list[best].id, tab: "overview" });
        }}
        csv={() => [
          ["run", x.title, y.title],
          ...shown.map((r) => [
            list[r].name,
            x.names?.[x.values[r]] ?? x.values[r],
            y.names?.[y.values[r]] ?? y.values[r],
          ]),
        ]}
      />
    </div>
  );
}
