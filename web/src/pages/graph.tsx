// The model as a graph: groups fold by name, edges carry shapes, the side panel tells the rest.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { post } from "../api/client";
import type { GraphNode, GraphValue, Index } from "../api/types";
import { fold, groupsOf, type Folded, type FoldedNode } from "../lib/graph";
import type { LayoutJob, LayoutReply } from "../lib/layered";
import { LimitedWorker } from "../lib/limited";
import { shownOf } from "../state/metrics";
import { nothingYet, runById, visible } from "../state/runs";
import { theme } from "../state/settings";
import { change, view, type View } from "../state/view";
import { IconButton, Search, Select } from "../ui/controls";
import { loadEntry } from "../ui/entry";
import { Empty, Failed, Skeleton } from "../ui/states";
import { lastOf } from "../ui/step_track";
import { useLoad } from "../ui/use_load";
import { fileName, saveBlob } from "../viz/save";
import { formatInteger, formatNumber } from "../viz/format";
import { rampColor, slotColor } from "../viz/palette";
import { WaitingForRuns } from "./projects";
import { cellText } from "./run";

declare const LAYOUT_WORKER_URL: string;
const patch = (graph: Partial<View["graph"]>) =>
  change({ graph: { ...view.value.graph, ...graph } });
const worker = new LimitedWorker<LayoutJob, LayoutReply>(LAYOUT_WORKER_URL);
/** Nodes of one picture; more are no picture any more, and more than a page can hold. */
const drawable = 1500;
/** From here on the simple layout: the fine one takes minutes. */
const finely = 300;

const nodeWidth = (n: FoldedNode) => Math.max(90, Math.min(220, n.label.length * 7.5 + 36));
const nodeHeight = (n: FoldedNode) => (n.group ? 44 : 34);

function jobOf(folded: Folded, simple: boolean): LayoutJob {
  return {
    nodes: folded.nodes.map((n) => ({ id: n.id, width: nodeWidth(n), height: nodeHeight(n) })),
    edges: folded.edges.map(({ from, to, shape }) => ({
      from,
      to,
      label: shape ? shape.length * 6 + 10 : 0,
    })),
    simple,
  };
}

function useLayout(folded: Folded | null): { layout: LayoutReply | null; error: string } {
  const [state, setState] = useState<{
    of: Folded | null;
    layout: LayoutReply | null;
    error: string;
  }>({ of: null, layout: null, error: "" });
  useEffect(() => {
    if (!folded || folded.nodes.length === 0 || folded.nodes.length > drawable) return;
    let gone = false;
    const ask = (simple: boolean) => worker.ask(jobOf(folded, simple), 8);
    let asked = ask(folded.nodes.length > finely);
    asked.result
      .catch((error) => {
        if (gone) throw error;
        return (asked = ask(true)).result; // too deep or too tangled for the fine one
      })
      .then(
        (layout) => gone || setState({ of: folded, layout, error: "" }),
        (error: Error) => gone || setState({ of: folded, layout: null, error: error.message }),
      );
    return () => {
      gone = true;
      asked.end();
    };
  }, [folded]);
  return state.of === folded ? state : { layout: state.layout, error: "" };
}

/** What of a graph that is too large to draw has the searched text in its name. */
function matching(folded: Folded, text: string): Folded {
  const wanted = text.toLowerCase();
  const kept = new Set(
    folded.nodes.filter((n) => n.id.toLowerCase().includes(wanted)).map((n) => n.id),
  );
  return {
    nodes: folded.nodes.filter((n) => kept.has(n.id)),
    edges: folded.edges.filter((e) => kept.has(e.from) && kept.has(e.to)),
  };
}

