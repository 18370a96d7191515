// Distributions: histograms over steps, precision-recall curves, embeddings.
import { useMemo, useRef, useState } from "preact/hooks";
import { post } from "../api/client";
import type { Histograms, Index, PrCurveValue } from "../api/types";
import { textMatcher } from "../lib/pattern";
import { shownOf } from "../state/metrics";
import { runStyle } from "../state/colors";
import { keys, nothingYet, runById, visible } from "../state/runs";
import { theme } from "../state/settings";
import { change, view, type View } from "../state/view";
import { CanvasPlot } from "../ui/canvas_plot";
import { Segmented, Swatch, Tabs } from "../ui/controls";
import { HistogramCard } from "../ui/histogram_card";
import { loadEntry } from "../ui/entry";
import { PageSearch, PageToolbar } from "../ui/page_toolbar";
import { RunList } from "../ui/run_list";
import { NoRunShown, noRunShown } from "../ui/no_run_shown";
import { Empty, Failed, Waiting } from "../ui/states";
import { entryAt } from "../ui/step_track";
import { useLoad } from "../ui/use_load";
import { toNumber } from "../viz/chart_data";
import { formatInteger, formatNumber } from "../viz/format";
import { nearestMark } from "../viz/nearest_mark";
import { Plot } from "../viz/plot";
import { EmbeddingsTab } from "./embeddings";
import { WaitingForRuns } from "./projects";

const patch = (dist: Partial<View["distributions"]>, replace = false) =>
  change({ distributions: { ...view.value.distributions, ...dist } }, replace);
const runLimit = 6;
const keyLimit = 24;

function HistogramsTab() {
  const v = view.value;
  const list = visible.value;
  const accept = textMatcher(v.search);
  const names = keys.value
    .filter((k) => k.kind === "histogram" && !k.hidden && accept(k.key))
    .map((k) => k.key);
  // Runs without any histogram do not use up the places of those that have some.
  const asked = list.slice(0, 200).map((r) => r.id);
  const { value: index } = useLoad("hist index " + asked.join(), () =>
    asked.length
      ? post<Index>("entries:index", { runs: asked, kinds: ["histogram"] })
      : Promise.resolve({ revision: 0, series: [] }),
  );
  const holders = [...new Set(shownOf(index).map((s) => s.run))];
  const ids = holders.slice(0, runLimit);
  const wanted = names.slice(0, keyLimit);
  const { from, to } = v.distributions;
  const range = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
  const { value, error, loading, again } = useLoad(
    `hist ${ids.join()} ${wanted.join()} ${from} ${to}`,
    () =>
      ids.length && wanted.length
        ? post<Histograms>("histograms:query", { runs: ids, keys: wanted, width: 160, ...range })
        : Promise.resolve({ revision: 0, series: [] }),
    (changed) => changed.some((id) => ids.includes(id)),
  );
  if (error) return <Failed message={error} retry={again} />;
  // What was found before the list of runs was there is not the answer.
  if (!value || !index || (loading && !value.series.length)) return <Waiting height={220} />;
  if (noRunShown()) return <NoRunShown />;
  if (!value.series.length)
    return (
      <Empty icon="distributions" title="No histograms">
        <p>
          Weights, gradients or anything else logged with <code>log_histogram</code> appears here.
        </p>
      </Empty>
    );
  const ordered = wanted.flatMap((key) => value.series.filter((s) => s.key === key));
  return (
    <>
      {holders.length > runLimit || names.length > keyLimit ? (
        <div class="page-pad" style={{ paddingBottom: 0 }}>
          <span class="chip warn">
            {holders.length > runLimit
              ? `the first ${runLimit} of ${formatInteger(holders.length)} runs`
              : ""}
            {names.length > keyLimit
              ? ` the first ${keyLimit} of ${formatInteger(names.length)} keys; search to narrow`
              : ""}
          </span>
        </div>
      ) : null}
      <div class="overview">
        {ordered.map((s) => (
          <HistogramCard key={s.run + s.key} series={s} />
        ))}
      </div>
    </>
  );
}

