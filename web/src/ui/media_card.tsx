// What is not a line, among the charts: one key of media or histograms for the visible runs, at the
// step of the shared cursor.
import { post } from "../api/client";
import { mediaKinds } from "../lib/kinds";
import type { Histograms, Index } from "../api/types";
import { hoveredRun, isMarked, pickedRun } from "../state/cursor";
import { runStyle, styleAmong } from "../state/colors";
import { runById, visibleIds } from "../state/runs";
import { formatInteger } from "../viz/format";
import { Swatch } from "./controls";
import { HistogramCard } from "./histogram_card";
import { MediaItem } from "./media_item";
import { entryAt, kindAt, mediaStep, seekMedia, StepTrack } from "./step_track";
import { useLoad } from "./use_load";

type Place = { left: number; top: number; width: number | string; height: number };
const runLimit = 24;

function useIndex(name: string, ids: string[], kinds: readonly string[]) {
  return useLoad(
    `index ${name} ${kinds[0]} ${ids.join()}`,
    () =>
      ids.length
        ? post<Index>("entries:index", { runs: ids, keys: [name], kinds })
        : Promise.resolve({ revision: 0, series: [] }),
    (runs) => runs.some((id) => ids.includes(id)),
  );
}

/** `runs`: these in this order, whoever is visible. */
export function MediaCard({ name, place, runs }: { name: string; place: Place; runs?: string[] }) {
  const ids = runs ?? visibleIds.value;
  const style = runs ? styleAmong(runs) : runStyle.value;
  const { value, error } = useIndex(name, ids.slice(0, runLimit), mediaKinds);
  const found = value?.series ?? [];
  const series = runs
    ? [...found].sort((a, b) => runs.indexOf(a.run) - runs.indexOf(b.run))
    : found;
  const steps = [...new Set(series.flatMap((s) => s.step))].sort((a, b) => a - b);
  const step = Math.min(mediaStep(), steps[steps.length - 1] ?? 0);
  const size = Math.max(64, place.height - 122);
  return (
    <section
      class="chart-card"
      style={place}
      aria-label={name}
      data-media={name}
      data-step={value ? step : undefined}
    >
      <div class="card-head">
        <span class="title ellipsis" style={{ cursor: "default" }} title={name}>
          {name}
        </span>
        {ids.length > runLimit ? (
          <span class="chip warn">
            the first {runLimit} of {formatInteger(ids.length)} runs
          </span>
        ) : null}
        {value ? (
          <span class="muted small" style={{ paddingRight: 8 }}>
            step {formatInteger(step)}
          </span>
        ) : null}
      </div>
      <div class="media-shelf" tabIndex={0}>
        {series.map((s) => {
          const i = entryAt(s.step, step);
          return (
            <div
              key={s.run + s.kind}
              class={`media-cell${isMarked(s.run) ? " hovered" : ""}`}
              data-run={s.run}
              data-step={i >= 0 ? s.step[i] : ""}
              onPointerEnter={() => (hoveredRun.value = s.run)}
              onPointerLeave={() => (hoveredRun.value = null)}
            >
              <div class="row small" style={{ maxWidth: Math.max(140, size) }}>
                <Swatch color={style(s.run).drawn} />
                <span class="ellipsis">{runById.value.get(s.run)?.name ?? s.run}</span>
              </div>
              <MediaItem
                run={s.run}
                name={name}
                kind={kindAt(s, i)}
                index={i}
                items={kindAt(s, i) === "image" ? 1 : (s.items?.[i] ?? 1)}
                size={size}
                fit
              />
            </div>
          );
        })}
        {error ? (
          <div class="card-note" role="alert">
            {error}
          </div>
        ) : value && !series.length ? (
          <div class="card-note">No visible run has {name}.</div>
        ) : null}
      </div>
      {steps.length > 1 ? (
        <StepTrack steps={steps} step={step} seek={seekMedia} label={`Step of ${name}`} />
      ) : null}
    </section>
  );
}

/** Histograms of the picked run, otherwise of the newest visible one that has some. */
export function HistogramPanel({ name, place }: { name: string; place: Place }) {
  const { value: index } = useIndex(name, visibleIds.value.slice(0, 200), ["histogram"]);
  const holders = index?.series.map((s) => s.run) ?? [];
  const run =
    pickedRun.value && holders.includes(pickedRun.value) ? pickedRun.value : (holders[0] ?? "");
  const { value, error } = useLoad(
    `hist ${run} ${name}`,
    () =>
      run
        ? post<Histograms>("histograms:query", { runs: [run], keys: [name], width: 80 })
        : Promise.resolve({ revision: 0, series: [] }),
    (runs) => runs.includes(run),
  );
  const series = value?.series[0];
  return (
    <section class="chart-card" style={place} aria-label={name}>
      {series ? (
        <HistogramCard series={series} height={place.height - 34} />
      ) : (
        <div class="card-note">{error || (index && !run ? `No visible run has ${name}.` : "")}</div>
      )}
    </section>
  );
}
