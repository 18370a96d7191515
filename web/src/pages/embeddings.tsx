// Embeddings: principal components or t-SNE as a 2D or 3D scatter, coloured and searched by their
// labels.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiUrl, getBytes, post } from "../api/client";
import type { EmbeddingValue, Index } from "../api/types";
import { computeProjection } from "../lib/compute";
import type { Projection } from "../lib/pca";
import { shownOf } from "../state/metrics";
import { runById, visible } from "../state/runs";
import { theme } from "../state/settings";
import { change, view } from "../state/view";
import { CanvasPlot } from "../ui/canvas_plot";
import { Search, Segmented, Select } from "../ui/controls";
import { loadEntry } from "../ui/entry";
import { NoRunShown, noRunShown } from "../ui/no_run_shown";
import { Empty, Failed, Skeleton, Waiting } from "../ui/states";
import { lastOf } from "../ui/step_track";
import { useLoad } from "../ui/use_load";
import { WhenSeen } from "../ui/when_seen";
import { formatInteger, formatNumber } from "../viz/format";
import { placeColor, rampColor, themes } from "../viz/palette";
import { Plot, rangeOf } from "../viz/plot";

const labelColor = (i: number) => placeColor(theme.value, i);

/** The thumbnail of the i-th vector: all of them are one picture, a square grid row by row. */
function Thumbnail({ run, value, i }: { run: string; value: EmbeddingValue; i: number }) {
  const { sprite, count, thumbnail_width: width, thumbnail_height: height } = value;
  if (!sprite) return null;
  const columns = Math.ceil(Math.sqrt(count));
  const scale = Math.max(1, Math.round(64 / Math.max(width, height)));
  const url = apiUrl("blob", { run, sha: sprite.sha, size: sprite.size, format: "png" });
  return (
    <div
      class="thumbnail"
      data-vector={i}
      style={{
        width: width * scale,
        height: height * scale,
        backgroundImage: `url("${url}")`,
        backgroundSize: `${columns * width * scale}px ${columns * height * scale}px`,
        backgroundPosition: `${-(i % columns) * width * scale}px ${-Math.floor(i / columns) * height * scale}px`,
      }}
    />
  );
}