function Canvas({
  folded,
  layout,
  colorOf,
  wanted,
}: {
  folded: Folded;
  layout: LayoutReply;
  colorOf: (n: FoldedNode) => string;
  wanted: string;
}) {
  const { select, open } = view.value.graph;
  const [port, setPort] = useState({ x: 0, y: 0, k: 1 });
  const box = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; y: number; px: number; py: number } | null>(null);
  const sizes = new Map(folded.nodes.map((n) => [n.id, n]));
  const edgeInfo = new Map(folded.edges.map((e) => [e.from + "\n" + e.to, e]));
  useEffect(() => {
    const { clientWidth, clientHeight } = box.current!;
    const k = Math.max(
      0.25,
      Math.min(1.2, clientWidth / (layout.width + 20), clientHeight / (layout.height + 20)),
    );
    setPort({
      k,
      x: (clientWidth - layout.width * k) / 2,
      y: Math.max(0, (clientHeight - layout.height * k) / 2),
    });
  }, [layout]);
  const toggle = (n: FoldedNode) =>
    patch(n.group ? { open: [...open, n.id], select: n.id } : { select: n.id });
  const near = new Set(
    folded.edges.filter((e) => e.from === select || e.to === select).flatMap((e) => [e.from, e.to]),
  );
  return (
    <div
      ref={box}
      class="graph-canvas"
      onPointerDown={(e) => {
        drag.current = { x: e.clientX, y: e.clientY, px: port.x, py: port.y };
      }}
      onPointerMove={(e) =>
        drag.current &&
        e.buttons & 1 &&
        setPort({
          ...port,
          x: drag.current.px + e.clientX - drag.current.x,
          y: drag.current.py + e.clientY - drag.current.y,
        })
      }
      onPointerUp={() => (drag.current = null)}
      onWheel={(e) => {
        e.preventDefault();
        const r = box.current!.getBoundingClientRect();
        const k = Math.max(0.1, Math.min(4, port.k * Math.exp(-e.deltaY * 0.0015)));
        const [mx, my] = [e.clientX - r.left, e.clientY - r.top];
        setPort({ k, x: mx - ((mx - port.x) / port.k) * k, y: my - ((my - port.y) / port.k) * k });
      }}
    >
      <svg width="100%" height="100%" role="group" aria-label="Model graph">
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" fill="var(--muted)" />
          </marker>
        </defs>
        <g transform={`translate(${port.x} ${port.y}) scale(${port.k})`}>
          {layout.edges.map((e) => {
            const info = edgeInfo.get(e.from + "\n" + e.to);
            const lit = e.from === select || e.to === select;
            return (
              <g key={e.from + "→" + e.to}>
                <path
                  d={e.points.map((p, i) => `${i ? "L" : "M"}${p.x} ${p.y}`).join("")}
                  fill="none"
                  stroke={lit ? "var(--accent)" : "var(--line-strong)"}
                  stroke-width={Math.min(4, 1 + Math.log2(info?.count ?? 1)) + (lit ? 1 : 0)}
                  marker-end="url(#arrow)"
                >
                  <title>{info?.shape ?? ""}</title>
                </path>
                {info?.shape ? (
                  <text x={e.x} y={e.y + 4} text-anchor="middle" class="edge-label">
                    {info.shape}
                  </text>
                ) : null}
              </g>
            );
          })}
          {layout.nodes.map((at) => {
            const n = sizes.get(at.id);
            if (!n) return null;
            const w = nodeWidth(n);
            const h = nodeHeight(n);
            const dim = wanted && !n.id.toLowerCase().includes(wanted.toLowerCase());
            return (
              <g
                key={at.id}
                class="graph-node"
                transform={`translate(${at.x - w / 2} ${at.y - h / 2})`}
                role="button"
                tabIndex={0}
                opacity={dim ? 0.25 : 1}
                data-node={n.id}
                aria-label={
                  n.group
                    ? `${shortLabel(n)} ${n.members} nodes${n.parameters ? ` · ${formatNumber(n.parameters, 3, true)}` : ""}; group ${n.id}, ${formatInteger(n.parameters)} parameters. Enter expands`
                    : `${shortLabel(n)}; ${n.id}, ${n.op}`
                }
                onPointerDown={(e) => e.stopPropagation()}
                onClick={() => toggle(n)}
                onKeyDown={(e) =>
                  (e.key === "Enter" || e.key === " ") && (e.preventDefault(), toggle(n))
                }
              >
                {n.group ? (
                  <rect x={3} y={3} width={w} height={h} rx={8} class="graph-shadow" />
                ) : null}
                <rect
                  width={w}
                  height={h}
                  rx={8}
                  style={{
                    fill: `color-mix(in srgb, ${colorOf(n)} 18%, var(--ground))`,
                    stroke:
                      n.id === select
                        ? "var(--accent)"
                        : near.has(n.id)
                          ? "var(--text)"
                          : colorOf(n),
                    strokeWidth: n.id === select ? 2.5 : 1.2,
                  }}
                />
                <text x={w / 2} y={n.group ? 18 : 21} text-anchor="middle" class="node-label">
                  {shortLabel(n)}
                </text>
                {n.group ? (
                  <text x={w / 2} y={34} text-anchor="middle" class="node-sub">
                    {" "}
                    {n.members} nodes
                    {n.parameters ? ` · ${formatNumber(n.parameters, 3, true)}` : ""}
                  </text>
                ) : null}
              </g>
            );
          })}
        </g>
      </svg>
    </div>
  );
}

