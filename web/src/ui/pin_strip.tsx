// Numbers of pinned steps and ranges: value per run, the difference of two pins, statistics of a
// range.
import { useEffect, useState } from "preact/hooks";
import { post } from "../api/client";
import type { Points, RangeStats, Stats } from "../api/types";
import { axisTitle, pinAxis } from "../state/axis";
import { activeCard } from "../state/cursor";
import { runStyle } from "../state/colors";
import { visible } from "../state/runs";
import { change, view } from "../state/view";
import { toNumber } from "../viz/chart_data";
import { formatAxisValue, formatColumn, formatInteger } from "../viz/format";
import { IconButton, Swatch } from "./controls";

const statistics = ["min", "max", "mean", "std", "slope"] as const;

/** A number that may be an estimate, and says so. */
function Statistic({ of, name, text }: { of: RangeStats; name: string; text: string }) {
  const estimated = of.estimated?.some((n) => n === name);
  return (
    <td class="number" title={estimated ? "estimated" : ""}>
      {estimated ? "≈ " : ""}
      {text}
    </td>
  );
}

export function PinStrip() {
  const { pins, range } = view.value;
  const { axis: x, metric } = pinAxis();
  const card = activeCard.value;
  // Each with what it answers: a number must never stand beside a pin or a run that it does not
  // belong to.
  const [points, setPoints] = useState<{ of: string; at: Map<number, Points> }>({
    of: "",
    at: new Map(),
  });
  const [stats, setStats] = useState<{ of: string; value: Stats | null }>({ of: "", value: null });
  const runs = visible.value.slice(0, 100);
  const key = card?.keys[0];
  const span = range ?? (pins.length === 2 ? [Math.min(...pins), Math.max(...pins)] : null);
  const lines = JSON.stringify([x, metric, key, runs.map((r) => r.id)]);
  const signature = JSON.stringify([pins, range, lines]);
  useEffect(() => {
    if (!key || (!pins.length && !range)) return;
    const axis = { axis: x, ...(x === "metric" ? { metric } : {}) };
    const series = runs.map((r) => ({ run: r.id, key }));
    let stale = false;
    void Promise.all(pins.map((at) => post<Points>("series:points", { series, x: axis, at }))).then(
      (p) => stale || setPoints({ of: lines, at: new Map(pins.map((at, i) => [at, p[i]])) }),
      () => undefined,
    );
    if (span)
      void post<Stats>("series:stats", { series, x: { ...axis, from: span[0], to: span[1] } }).then(
        (value) => stale || setStats({ of: signature, value }),
        () => undefined,
      );
    return () => {
      stale = true;
    };
  }, [signature]);
  if (!key || (!pins.length && !range)) return null;
  const known = points.of === lines ? points.at : new Map<number, Points>();
  const measured = stats.of === signature ? stats.value : null;
  const busy = pins.some((p) => !known.has(p)) || (span !== null && !measured);
  const estimated = measured?.stats.filter((s) => s?.estimated?.length).length ?? 0;
  const value = (p: number, i: number) => toNumber(known.get(p)?.points[i]?.value);
  // Of each column the same decimals in every row.
  const columns = new Map(
    pins.map((p) => [
      p,
      formatColumn(
        runs.map((_, i) => value(p, i)),
        6,
      ),
    ]),
  );
  const cell = (p: number, i: number) =>
    !known.has(p) ? "…" : Number.isNaN(value(p, i)) ? "–" : columns.get(p)![i];
  const differences = formatColumn(
    pins.length === 2 ? runs.map((_, i) => value(pins[1], i) - value(pins[0], i)) : [],
  );
  const told = new Map(
    statistics.map((name) => [
      name,
      formatColumn((measured?.stats ?? []).map((s) => (s ? toNumber(s[name]) : NaN))),
    ]),
  );
  // A run that ended earlier, or logs now and then, has its nearest point elsewhere.
  const elsewhere = (p: number, i: number) => {
    const at = known.get(p)?.points[i]?.x;
    return at == null || (x === "step" && at === Math.round(p))
      ? ""
      : `@ ${formatAxisValue(x, at)}`;
  };
  return (
    <div class="pin-strip" role="region" aria-label="Pinned steps" aria-busy={busy}>
      <div class="row">
        <h3>{key}</h3>
        {pins.map((p) => (
          <button
            type="button"
            class="chip accent"
            key={p}
            title="Remove this pin"
            onClick={() => change({ pins: pins.filter((q) => q !== p) })}
          >
            {axisTitle({ axis: x, metric })} {formatAxisValue(x, p)} ×
          </button>
        ))}
        {range ? (
          <button type="button" class="chip accent" onClick={() => change({ range: null })}>
            {formatAxisValue(x, range[0])} … {formatAxisValue(x, range[1])} ×
          </button>
        ) : null}
        <span class="spacer" />
        <IconButton
          tiny
          icon="close"
          label="Remove all pins"
          onClick={() => change({ pins: [], range: null, pinAxis: "" })}
        />
      </div>
      <table class="plain-table">
        <thead>
          <tr>
            <th>run</th>
            {pins.map((p) => (
              <th class="number" key={p}>
                at {formatAxisValue(x, p)}
              </th>
            ))}
            {pins.length === 2 ? <th class="number">difference</th> : null}
            {span ? (
              <>
                {statistics.map((name) => (
                  <th class="number" key={name}>
                    {name}
                  </th>
                ))}
                <th class="number">points</th>
              </>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {runs.map((run, i) => {
            const s = measured?.stats[i];
            return (
              <tr key={run.id}>
                <td>
                  <span class="row">
                    <Swatch color={runStyle.value(run.id).drawn} />
                    <span class="ellipsis">{run.name}</span>
                  </span>
                </td>
                {pins.map((p) => (
                  <td class="number" key={p} title={elsewhere(p, i)}>
                    {cell(p, i)}
                    {x === "step" && elsewhere(p, i) ? (
                      <span class="muted"> {elsewhere(p, i)}</span>
                    ) : null}
                  </td>
                ))}
                {pins.length === 2 ? (
                  <td class="number">
                    {known.has(pins[0]) && known.has(pins[1]) ? differences[i] : "…"}
                  </td>
                ) : null}
                {span && s ? (
                  <>
                    {statistics.map((name) => (
                      <Statistic key={name} of={s} name={name} text={told.get(name)![i]} />
                    ))}
                    <td class="number">{formatInteger(s.count)}</td>
                  </>
                ) : span ? (
                  <td colSpan={6} class="muted">
                    {measured ? "no points in range" : "…"}
                  </td>
                ) : null}
              </tr>
            );
          })}
        </tbody>
      </table>
      {estimated > 0 ? (
        <p class="muted small" data-estimated={estimated}>
          ≈ Standard deviation and slope of{" "}
          {estimated === 1 ? "one run" : `${formatInteger(estimated)} runs`} are estimated from
          samples, because reading every point would take too long. The other numbers are exact.
        </p>
      ) : null}
      {visible.value.length > 100 ? (
        <p class="muted small">The first 100 of {formatInteger(visible.value.length)} runs.</p>
      ) : null}
    </div>
  );
}
