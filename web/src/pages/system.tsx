// Machine load of a run: every GPU as a strip of heat, the rest as small multiples with one cursor.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get } from "../api/client";
import type { Keys } from "../api/types";
import { pageAxis } from "../state/axis";
import { cursor } from "../state/cursor";
import { Feed } from "../state/feed";
import { nothingYet, runById, visible } from "../state/runs";
import { theme } from "../state/settings";
import { change, view } from "../state/view";
import { CanvasPlot } from "../ui/canvas_plot";
import { ChartCard } from "../ui/chart_card";
import { Segmented, Select } from "../ui/controls";
import { PageToolbar } from "../ui/page_toolbar";
import { RunList } from "../ui/run_list";
import { Empty, Failed, Waiting } from "../ui/states";
import { useLoad } from "../ui/use_load";
import { binX, nearestBin, type ChartData } from "../viz/chart_data";
import { formatAxisTicks, formatAxisValue, formatNumber } from "../viz/format";
import { Plot } from "../viz/plot";
import { WaitingForRuns } from "./projects";
import { groupReadings, placeOf, type Reading } from "./system_keys";

function Heat({
  run,
  readings,
  title,
  most,
}: {
  run: string;
  readings: Reading[];
  title: string;
  most: number;
}) {
  const keys = readings.map((r) => r.key);
  const [data, setData] = useState<ChartData | null>(null);
  const feed = useRef<Feed | null>(null);
  const page = pageAxis().axis;
  const x = page === "metric" ? "step" : page; // machine load has no value of a metric beside it
  useEffect(() => {
    const f = new Feed(() => f.data && setData(f.data));
    feed.current = f;
    return () => f.destroy();
  }, []);
  const signature = keys.join("\n");
  useEffect(
    () =>
      feed.current?.ask({
        runs: [run],
        keys,
        x: { axis: x },
        width: 240,
        raw_limit: 240,
        precision: "f32",
        fields: ["mean", "min", "max", "count"],
      }),
    [run, signature, x],
  );
  const labels = readings.map((r) => "gpu " + placeOf(r));
  const plotRef = useRef<Plot | null>(null);
  const find = (px: number, py: number) => {
    const plot = plotRef.current;
    if (!plot || !data || px < plot.box.left) return null;
    const row = Math.round(plot.y.value(py));
    const s = data.series.findIndex((i) => i.key === keys[row]);
    if (s < 0) return null;
    const bin = nearestBin(data, s, plot.x.value(px));
    return bin < 0 ? null : { row, at: binX(data, s, bin), value: data.raster.line[bin] };
  };
  return (
    <div class="plot-card" style={{ gridColumn: "1 / -1" }}>
      <CanvasPlot
        title={title}
        label={`${title} of ${keys.length} GPUs over ${x}`}
        height={40 + keys.length * 24}
        deps={[data, cursor.value]}
        draw={(canvas, width, height) => {
          if (!data) return;
          const plot = new Plot(
            canvas,
            width,
            height,
            theme.peek(),
            { from: data.xFrom, to: data.xTo, format: (v) => formatAxisTicks(x, v) },
            { from: keys.length - 0.5, to: -0.5, labels },
          );
          plotRef.current = plot;
          data.series.forEach((info, s) => {
            const row = keys.indexOf(info.key);
            const { starts } = data.raster;
            const edges: number[] = [];
            for (let i = starts[s]; i <= starts[s + 1]; i++)
              edges.push(data.raster.x[i + data.raster.shift[s]]);
            plot.inside(() =>
              plot.heat(
                edges,
                [row + 0.42, row - 0.42],
                (c) => data.raster.line[starts[s] + c],
                most,
              ),
            );
          });
          if (cursor.value?.axis === x)
            plot.inside(() =>
              plot.lines(
                [cursor.value!.x, cursor.value!.x],
                [-0.5, keys.length - 0.5],
                plot.colors.muted,
                1,
                [3, 3],
              ),
            );
        }}
        onMove={(px, py) => {
          const hit = px < 0 ? null : find(px, py);
          cursor.value = hit
            ? { axis: x, x: hit.at, step: x === "step" ? Math.round(hit.at) : null, source: title }
            : null;
          return hit
            ? `gpu ${labels[hit.row].slice(4)} · ${x} ${formatAxisValue(x, hit.at)}\n${formatNumber(hit.value, 4)}`
            : null;
        }}
      />
    </div>
  );
}