/** What a node shows of its name. */
const shortLabel = (n: { group: boolean; label: string }) =>
  (n.group ? "▸ " : "") + (n.label.length > 26 ? n.label.slice(0, 25) + "…" : n.label);

function Side({ nodes, folded }: { nodes: GraphNode[]; folded: Folded }) {
  const { select, open } = view.value.graph;
  const node = nodes.find((n) => n.name === select);
  const inside = nodes.filter((n) => n.name.startsWith(select + "/"));
  const total = nodes.reduce((s, n) => s + n.parameters, 0);
  const group = select && inside.length > 0;
  return (
    <aside class="graph-side">
      <h2>{select || "Whole model"}</h2>
      <dl class="key-value">
        {node ? (
          <>
            <dt>operation</dt>
            <dd>{node.op}</dd>
            <dt>output shape</dt>
            <dd class="mono">{node.shape.length ? node.shape.join(" × ") : "–"}</dd>
            <dt>parameters</dt>
            <dd>{formatInteger(node.parameters)}</dd>
            <dt>device</dt>
            <dd>{node.device || "–"}</dd>
            {node.attributes.map((a) => (
              <>
                <dt>{a.name}</dt>
                <dd>{cellText(a.value)}</dd>
              </>
            ))}
            <dt>inputs</dt>
            <dd>
              {node.inputs.map((i) => (
                <div key={i}>
                  <button type="button" class="link" onClick={() => patch({ select: i })}>
                    {i}
                  </button>
                </div>
              ))}
            </dd>
            <dt>used by</dt>
            <dd>
              {nodes
                .filter((n) => n.inputs.includes(node.name))
                .map((n) => (
                  <div key={n.name}>
                    <button type="button" class="link" onClick={() => patch({ select: n.name })}>
                      {n.name}
                    </button>
                  </div>
                ))}
            </dd>
          </>
        ) : null}
        {group ? (
          <>
            <dt>nodes</dt>
            <dd>{formatInteger(inside.length)}</dd>
            <dt>parameters</dt>
            <dd data-parameters={inside.reduce((s, n) => s + n.parameters, 0)}>
              {formatInteger(inside.reduce((s, n) => s + n.parameters, 0))}
            </dd>
          </>
        ) : null}
        {!select ? (
          <>
            <dt>nodes</dt>
            <dd>{formatInteger(nodes.length)}</dd>
            <dt>shown</dt>
            <dd>{formatInteger(folded.nodes.length)}</dd>
            <dt>parameters</dt>
            <dd data-parameters={total}>{formatInteger(total)}</dd>
          </>
        ) : null}
      </dl>
      {group && open.includes(select) ? (
        <button
          type="button"
          class="button"
          onClick={() =>
            patch({ open: open.filter((g) => g !== select && !g.startsWith(select + "/")) })
          }
        >
          Fold {select}
        </button>
      ) : null}
      {select ? (
        <button
          type="button"
          class="button"
          style={{ marginLeft: 8 }}
          onClick={() => patch({ select: "" })}
        >
          Whole model
        </button>
      ) : null}
    </aside>
  );
}

