// Media of one run: images on its overview, the newest ones or those of the step under the cursor
// of a chart; everything with a slider on its media tab.
import { post } from "../api/client";
import { mediaKinds } from "../lib/kinds";
import type { Index } from "../api/types";
import { markedStep } from "../state/cursor";
import { shownOf } from "../state/metrics";
import { change } from "../state/view";
import { formatInteger } from "../viz/format";
import { MediaItem } from "./media_item";
import { Waiting } from "./states";
import { entryAt, kindAt, mediaStep, seekMedia, StepTrack } from "./step_track";
import { useLoad } from "./use_load";

export function LatestImages({ run }: { run: string }) {
  const { value } = useLoad(
    "images " + run,
    () => post<Index>("entries:index", { runs: [run], kinds: ["image"] }),
    (runs) => runs.includes(run),
  );
  const shown = shownOf(value);
  if (!shown.length) return null;
  const step = markedStep.value;
  /** The newest entry at or before the cursor; steps may come in any order. */
  const at = (steps: number[]) => Math.max(0, entryAt(steps, step ?? Infinity));
  return (
    <section class="card span">
      <div class="row">
        <h2>{step === null ? "Last images" : `Images at step ${formatInteger(step)}`}</h2>
        <span class="spacer" />
        <button type="button" class="button" onClick={() => change({ tab: "media" })}>
          All media
        </button>
      </div>
      <div class="row wrap" style={{ alignItems: "flex-start", gap: 16 }}>
        {shown.slice(0, 6).map((s) => {
          const i = at(s.step);
          return (
            <div key={s.key} data-image={s.key} data-step={s.step[i]}>
              <div class="small muted">
                {s.key} · step {formatInteger(s.step[i])}
              </div>
              <MediaItem
                run={run}
                name={s.key}
                kind={kindAt(s, i)}
                index={i}
                items={Math.min(2, s.items?.[i] ?? 1)}
                size={140}
                fit
              />
            </div>
          );
        })}
      </div>
    </section>
  );
}

export function MediaOfRun({ run }: { run: string }) {
  const { value } = useLoad(
    "media " + run,
    () => post<Index>("entries:index", { runs: [run], kinds: mediaKinds }),
    (runs) => runs.includes(run),
  );
  if (!value) return <Waiting />;
  return (
    <div class="overview">
      {shownOf(value).map((s) => {
        const i = entryAt(s.step, mediaStep());
        const steps = [...new Set(s.step)].sort((a, b) => a - b);
        return (
          <section
            class="card"
            key={s.kind + s.key}
            data-media={s.key}
            data-step={i >= 0 ? s.step[i] : ""}
          >
            <div class="row">
              <h3 title={s.key}>{s.key}</h3>
              <span class="spacer" />
              <span class="muted small">
                {i < 0 ? "from" : "step"} {formatInteger(s.step[Math.max(0, i)])}
                {i < 0 ? "" : ` · ${i + 1} of ${s.step.length}`}
              </span>
            </div>
            {steps.length > 1 ? (
              <StepTrack
                steps={steps}
                step={s.step[Math.max(0, i)]}
                seek={seekMedia}
                label={`Step of ${s.key}`}
              />
            ) : null}
            <MediaItem
              run={run}
              name={s.key}
              kind={kindAt(s, i)}
              index={i}
              items={s.items?.[i] ?? 1}
              size={220}
              fit
            />
          </section>
        );
      })}
    </div>
  );
}