export function SystemPanels({ run }: { run: string }) {
  const { value, error, again } = useLoad("system " + run, () => get<Keys>("keys", { run }));
  const v = view.value;
  const groups = useMemo(
    () =>
      groupReadings(
        (value?.keys ?? []).filter(({ kind }) => kind === "scalar").map(({ key }) => key),
        v.system.host,
      ),
    [value, v.system.host],
  );
  if (error) return <Failed message={error} retry={again} />;
  if (!value) return <Waiting height={240} />;
  if (!groups.gpus.size && !groups.machines.size)
    return (
      <Empty icon="system" title="No machine load was recorded">
        <p>
          It is on unless <code>RunOptions::machine_load</code> says otherwise.
        </p>
      </Empty>
    );
  const heatOf = (name: string) => (/util|percent/.test(name) ? 100 : 0);
  const heats = [...groups.gpus].filter(([name]) => heatOf(name));
  const lines =
    v.system.mode === "lines"
      ? [...groups.gpus]
      : [...groups.gpus].filter(([name]) => !heatOf(name));
  const card = (title: string, readings: Reading[]) => (
    <div class="overview-chart" key={title} data-reading={title}>
      <ChartCard
        spec={{ id: "system:" + title, title, keys: readings.map((r) => r.key) }}
        runs={[run]}
        style={{ position: "absolute", inset: "0" }}
      />
    </div>
  );
  return (
    <div class="overview">
      {groups.hosts.length > 1 ? (
        <div class="host-choice">
          <Segmented
            label="Hosts"
            value={groups.hosts.includes(v.system.host) ? v.system.host : ""}
            onChange={(host) => change({ system: { ...v.system, host } })}
            options={[
              { value: "", label: `all ${groups.hosts.length} hosts` },
              ...groups.hosts.map((h) => ({ value: h, label: h })),
            ]}
          />
        </div>
      ) : null}
      {v.system.mode === "heat"
        ? heats.map(([name, readings]) => (
            <Heat
              key={name}
              run={run}
              readings={readings}
              title={`GPU ${name.replaceAll("_", " ")}`}
              most={heatOf(name)}
            />
          ))
        : null}
      {lines.map(([name, readings]) => card(`GPU ${name.replaceAll("_", " ")}`, readings))}
      {[...groups.machines].map(([name, readings]) => card(name, readings))}
    </div>
  );
}

export function SystemPage() {
  const v = view.value;
  const list = visible.value;
  const run = runById.value.has(v.run) ? v.run : (list[0]?.id ?? "");
  if (nothingYet()) return <WaitingForRuns />;
  return (
    <>
      <RunList />
      <div class="page">
        <PageToolbar label="System">
          <label class="field">
            run
            <Select
              label="Run"
              value={run}
              onChange={(id) => change({ run: id })}
              options={list.map((r) => ({ value: r.id, label: r.name }))}
            />
          </label>
          <label class="field">
            GPUs
            <Segmented
              label="GPUs"
              value={v.system.mode}
              onChange={(mode) => change({ system: { ...v.system, mode } })}
              options={[
                { value: "heat", label: "heat" },
                { value: "lines", label: "lines" },
              ]}
            />
          </label>
          <label class="field">
            align
            <Select
              label="Align"
              value={pageAxis(v).axis}
              onChange={(x) => change({ xAxis: x === "step" ? "auto" : x })}
              options={[
                { value: "step", label: "step" },
                { value: "relative", label: "relative time" },
                { value: "wall", label: "wall time" },
              ]}
            />
          </label>
        </PageToolbar>
        <div class="page-scroll">
          {run ? <SystemPanels run={run} /> : <Empty icon="system" title="No run is visible" />}
        </div>
      </div>
    </>
  );
}