export function GraphPage() {
  const v = view.value;
  const [text, setText] = useState("");
  const ids = visible.value.slice(0, 100).map((r) => r.id);
  const {
    value: index,
    error,
    loading,
    again,
  } = useLoad("graphs " + ids.join(), () =>
    ids.length
      ? post<Index>("entries:index", { runs: ids, kinds: ["graph"] })
      : Promise.resolve({ revision: 0, series: [] }),
  );
  const choices = shownOf(index);
  const chosen =
    choices.find((s) => s.run + "\n" + s.key === v.graph.key) ??
    choices.find((s) => s.run === v.run) ??
    choices[0];
  const { value: graph, error: graphError } = useLoad(
    `graph ${chosen?.run} ${chosen?.key}`,
    async () =>
      chosen
        ? ((await loadEntry(chosen.run, chosen.key, lastOf(chosen, "graph"))).value as GraphValue)
        : null,
  );
  const nodes = graph?.nodes ?? [];
  const whole = useMemo(
    () => (graph ? fold(nodes, new Set(v.graph.open)) : null),
    [graph, v.graph.open],
  );
  const large = whole !== null && whole.nodes.length > drawable;
  const folded = useMemo(
    () => (whole && large && text ? matching(whole, text) : whole),
    [whole, large, text],
  );
  const { layout, error: layoutError } = useLayout(folded);
  if (nothingYet()) return <WaitingForRuns />;
  if (error || graphError)
    return (
      <div class="page">
        <Failed message={error || graphError} retry={again} />
      </div>
    );
  if (index && !loading && choices.length === 0)
    return (
      <div class="page">
        <Empty icon="graph" title="No model graph in the visible runs">
          <p>
            Log one with <code>log_graph</code>.
          </p>
        </Empty>
      </div>
    );
  const most = (folded?.nodes ?? []).reduce((m, n) => Math.max(m, n.parameters), 1);
  const devices = [...new Set(nodes.map((n) => n.device))];
  const colorOf = (n: FoldedNode) =>
    v.graph.color === "parameters"
      ? rampColor(Math.log1p(n.parameters) / Math.log1p(most))
      : v.graph.color === "device"
        ? slotColor(theme.value, devices.indexOf(n.device))
        : slotColor(
            theme.value,
            n.group ? 4 : [...n.op].reduce((h, c) => (h * 31 + c.charCodeAt(0)) >>> 0, 7) % 8,
          );
  const groups = groupsOf(nodes);
  const depthOf = (g: string) => g.split("/").length;
  const deepest = groups.reduce((m, g) => Math.max(m, depthOf(g)), 0);
  const depth = v.graph.open.reduce((m, g) => Math.max(m, depthOf(g)), 0);
  return (
    <div class="page">
      <div class="toolbar" role="toolbar" aria-label="Graph">
        <Search
          id="metric-search"
          value={text}
          onChange={setText}
          placeholder="Search nodes"
          label="Search nodes"
        />
        <label class="field">
          of
          <Select
            label="Graph"
            value={chosen ? chosen.run + "\n" + chosen.key : ""}
            onChange={(key) => patch({ key, select: "", open: [] })}
            options={choices.map((s) => ({
              value: s.run + "\n" + s.key,
              label: `${runById.value.get(s.run)?.name ?? s.run} · ${s.key}`,
            }))}
          />
        </label>
        <label class="field">
          depth
          <input
            type="range"
            min={0}
            max={deepest}
            value={depth}
            aria-label="Depth"
            onInput={(e) =>
              patch({ open: groups.filter((g) => depthOf(g) <= Number(e.currentTarget.value)) })
            }
          />
        </label>
        <label class="field">
          colour
          <Select
            label="Colour"
            value={v.graph.color}
            onChange={(color) => patch({ color })}
            options={[
              { value: "type", label: "operation" },
              { value: "parameters", label: "parameters" },
              { value: "device", label: "device" },
            ]}
          />
        </label>
        <span class="spacer" />
        <IconButton
          icon="download"
          label="Save as SVG"
          onClick={() => {
            const svg = document.querySelector(".graph-canvas svg");
            if (svg)
              saveBlob(
                new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }),
                fileName(chosen?.key ?? "graph") + ".svg",
              );
          }}
        />
      </div>
      <div class="main" style={{ flex: 1 }}>
        {folded && folded.nodes.length === 0 ? (
          <div class="page">
            <Empty icon="graph" title={nodes.length ? "No node matches" : "The graph has no nodes"}>
              <p>
                {nodes.length ? (
                  <>
                    Nothing is called <code>{text}</code>.
                  </>
                ) : (
                  <>
                    What was logged as <code>{chosen?.key}</code> is a graph without any node.
                  </>
                )}
              </p>
            </Empty>
          </div>
        ) : folded && folded.nodes.length > drawable ? (
          <div class="page">
            <Empty
              icon="graph"
              title={`${formatInteger(folded.nodes.length)} nodes are too many to draw`}
            >
              <p>
                {deepest > 0 && depth > 0
                  ? "Fold groups with the depth slider, or search"
                  : "Search"}{" "}
                for a part of a name: up to {formatInteger(drawable)} nodes are drawn.
              </p>
            </Empty>
          </div>
        ) : layoutError ? (
          <div class="page">
            <Failed message={`This graph could not be laid out. ${layoutError}`} />
          </div>
        ) : folded && layout && layout.nodes.length ? (
          <Canvas folded={folded} layout={layout} colorOf={colorOf} wanted={text} />
        ) : (
          <div class="page page-pad">
            <Skeleton height={300} />
          </div>
        )}
        {folded ? <Side nodes={nodes} folded={folded} /> : null}
      </div>
    </div>
  );
}
