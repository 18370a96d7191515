// Media of all visible runs: rows and columns by run and key, one step for everything, play,
// differences.
import { useEffect, useMemo, useState } from "preact/hooks";
import { post } from "../api/client";
import type { EntryIndex, Index } from "../api/types";
import { isMarked } from "../state/cursor";
import { mediaKinds } from "../lib/kinds";
import { textMatcher } from "../lib/pattern";
import { isHidden } from "../state/metrics";
import { runStyle } from "../state/colors";
import { keys, nothingYet, runById, visible } from "../state/runs";
import { change, view, type View } from "../state/view";
import { Check, IconButton, Segmented, Select, Swatch } from "../ui/controls";
import { imageUrl, MediaItem, tileWidth } from "../ui/media_item";
import { PageSearch, PageToolbar } from "../ui/page_toolbar";
import { RunList } from "../ui/run_list";
import { NoRunShown, noRunShown } from "../ui/no_run_shown";
import { Empty, Failed, Waiting } from "../ui/states";
import { entryAt, indexAt, kindAt, seekMedia, StepTrack } from "../ui/step_track";
import { useLoad } from "../ui/use_load";
import { formatInteger } from "../viz/format";
import { WaitingForRuns } from "./projects";

const patch = (media: Partial<View["media"]>, replace = false) =>
  change({ media: { ...view.value.media, ...media } }, replace);
const runLimit = 24;

function Scrubber({ steps, step }: { steps: number[]; step: number }) {
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState("4");
  const at = indexAt(steps, step);
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(
      () => {
        const now = view.value.media.step ?? steps[steps.length - 1];
        seekMedia(steps[(steps.findLastIndex((s) => s <= now) + 1) % steps.length]);
      },
      1000 / Number(speed),
    );
    return () => clearInterval(timer);
  }, [playing, speed, steps]);
  return (
    <div class="scrubber" role="group" aria-label="Step">
      <IconButton icon="first" label="First step" onClick={() => seekMedia(steps[0])} />
      <IconButton
        icon={playing ? "pause" : "play"}
        label={playing ? "Pause" : "Play"}
        pressed={playing}
        onClick={() => setPlaying(!playing)}
      />
      <IconButton icon="last" label="Latest step" onClick={() => patch({ step: null })} />
      <StepTrack steps={steps} step={step} seek={seekMedia} label="Step" />
      <span class="number" style={{ minWidth: 110 }} data-step={steps[at]}>
        step {formatInteger(steps[at])}
      </span>
      <Select
        label="Speed"
        value={speed}
        onChange={setSpeed}
        options={["1", "2", "4", "10", "20"].map((v) => ({ value: v, label: v + "/s" }))}
      />
    </div>
  );
}