function EmbeddingCard({
  run,
  name,
  index,
  step,
}: {
  run: string;
  name: string;
  index: number;
  step: number;
}) {
  const { dims, color, projection: kind } = view.value.distributions;
  const [projection, setProjection] = useState<
    (Projection & { kind: string; components: number }) | null
  >(null);
  const [problem, setProblem] = useState("");
  const [text, setText] = useState("");
  const [turn, setTurn] = useState({ yaw: 0.5, pitch: 0.3 });
  const plot = useRef<Plot | null>(null);
  const drag = useRef<{ x: number; y: number; yaw: number; pitch: number } | null>(null);
  const { value, error } = useLoad(`embedding ${run} ${name} ${index}`, async () => {
    const entry = await loadEntry(run, name, index);
    const v = entry.value as EmbeddingValue;
    const bytes = await getBytes("blob", { run, sha: v.vectors.sha });
    return { v, vectors: new Float32Array(bytes) };
  });
  const components = kind === "tsne" ? dims : 3;
  useEffect(() => {
    if (!value) return;
    let stale = false;
    const { count, dimensions } = value.v;
    computeProjection(kind, value.vectors, count, dimensions, components).then(
      (found) => stale || setProjection({ ...found, kind, components }),
      (e: Error) => stale || setProblem(e.message),
    );
    return () => {
      stale = true;
    };
  }, [value, kind, components]);
  const columns = value?.v.metadata.columns ?? [];
  const label = Math.max(0, columns.indexOf(color || columns[0]));
  const labels = useMemo(
    () => value?.v.metadata.rows.map((r) => String(r[label] ?? "")) ?? [],
    [value, label],
  );
  const names = useMemo(
    () => [...new Set(labels)].sort((a, b) => a.localeCompare(b, undefined, { numeric: true })),
    [labels],
  );
  if (error || problem)
    return <Failed message={error || `The projection could not be computed. ${problem}`} />;
  if (!value || projection?.kind !== kind || projection.components !== components)
    return <Skeleton height={420} />;
  const numeric = names.length > 16 && names.every((n) => n !== "" && Number.isFinite(Number(n)));
  const range = numeric ? rangeOf(names.map(Number), "linear", 0) : [0, 1];
  const colorOf = (i: number) =>
    numeric
      ? rampColor((Number(labels[i]) - range[0]) / (range[1] - range[0]))
      : labelColor(Math.max(0, names.indexOf(labels[i])));
  const found = text ? labels.map((l) => l.toLowerCase().includes(text.toLowerCase())) : null;
  const { rows } = projection;
  // Of t-SNE some are left out because there are many.
  const left = kind === "pca" ? value.v.count - rows.length : 0;
  const share = Math.min(
    1,
    projection.explained.slice(0, dims).reduce((a, b) => a + b, 0),
  );
  if (!rows.length)
    return (
      <section class="plot-card" data-embedding={name} data-run={run}>
        <Empty title={name}>
          <p>
            {value.v.count
              ? `None of its ${formatInteger(value.v.count)} vectors is made of finite numbers.`
              : "It holds no vectors."}
          </p>
        </Empty>
      </section>
    );
  /** Of the i-th vector that is shown. */
  const point = (i: number): [number, number] => {
    const [a, b, c] = [0, 1, 2].map((k) =>
      k < components ? projection.coordinates[i * components + k] : 0,
    );
    if (dims === 2) return [a, b];
    const x = a * Math.cos(turn.yaw) - c * Math.sin(turn.yaw);
    const z = a * Math.sin(turn.yaw) + c * Math.cos(turn.yaw);
    return [x, b * Math.cos(turn.pitch) - z * Math.sin(turn.pitch)];
  };
  const points = Array.from({ length: rows.length }, (_, i) => point(i));
  return (
    <section
      class="plot-card"
      data-embedding={name}
      data-run={run}
      onPointerDown={(e) => {
        if (dims === 3 && e.target instanceof HTMLCanvasElement) {
          e.target.setPointerCapture(e.pointerId);
          drag.current = { x: e.clientX, y: e.clientY, ...turn };
        }
      }}
      onPointerMove={(e) =>
        drag.current &&
        setTurn({
          yaw: drag.current.yaw + (e.clientX - drag.current.x) * 0.01,
          pitch: drag.current.pitch + (e.clientY - drag.current.y) * 0.01,
        })
      }
      onPointerUp={() => (drag.current = null)}
    >
      <CanvasPlot
        title={`${name} · ${runById.value.get(run)?.name ?? run} · step ${formatInteger(step)}`}
        label={`${kind === "tsne" ? "t-SNE" : "Principal components"} of ${value.v.count} vectors of ${name}`}
        height={420}
        deps={[projection, dims, color, text, turn, labels]}
        actions={
          <>
            {left > 0 ? (
              <span class="chip warn" data-left={left} title="They hold NaN or an infinity">
                {formatInteger(left)} of {formatInteger(value.v.count)} left out
              </span>
            ) : null}
            {kind === "pca" ? (
              <span class="chip" data-explained={share}>
                PCA explains {formatNumber(100 * share, 3)} %
              </span>
            ) : (
              <span
                class="chip"
                data-projected={rows.length}
                title="Neighbours stay neighbours; distances between groups and sizes of groups say nothing"
              >
                t-SNE of {formatInteger(rows.length)}
                {rows.length < value.v.count ? ` of ${formatInteger(value.v.count)}` : ""}
              </span>
            )}
          </>
        }
        draw={(canvas, width, height) => {
          const reach = rangeOf(projection.coordinates);
          const span = Math.max(Math.abs(reach[0]), Math.abs(reach[1]));
          const [xr, yr] =
            dims === 2
              ? [rangeOf(points.map((p) => p[0])), rangeOf(points.map((p) => p[1]))]
              : [
                  [-span * 1.3, span * 1.3],
                  [-span * 1.3, span * 1.3],
                ];
          const p = new Plot(
            canvas,
            width,
            height,
            theme.peek(),
            { from: xr[0], to: xr[1], title: dims === 2 && kind === "pca" ? "component 1" : "" },
            { from: yr[0], to: yr[1], title: dims === 2 && kind === "pca" ? "component 2" : "" },
          );
          plot.current = p;
          p.inside(() =>
            p.dots(
              points.map((q) => q[0]),
              points.map((q) => q[1]),
              (i) => (found && !found[rows[i]] ? themes[theme.peek()].sunken : colorOf(rows[i])),
              3,
            ),
          );
        }}
        onMove={(x, y) => {
          const p = plot.current;
          if (x < 0 || !p || drag.current) return null;
          let best = -1;
          let distance = 10;
          points.forEach((q, i) => {
            const d = Math.hypot(p.x.pixel(q[0]) - x, p.y.pixel(q[1]) - y);
            if (d < distance) {
              distance = d;
              best = i;
            }
          });
          return best >= 0
            ? {
                text: [
                  `vector ${rows[best]}`,
                  ...columns.map((c, k) => `${c}  ${value.v.metadata.rows[rows[best]]?.[k] ?? ""}`),
                ].join("\n"),
                picture: <Thumbnail run={run} value={value.v} i={rows[best]} />,
              }
            : null;
        }}
      />
      <div class="row wrap" style={{ padding: "0 12px" }}>
        {columns.length ? (
          <label class="field">
            colour
            <Select
              label="Colour by"
              value={columns[label]}
              onChange={(c) => change({ distributions: { ...view.value.distributions, color: c } })}
              options={columns.map((c) => ({ value: c, label: c }))}
            />
          </label>
        ) : null}
        <div style={{ flex: "1 1 150px", maxWidth: 260 }}>
          <Search value={text} onChange={setText} placeholder="Find labels" label="Find labels" />
        </div>
        {!numeric && names.length <= 16 ? (
          <div class="legend" style={{ padding: 0 }}>
            {names.map((n, i) => (
              <span key={n}>
                <span class="swatch" style={{ color: labelColor(i) }} />
                {n}
              </span>
            ))}
          </div>
        ) : null}
      </div>
    </section>
  );
}