/** Area under the curve by the trapezoid rule over recall. */
function areaOf(p: PrCurveValue): number {
  const points = p.recall
    .map((r, i) => [toNumber(r), toNumber(p.precision[i])])
    .filter(([r, v]) => Number.isFinite(r) && Number.isFinite(v))
    .sort((a, b) => a[0] - b[0]);
  let sum = 0;
  for (let i = 1; i < points.length; i++)
    sum += ((points[i][0] - points[i - 1][0]) * (points[i][1] + points[i - 1][1])) / 2;
  return sum;
}

/** Why a curve has no area; "" when it has one. */
function withoutArea(p: PrCurveValue): string {
  const sum = (list: (number | string | null)[]) =>
    list.reduce((n: number, v) => n + (toNumber(v) || 0), 0);
  if (p.recall.length === 0) return "no points";
  if (p.true_positives.length && sum(p.true_positives) + sum(p.false_negatives) === 0)
    return "no positives: recall is not defined";
  return p.recall.some(
    (r, i) => Number.isFinite(toNumber(r)) && Number.isFinite(toNumber(p.precision[i])),
  )
    ? ""
    : "no finite points";
}

function AreaCell({ curve }: { curve: PrCurveValue }) {
  const why = withoutArea(curve);
  if (why)
    return (
      <td class="number muted" data-why={why}>
        {why}
      </td>
    );
  return (
    <td class="number" data-area={areaOf(curve)}>
      {formatNumber(areaOf(curve), 4)}
    </td>
  );
}

/** The point of a curve under the pointer: its threshold, and what it means there. */
function curveWords(
  plot: Plot | undefined,
  members: { run: string; entry: { value: unknown } | null }[],
  px: number,
  py: number,
): string | null {
  const curves = members.flatMap((m) => {
    const p = m.entry?.value as PrCurveValue | undefined;
    return p && !withoutArea(p) ? [{ run: m.run, p }] : [];
  });
  const found =
    plot &&
    nearestMark(
      plot.x,
      plot.y,
      curves.map(({ p }) => ({ xs: p.recall.map(toNumber), ys: p.precision.map(toNumber) })),
      px,
      py,
    );
  if (!found) return null;
  const { run, p } = curves[found.series];
  const at = (list: readonly (number | string | null)[]) =>
    formatNumber(toNumber(list[found.index]), 5);
  return [
    runById.value.get(run)?.name ?? run,
    `threshold ${at(p.thresholds)}`,
    `recall ${at(p.recall)}`,
    `precision ${at(p.precision)}`,
  ].join("\n");
}

function PrTab() {
  const list = visible.value.slice(0, 24);
  const ids = list.map((r) => r.id);
  const [at, setAt] = useState<number | null>(null);
  const plots = useRef(new Map<string, Plot>());
  const {
    value: index,
    error,
    again,
  } = useLoad("pr " + ids.join(), () =>
    ids.length
      ? post<Index>("entries:index", { runs: ids, kinds: ["pr_curve"] })
      : Promise.resolve({ revision: 0, series: [] }),
  );
  const steps = useMemo(
    () => [...new Set(shownOf(index).flatMap((s) => s.step))].sort((a, b) => a - b),
    [index, keys.value],
  );
  const step = at ?? steps[steps.length - 1] ?? 0;
  const { value: curves, loading } = useLoad(
    `prv ${step} ${shownOf(index).length} ${ids.join()}`,
    () =>
      Promise.all(
        shownOf(index).map(async (s) => ({
          run: s.run,
          key: s.key,
          entry:
            entryAt(s.step, step) >= 0
              ? await loadEntry(s.run, s.key, entryAt(s.step, step))
              : null,
        })),
      ),
  );
  if (error) return <Failed message={error} retry={again} />;
  if (!index || !curves || (loading && !curves.length)) return <Waiting height={220} />;
  if (noRunShown()) return <NoRunShown />;
  if (!curves.length)
    return (
      <Empty icon="distributions" title="No precision-recall curves">
        <p>
          Log them with <code>log_pr_curve</code>.
        </p>
      </Empty>
    );
  const byKey = new Map<string, typeof curves>();
  for (const c of curves) byKey.set(c.key, [...(byKey.get(c.key) ?? []), c]);
  return (
    <>
      <div class="toolbar">
        <label class="field">
          step
          <input
            type="range"
            style={{ width: 240 }}
            min={0}
            max={Math.max(0, steps.length - 1)}
            value={steps.indexOf(step)}
            aria-label="Step"
            onInput={(e) => setAt(steps[Number(e.currentTarget.value)])}
          />
        </label>
        <span>{formatInteger(step)}</span>
      </div>
      <div class="overview">
        {[...byKey].map(([key, members]) => (
          <div class="plot-card" key={key} data-pr={key}>
            <CanvasPlot
              title={key}
              label={`Precision over recall of ${key} for ${members.length} runs at step ${step}`}
              height={300}
              deps={[members, runStyle.value]}
              onMove={(x, y) => curveWords(plots.current.get(key), members, x, y)}
              draw={(canvas, width, height) => {
                const plot = new Plot(
                  canvas,
                  width,
                  height,
                  theme.peek(),
                  { from: 0, to: 1.02, title: "recall" },
                  { from: 0, to: 1.05, title: "precision" },
                );
                plots.current.set(key, plot);
                plot.inside(() =>
                  members.forEach((m) => {
                    const p = m.entry?.value as PrCurveValue | undefined;
                    if (p && !withoutArea(p))
                      plot.lines(
                        p.recall.map(toNumber),
                        p.precision.map(toNumber),
                        runStyle.value(m.run).drawn,
                      );
                  }),
                );
              }}
            />
            <table class="plain-table" style={{ margin: "0 12px", width: "calc(100% - 24px)" }}>
              <thead>
                <tr>
                  <th>run</th>
                  <th class="number">area</th>
                </tr>
              </thead>
              <tbody>
                {members.map(
                  (m) =>
                    m.entry && (
                      <tr key={m.run}>
                        <td>
                          <span class="row">
                            <Swatch color={runStyle.value(m.run).drawn} />
                            {runById.value.get(m.run)?.name}
                          </span>
                        </td>
                        <AreaCell curve={m.entry.value as PrCurveValue} />
                      </tr>
                    ),
                )}
              </tbody>
            </table>
          </div>
        ))}
      </div>
    </>
  );
}