export function MediaPage() {
  const v = view.value;
  const m = v.media;
  const shownRuns = visible.value.slice(0, runLimit);
  const ids = shownRuns.map((r) => r.id);
  const { value, error, loading, again } = useLoad(
    "media " + ids.join("\n"),
    () =>
      ids.length
        ? post<Index>("entries:index", { runs: ids, kinds: mediaKinds })
        : Promise.resolve({ revision: 0, series: [] }),
    (list) => list.some((id) => ids.includes(id)),
  );
  const accept = textMatcher(v.search);
  const series = useMemo(
    () =>
      (value?.series ?? []).filter(
        (s) =>
          (!m.kind || s.kind === m.kind || s.kinds?.some((k) => k === m.kind)) &&
          !isHidden(s.key, s.kind) &&
          accept(s.key),
      ),
    [value, m.kind, v.search, keys.value],
  );
  const steps = useMemo(
    () => [...new Set(series.flatMap((s) => s.step))].sort((a, b) => a - b),
    [series],
  );
  const step = m.step ?? steps[steps.length - 1] ?? 0;

  // The next pictures of what is on show, so that play and drag find them in the cache.
  useEffect(() => {
    for (const s of series.slice(0, 12)) {
      const i = entryAt(s.step, step);
      for (const next of [i + 1, i + 2])
        if (next > 0 && next < s.step.length && kindAt(s, next) === "image")
          new Image().src = imageUrl(s.run, s.key, next, 0, tileWidth(m.size, m.fit));
    }
  }, [step, series, m.size, m.fit]);

  if (nothingYet()) return <WaitingForRuns />;
  const byRow = new Map<string, EntryIndex[]>();
  for (const s of series) {
    const row = m.rows === "run" ? s.run : s.key;
    if (!byRow.has(row)) byRow.set(row, []);
    byRow.get(row)!.push(s);
  }
  const kinds = [...new Set((value?.series ?? []).flatMap((s) => s.kinds ?? s.kind))];
  const reference = v.baseline && ids.includes(v.baseline) ? v.baseline : ids[0];
  const title = (row: string) => (m.rows === "run" ? (runById.value.get(row)?.name ?? row) : row);
  return (
    <>
      <RunList />
      <div class="page">
        <PageToolbar label="Media">
          <PageSearch placeholder="Search keys" label="Search media keys" />
          <label class="field">
            rows
            <Segmented
              label="Rows"
              value={m.rows}
              onChange={(rows) => patch({ rows })}
              options={[
                { value: "run", label: "run" },
                { value: "key", label: "key" },
              ]}
            />
          </label>
          <label class="field">
            kind
            <Select
              label="Kind"
              value={m.kind}
              onChange={(kind) => patch({ kind })}
              options={[
                { value: "", label: "all" },
                ...kinds.map((k) => ({ value: k as string, label: k === "mesh" ? "3D" : k })),
              ]}
            />
          </label>
          <label class="field">
            size
            <input
              type="range"
              min={64}
              max={480}
              step={8}
              value={m.size}
              aria-label="Size"
              onInput={(e) => patch({ size: Number(e.currentTarget.value) }, true)}
            />
          </label>
          <Segmented
            label="Scale"
            value={m.fit ? "fit" : "1:1"}
            onChange={(f) => patch({ fit: f === "fit" })}
            options={[
              { value: "fit", label: "fit" },
              { value: "1:1", label: "1:1" },
            ]}
          />
          <Check checked={m.mode === "diff"} onChange={(on) => patch({ mode: on ? "diff" : "" })}>
            <span class="ellipsis">
              difference to {runById.value.get(reference ?? "")?.name ?? "baseline"}
            </span>
          </Check>
          {visible.value.length > runLimit ? (
            <span class="chip warn">
              the first {runLimit} of {formatInteger(visible.value.length)} runs
            </span>
          ) : null}
        </PageToolbar>
        <div class="page-scroll">
          {error ? (
            <Failed message={error} retry={again} />
          ) : !value || (loading && !value.series.length) ? (
            <Waiting height="40vh" />
          ) : noRunShown() ? (
            <NoRunShown />
          ) : series.length === 0 ? (
            <Empty icon="media" title="No media here">
              <p>
                {value.series.length
                  ? "Nothing matches the search."
                  : "Images, audio, video, meshes, text, tables and figures of the visible runs appear here."}
              </p>
            </Empty>
          ) : (
            <div class="media-rows">
              {[...byRow].map(([row, list]) => (
                <section class={`media-row${isMarked(row) ? " hovered" : ""}`} key={row}>
                  <h3 class="row">
                    {m.rows === "run" ? <Swatch color={runStyle.value(row).drawn} /> : null}
                    <span class="ellipsis">{title(row)}</span>
                  </h3>
                  <div class="media-cells">
                    {list.map((s) => {
                      const i = entryAt(s.step, step);
                      const other =
                        m.mode === "diff"
                          ? series.find((x) => x.run === reference && x.key === s.key)
                          : undefined;
                      return (
                        <div
                          class={`media-cell${m.rows === "key" && isMarked(s.run) ? " hovered" : ""}`}
                          key={s.run + s.kind + s.key}
                          data-key={s.key}
                          data-run={s.run}
                          data-index={i}
                          data-step={i >= 0 ? s.step[i] : ""}
                        >
                          <div
                            class="row small muted"
                            style={{ gap: 4, maxWidth: Math.max(180, m.size) }}
                          >
                            <span class="ellipsis">
                              {m.rows === "run" ? s.key : (runById.value.get(s.run)?.name ?? s.run)}
                            </span>
                            {i >= 0 && s.step[i] !== step ? (
                              <span class="nowrap">· step {formatInteger(s.step[i])}</span>
                            ) : null}
                          </div>
                          <MediaItem
                            run={s.run}
                            name={s.key}
                            kind={kindAt(s, i)}
                            index={i}
                            items={s.items?.[i] ?? 1}
                            size={m.size}
                            fit={m.fit}
                            against={
                              other
                                ? { run: other.run, index: entryAt(other.step, step) }
                                : undefined
                            }
                          />
                        </div>
                      );
                    })}
                  </div>
                </section>
              ))}
            </div>
          )}
        </div>
        {steps.length ? <Scrubber steps={steps} step={step} /> : null}
      </div>
    </>
  );
}
