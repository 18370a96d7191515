// Numbers of pinned steps and ranges: value per run, the difference of two pins, statistics of a range.
import { useEffect, useState } from "preact/hooks";
import { post } from "../api/client";
import type { Points, Stats } from "../api/types";
import { activeCard } from "../state/cursor";
import { runStyle, visible } from "../state/runs";
import { change, view } from "../state/view";
import { toNumber } from "../viz/chart_data";
import { formatAxisValue, formatInteger, formatNumber } from "../viz/format";
import { IconButton, Swatch } from "./controls";

export function PinStrip() {
  const { pins, range, x, xm } = view.value;
  const card = activeCard.value;
  const [points, setPoints] = useState<Points[]>([]);
  const [stats, setStats] = useState<Stats | null>(null);
  const runs = visible.value.slice(0, 100);
  const key = card?.keys[0];
  const span = range ?? (pins.length === 2 ? [Math.min(...pins), Math.max(...pins)] : null);
  const signature = JSON.stringify([pins, range, x, xm, key, runs.map((r) => r.id)]);
  useEffect(() => {
    if (!key || (!pins.length && !range)) return;
    const axis = { axis: x, ...(x === "metric" ? { metric: xm } : {}) };
    const series = runs.map((r) => ({ run: r.id, key }));
    let stale = false;
    void Promise.all(pins.map((at) => post<Points>("series:points", { series, x: axis, at }))).then((p) => stale || setPoints(p), () => undefined);
    if (span) void post<Stats>("series:stats", { series, x: { ...axis, from: span[0], to: span[1] } }).then((s) => stale || setStats(s), () => undefined);
    else setStats(null);
    return () => {
      stale = true;
    };
  }, [signature]);
  if (!key || (!pins.length && !range)) return null;
  const value = (p: number, i: number) => toNumber(points[p]?.points[i]?.value);
  return (
    <div class="pin-strip" role="region" aria-label="Pinned steps">
      <div class="row">
        <h3>{key}</h3>
        {pins.map((p) => <button type="button" class="chip accent" key={p} title="Remove this pin" onClick={() => change({ pins: pins.filter((q) => q !== p) })}>{x} {formatAxisValue(x, p)} ×</button>)}
        {range ? <button type="button" class="chip accent" onClick={() => change({ range: null })}>{formatAxisValue(x, range[0])} … {formatAxisValue(x, range[1])} ×</button> : null}
        <span class="spacer" />
        <IconButton tiny icon="close" label="Remove all pins" onClick={() => change({ pins: [], range: null })} />
      </div>
      <table class="plain-table">
        <thead>
          <tr>
            <th>run</th>
            {pins.map((p) => <th class="number" key={p}>at {formatAxisValue(x, p)}</th>)}
            {pins.length === 2 ? <th class="number">difference</th> : null}
            {span ? <><th class="number">min</th><th class="number">max</th><th class="number">mean</th><th class="number">std</th><th class="number">slope</th><th class="number">points</th></> : null}
          </tr>
        </thead>
        <tbody>
          {runs.map((run, i) => {
            const s = stats?.stats[i];
            return (
              <tr key={run.id}>
                <td><span class="row"><Swatch color={runStyle.value(run.id).color} /><span class="ellipsis">{run.name}</span></span></td>
                {pins.map((p, k) => <td class="number" key={p}>{Number.isNaN(value(k, i)) ? "–" : formatNumber(value(k, i), 6)}</td>)}
                {pins.length === 2 ? <td class="number">{formatNumber(value(1, i) - value(0, i), 4)}</td> : null}
                {span && s ? <><td class="number">{formatNumber(toNumber(s.min), 5)}</td><td class="number">{formatNumber(toNumber(s.max), 5)}</td><td class="number">{formatNumber(toNumber(s.mean), 5)}</td><td class="number">{formatNumber(toNumber(s.std), 4)}</td><td class="number">{formatNumber(toNumber(s.slope), 4)}</td><td class="number">{formatInteger(s.count)}</td></> : span ? <td colSpan={6} class="muted">no points in range</td> : null}
              </tr>
            );
          })}
        </tbody>
      </table>
      {visible.value.length > 100 ? <p class="muted small">The first 100 of {formatInteger(visible.value.length)} runs.</p> : null}
    </div>
  );
}