export function DistributionsPage() {
  const v = view.value;
  if (nothingYet()) return <WaitingForRuns />;
  const has = (kind: string) => keys.value.some((k) => k.kind === kind && !k.hidden);
  const steps = keys.value.filter((k) => k.kind === "histogram").map((k) => k.last_step);
  const most = steps.reduce((a, b) => Math.max(a, b), 0);
  return (
    <>
      <RunList />
      <div class="page">
        <Tabs
          label="Distributions"
          value={v.distributions.tab}
          onChange={(tab) => patch({ tab })}
          options={[
            { value: "histograms", label: "Histograms" },
            ...(has("pr_curve") || v.distributions.tab === "pr"
              ? [{ value: "pr", label: "PR curves" }]
              : []),
            ...(has("embedding") || v.distributions.tab === "embeddings"
              ? [{ value: "embeddings", label: "Embeddings" }]
              : []),
          ]}
        />
        {v.distributions.tab === "histograms" ? (
          <PageToolbar label="Histograms">
            <PageSearch placeholder="Search, e.g. layer" label="Search histograms" />
            <Segmented
              label="Form"
              value={v.distributions.mode}
              onChange={(mode) => patch({ mode })}
              options={[
                { value: "ridge", label: "ridge" },
                { value: "heat", label: "heat" },
                { value: "percentiles", label: "percentiles" },
              ]}
            />
            <label class="field">
              steps
              <input
                class="input"
                style={{ width: 84 }}
                aria-label="From step"
                placeholder="0"
                value={v.distributions.from ?? ""}
                onChange={(e) =>
                  patch({
                    from: e.currentTarget.value === "" ? null : Number(e.currentTarget.value),
                  })
                }
              />
              …
              <input
                class="input"
                style={{ width: 84 }}
                aria-label="To step"
                placeholder={String(most)}
                value={v.distributions.to ?? ""}
                onChange={(e) =>
                  patch({ to: e.currentTarget.value === "" ? null : Number(e.currentTarget.value) })
                }
              />
            </label>
          </PageToolbar>
        ) : null}
        <div class="page-scroll">
          {v.distributions.tab === "pr" ? (
            <PrTab />
          ) : v.distributions.tab === "embeddings" ? (
            <EmbeddingsTab />
          ) : (
            <HistogramsTab />
          )}
        </div>
      </div>
    </>
  );
}
