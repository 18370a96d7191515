// Hyperparameters: parallel coordinates, scatter, matrix; what matters; the best runs.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { computeImportance } from "../lib/compute";
import type { Importance } from "../lib/forest";
import { betterOf, keyOfColumn } from "../lib/goals";
import { hoveredRun, isMarked, pickedRun } from "../state/cursor";
import { isGrouped } from "../state/groups";
import { isHiddenColumn, scalarInfo } from "../state/metrics";
import { runStyle } from "../state/colors";
import { columnVersion } from "../state/columns";
import { columns, keys, nothingYet, selectOnly, visible, type Run } from "../state/runs";
import { theme } from "../state/settings";
import { change, view, type View } from "../state/view";
import { CanvasPlot } from "../ui/canvas_plot";
import { Check, Segmented, Select, Swatch } from "../ui/controls";
import { Icon } from "../ui/icon";
import { PopoverButton } from "../ui/popover";
import { PageToolbar } from "../ui/page_toolbar";
import { RunList } from "../ui/run_list";
import { NoRunShown, noRunShown } from "../ui/no_run_shown";
import { Empty } from "../ui/states";
import { formatCell, formatInteger, formatNumber } from "../viz/format";
import { rampColor } from "../viz/palette";
import {
  crossing,
  drawParallel,
  hasMissing,
  layoutParallel,
  type ParallelAxis,
  type ParallelLayout,
} from "../viz/parallel";
import { axisOf, defaultAxes, passes, textOf, titleOf, toggled } from "./hparams_data";
import { Scatter, ScatterChoices } from "./hparams_scatter";
import { WaitingForRuns } from "./projects";

const patch = (hp: Partial<View["hparams"]>, replace = false) =>
  change({ hparams: { ...view.value.hparams, ...hp } }, replace);
const isLoss = (id: string) => /loss|error|perplexity|nll/i.test(id);

function goals(): string[] {
  // What somebody declared to be a goal goes before what sounds like one.
  const rank = (id: string) =>
    (scalarInfo.value.get(keyOfColumn(id) ?? "")?.goal
      ? -1
      : isLoss(id)
        ? 0
        : /acc|f1|auc|reward|score|best/i.test(id)
          ? 1
          : 2) + (/val|test|best/.test(id) ? 0 : 0.5);
  return columns.value
    .filter(
      (c) =>
        (c.id.startsWith("metric:") &&
          !c.id.startsWith("metric:system/") &&
          !isHiddenColumn(c.id)) ||
        (c.id.startsWith("summary:") && c.type === "number"),
    )
    .map((c) => c.id)
    .sort((a, b) => rank(a) - rank(b));
}

function colorsOf(goal: ParallelAxis | null, list: Run[]): (run: number) => string {
  if (isGrouped.value || view.value.colorBy)
    return (run) => {
      const { id } = list[run];
      return isMarked(id) ? runStyle.value(id).color : runStyle.value(id).drawn;
    };
  if (!goal) return () => rampColor(0.4);
  const lower = betterOf(goal.id, keys.value) < 0;
  const [from, to] = [goal.from, goal.to];
  return (run) => {
    const t = (goal.values[run] - from) / (to - from || 1);
    return rampColor(0.05 + 0.85 * (lower ? 1 - t : t));
  };
}