export function EmbeddingsTab() {
  const v = view.value;
  const ids = visible.value.map((r) => r.id);
  const { value, error, loading, again } = useLoad("embeddings " + ids.join(), () =>
    ids.length
      ? post<Index>("entries:index", { runs: ids, kinds: ["embedding"] })
      : Promise.resolve({ revision: 0, series: [] }),
  );
  if (error) return <Failed message={error} retry={again} />;
  if (!value || (loading && !value.series.length)) return <Waiting height={220} />;
  if (noRunShown()) return <NoRunShown />;
  if (!shownOf(value).length)
    return <Empty icon="distributions" title="No embeddings in the visible runs" />;
  return (
    <>
      <div class="toolbar">
        <Segmented
          label="Projection"
          value={v.distributions.projection}
          onChange={(projection) => change({ distributions: { ...v.distributions, projection } })}
          options={[
            { value: "pca", label: "PCA" },
            { value: "tsne", label: "t-SNE" },
          ]}
        />
        <Segmented
          label="Dimensions"
          value={String(v.distributions.dims)}
          onChange={(d) => change({ distributions: { ...v.distributions, dims: Number(d) } })}
          options={[
            { value: "2", label: "2D" },
            { value: "3", label: "3D" },
          ]}
        />
      </div>
      <div
        class="overview"
        style={{ gridTemplateColumns: "repeat(auto-fill, minmax(min(520px, 100%), 1fr))" }}
      >
        {shownOf(value)
          .map((s) => ({ s, last: lastOf(s, "embedding") }))
          .filter(({ last }) => last >= 0)
          .map(({ s, last }) => (
            <WhenSeen key={s.run + s.key} height={480}>
              <EmbeddingCard run={s.run} name={s.key} index={last} step={s.step[last]} />
            </WhenSeen>
          ))}
      </div>
    </>
  );
}