function Parallel({
  axes,
  list,
  color,
  active,
}: {
  axes: ParallelAxis[];
  list: Run[];
  color: (run: number) => string;
  active: (run: number) => boolean;
}) {
  const { brushes, inverted, logs } = view.value.hparams;
  const layout = useRef<ParallelLayout | null>(null);
  const drag = useRef<{ axis: number; from: number } | null>(null);
  const [reorder, setReorder] = useState<{ axis: number; x: number } | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const highlight = list.findIndex((r) => r.id === (hoveredRun.value ?? pickedRun.value));
  const axisAt = (x: number) => layout.current?.axes.findIndex((a) => Math.abs(a.x - x) < 14) ?? -1;
  const local = (e: PointerEvent): [number, number] => {
    const r = box.current!.querySelector("canvas")!.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  const setBrush = (i: number, a: number, b: number, replace: boolean) => {
    const { axis, scale } = layout.current!.axes[i];
    const low = Math.min(scale.value(a), scale.value(b));
    const high = Math.max(scale.value(a), scale.value(b));
    patch({ brushes: { ...view.value.hparams.brushes, [axis.id]: [low, high] } }, replace);
  };
  const drop = (i: number, x: number) => {
    const ids = axes.map((a) => a.id);
    const [moved] = ids.splice(i, 1);
    const to = layout.current!.axes.filter((_, k) => k !== i).findIndex((a) => a.x > x);
    ids.splice(to < 0 ? ids.length : to, 0, moved);
    patch({ axes: ids.filter((id) => id !== view.value.hparams.goal && id.startsWith("config:")) });
  };
  return (
    <div
      ref={box}
      class="plot-card"
      onPointerDown={(e) => {
        const [x, y] = local(e);
        const i = axisAt(x);
        if (i < 0 || !(e.target instanceof HTMLCanvasElement)) return;
        e.target.setPointerCapture(e.pointerId);
        if (y < 24) setReorder({ axis: i, x });
        else drag.current = { axis: i, from: y };
      }}
      onPointerMove={(e) => {
        const [x, y] = local(e);
        if (reorder) setReorder({ ...reorder, x });
        else if (drag.current && Math.abs(y - drag.current.from) > 3)
          setBrush(drag.current.axis, drag.current.from, y, true);
      }}
      onPointerUp={(e) => {
        const [x, y] = local(e);
        if (reorder) {
          if (Math.abs(x - layout.current!.axes[reorder.axis].x) > 30) drop(reorder.axis, x);
          setReorder(null);
        } else if (drag.current && Math.abs(y - drag.current.from) <= 3) {
          const axis = axes[drag.current.axis];
          const { [axis.id]: old, ...rest } = brushes;
          const missing =
            hasMissing(axis) && Math.abs(y - layout.current!.missing) < 14 && old !== "missing";
          patch({ brushes: missing ? { ...rest, [axis.id]: "missing" } : rest });
        }
        drag.current = null;
      }}
    >
      <CanvasPlot
        title="Parallel coordinates"
        label={`Parallel coordinates of ${list.length} runs over ${axes.map((a) => `${a.title}${a.log ? " (log)" : a.names ? " (words)" : ""}${hasMissing(a) ? " (some missing)" : ""}`).join(", ")}`}
        height={320}
        least={axes.length * 72}
        deps={[axes, highlight, JSON.stringify(brushes), list, reorder, columnVersion.value]}
        actions={
          <PopoverButton label="Axes" class="icon-button tiny" trigger={<Icon name="sliders" />}>
            {() => (
              <div class="stack">
                <h3>Axes</h3>
                {axes.map((a) => (
                  <div class="row" key={a.id}>
                    <span style={{ minWidth: 120 }}>{a.title}</span>
                    {a.canLog ? (
                      <Check checked={a.log} onChange={() => patch({ logs: toggled(logs, a.id) })}>
                        log
                      </Check>
                    ) : null}
                    <Check
                      checked={a.inverted}
                      onChange={(on) =>
                        patch({
                          inverted: on ? [...inverted, a.id] : inverted.filter((l) => l !== a.id),
                        })
                      }
                    >
                      invert
                    </Check>
                  </div>
                ))}
              </div>
            )}
          </PopoverButton>
        }
        draw={(canvas, width, height) => {
          layout.current = layoutParallel(axes, width, height);
          if (reorder) layout.current.axes[reorder.axis].x = reorder.x;
          drawParallel(canvas, width, height, layout.current, {
            theme: theme.peek(),
            color,
            active,
            highlight,
            brushes,
          });
        }}
        onMove={(x, y) => {
          if (x < 0 || drag.current || !layout.current) {
            hoveredRun.value = null;
            return null;
          }
          let best = -1;
          let distance = 10;
          const l = layout.current;
          for (let i = 0; i + 1 < l.axes.length; i++) {
            const a = l.axes[i].x;
            const b = l.axes[i + 1].x;
            if (x < a || x > b) continue;
            const t = (x - a) / (b - a);
            const ease = t * t * (3 - 2 * t);
            for (let r = 0; r < list.length; r++) {
              if (!active(r)) continue;
              const d = Math.abs(crossing(l, i, r) * (1 - ease) + crossing(l, i + 1, r) * ease - y);
              if (d < distance) {
                distance = d;
                best = r;
              }
            }
          }
          hoveredRun.value = best >= 0 ? list[best].id : null;
          return best >= 0
            ? [list[best].name, ...axes.map((a) => `${a.title}  ${textOf(a, best)}`)].join("\n")
            : null;
        }}
      />
    </div>
  );
}

function ImportancePanel({ axes, goal }: { axes: ParallelAxis[]; goal: ParallelAxis }) {
  const [list, setList] = useState<Importance[] | null>(null);
  const rows = Array.from(goal.values, (_, i) => i).filter((i) => Number.isFinite(goal.values[i]));
  const signature = axes.map((a) => a.id).join() + goal.id + rows.length + columnVersion.value;
  useEffect(() => {
    let stale = false;
    if (rows.length < 5) return setList([]);
    // Absent numbers take the middle, absent categories become their own: neither is thrown away.
    const columnsOf = axes.map((a) => {
      const finite = Array.from(a.values)
        .filter(Number.isFinite)
        .sort((p, q) => p - q);
      const middle = a.names ? -1 : (finite[finite.length >> 1] ?? 0);
      return Float64Array.from(rows, (r) =>
        Number.isFinite(a.values[r]) ? (a.log ? Math.log(a.values[r]) : a.values[r]) : middle,
      );
    });
    void computeImportance(
      columnsOf,
      Float64Array.from(rows, (r) => goal.values[r]),
    ).then(
      (r) => stale || setList(r.slice().sort((p, q) => q.share - p.share)),
      () => stale || setList([]),
    );
    return () => {
      stale = true;
    };
  }, [signature]);
  return (
    <section class="card">
      <h2>Importance for {goal.title}</h2>
      {list?.length === 0 ? <p class="muted">Needs at least five runs with a value.</p> : null}
      <table class="plain-table names">
        <thead>
          <tr>
            <th>parameter</th>
            <th>importance</th>
            <th class="number" title="Spearman's rank correlation">
              correlation
            </th>
          </tr>
        </thead>
        <tbody>
          {list?.map((i) => (
            <tr key={axes[i.column]?.id} data-parameter={axes[i.column]?.id} data-share={i.share}>
              <td>{axes[i.column]?.title}</td>
              <td>
                <div class="row importance">
                  <div class="bar">
                    <span style={{ width: `${Math.round(i.share * 100)}%` }} />
                  </div>
                  <span class="number">{formatNumber(i.share, 2)}</span>
                </div>
              </td>
              <td class={`number ${Math.abs(i.correlation) > 0.3 ? "" : "muted"}`}>
                {axes[i.column]?.names && axes[i.column].names!.length > 2
                  ? "–"
                  : formatNumber(i.correlation, 2)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function HparamsPage() {
  const v = view.value;
  const list = visible.value;
  const goalId = v.hparams.goal || goals()[0] || "";
  const ids = v.hparams.axes ?? defaultAxes(list.length);
  const version = columnVersion.value;
  const axes = useMemo(
    () =>
      ids
        .map((id) => axisOf(id, list, v.hparams.logs, v.hparams.inverted))
        .filter((a): a is ParallelAxis => a !== null),
    [ids.join("\n"), list, v.hparams.logs, v.hparams.inverted, version],
  );
  const goal = useMemo(
    () => (goalId ? axisOf(goalId, list, v.hparams.logs, v.hparams.inverted) : null),
    [goalId, list, v.hparams.logs, v.hparams.inverted, version],
  );
  if (nothingYet()) return <WaitingForRuns />;
  const all = goal ? [...axes, goal] : axes;
  const active = (run: number) => passes(all, v.hparams.brushes, run);
  const color = colorsOf(goal, list);
  const chosen = list.map((_, i) => i).filter(active);
  const lower = betterOf(goalId, keys.value) < 0;
  const best = goal
    ? chosen
        .filter((i) => Number.isFinite(goal.values[i]))
        .sort((a, b) => (lower ? 1 : -1) * (goal.values[a] - goal.values[b]))
    : chosen;
  const { scatterX, scatterY, scatterColor, scatterSize, logs, inverted } = v.hparams;
  const column = (id: string) =>
    id ? (all.find((a) => a.id === id) ?? axisOf(id, list, logs, inverted)) : null;
  const sx = column(scatterX) ?? axes[0];
  const sy = column(scatterY) ?? goal ?? axes[1];
  const choices = columns.value
    .filter((c) => c.id.startsWith("config:") && c.distinct > 1)
    .map((c) => c.id);
  return (
    <>
      <RunList />
      <div class="page">
        <PageToolbar label="Hyperparameters">
          <label class="field">
            goal: {lower ? "min" : "max"}
            <Select
              label="Goal"
              value={goalId}
              onChange={(g) => patch({ goal: g })}
              options={goals()
                .slice(0, 300)
                .map((id) => ({ value: id, label: titleOf(id) }))}
            />
          </label>
          <Segmented
            label="View"
            value={v.hparams.mode}
            onChange={(mode) => patch({ mode })}
            options={[
              { value: "parallel", label: "Parallel" },
              { value: "scatter", label: "Scatter" },
              { value: "matrix", label: "Matrix" },
            ]}
          />
          <PopoverButton
            label={`${ids.length} parameters`}
            trigger={
              <>
                <Icon name="columns" />
                {ids.length} parameters
              </>
            }
          >
            {() => (
              <div class="stack" style={{ maxHeight: 320 }}>
                {choices.map((id) => (
                  <Check
                    key={id}
                    checked={ids.includes(id)}
                    onChange={(on) =>
                      patch({ axes: on ? [...ids, id] : ids.filter((a) => a !== id) })
                    }
                  >
                    {titleOf(id)}
                  </Check>
                ))}
              </div>
            )}
          </PopoverButton>
          {v.hparams.mode === "scatter" && sx && sy ? <ScatterChoices x={sx} y={sy} /> : null}
          <span class="muted" data-brushed={chosen.length}>
            {formatInteger(chosen.length)} of {formatInteger(list.length)} runs
          </span>
          {Object.keys(v.hparams.brushes).length ? (
            <>
              <button
                type="button"
                class="button"
                onClick={() => selectOnly(chosen.map((i) => list[i].id))}
              >
                Keep only these
              </button>
              <button type="button" class="button" onClick={() => patch({ brushes: {} })}>
                Clear brushes
              </button>
            </>
          ) : null}
        </PageToolbar>
        <div class="page-scroll">
          {noRunShown() ? (
            <NoRunShown />
          ) : axes.length === 0 ? (
            <Empty icon="hparams" title="No hyperparameter differs">
              <p>
                Log them with <code>log_hparams</code>; this page compares what differs between the
                visible runs.
              </p>
            </Empty>
          ) : (
            <div class="page-pad stack" style={{ gap: 12 }}>
              {v.hparams.mode === "parallel" ? (
                <Parallel axes={all} list={list} color={color} active={active} />
              ) : null}
              {v.hparams.mode === "scatter" && sx && sy ? (
                <Scatter
                  x={sx}
                  y={sy}
                  list={list}
                  color={color}
                  colorBy={column(scatterColor)}
                  sizeBy={column(scatterSize)}
                  active={active}
                  height={380}
                  title={`${sy.title} over ${sx.title}`}
                />
              ) : null}
              {v.hparams.mode === "matrix" ? (
                <div
                  class="matrix"
                  style={{ gridTemplateColumns: `repeat(${Math.min(5, all.length)}, 1fr)` }}
                >
                  {all.slice(0, 5).flatMap((y) =>
                    all.slice(0, 5).map((x) =>
                      x === y ? (
                        <div class="plot-card matrix-name" key={x.id + y.id}>
                          {x.title}
                        </div>
                      ) : (
                        <Scatter
                          key={x.id + y.id}
                          x={x}
                          y={y}
                          list={list}
                          color={color}
                          active={active}
                          height={150}
                        />
                      ),
                    ),
                  )}
                </div>
              ) : null}
              <div class="hp-foot">
                <section class="card">
                  <h2>Best runs</h2>
                  <div style={{ overflow: "auto", maxHeight: 360 }}>
                    <table class="plain-table names">
                      <thead>
                        <tr>
                          <th>run</th>
                          {goal ? <th class="number">{goal.title}</th> : null}
                          {axes.map((a) => (
                            <th class="number" key={a.id}>
                              {a.title}
                            </th>
                          ))}
                        </tr>
                      </thead>
                      <tbody>
                        {best.slice(0, 100).map((i) => (
                          <tr
                            key={list[i].id}
                            data-run={list[i].id}
                            class={isMarked(list[i].id) ? "hovered" : ""}
                            onPointerEnter={() => (hoveredRun.value = list[i].id)}
                            onPointerLeave={() => (hoveredRun.value = null)}
                          >
                            <td>
                              <span class="row">
                                <Swatch color={runStyle.value(list[i].id).drawn} />
                                <a
                                  href="#"
                                  onClick={(e) => {
                                    e.preventDefault();
                                    change({ page: "run", run: list[i].id, tab: "overview" });
                                  }}
                                >
                                  {list[i].name}
                                </a>
                              </span>
                            </td>
                            {goal ? <td class="number">{formatCell(goal.values[i])}</td> : null}
                            {axes.map((a) => (
                              <td class="number" key={a.id}>
                                {textOf(a, i)}
                              </td>
                            ))}
                          </tr>
                        ))}
                      </tbody>
                    </table>
                    {best.length > 100 ? (
                      <p class="muted small">The first 100 of {formatInteger(best.length)}.</p>
                    ) : null}
                  </div>
                </section>
                {goal ? <ImportancePanel axes={axes} goal={goal} /> : null}
              </div>
            </div>
          )}
        </div>
      </div>
    </>
  );
}
