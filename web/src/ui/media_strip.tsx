// Media of one run: images on its overview, the newest ones or those of the step under the cursor of a chart; everything with a slider
// on its media tab.
import { useState } from "preact/hooks";
import { post } from "../api/client";
import type { Index } from "../api/types";
import { cursor } from "../state/cursor";
import { change } from "../state/view";
import { formatInteger } from "../viz/format";
import { MediaItem } from "./media_item";
import { Skeleton } from "./states";
import { useLoad } from "./use_load";

export const mediaKinds = ["image", "video", "audio", "mesh", "text", "table", "figure"];

export function LatestImages({ run }: { run: string }) {
  const { value } = useLoad("images " + run, () => post<Index>("entries:index", { runs: [run], kinds: ["image"] }), (runs) => runs.includes(run));
  if (!value?.series.length) return null;
  const step = cursor.value?.step ?? null;
  /** The newest entry at or before the cursor. */
  const at = (steps: number[]) => Math.max(0, step === null ? steps.length - 1 : steps.findLastIndex((s) => s <= step));
  return (
    <section class="card span">
      <div class="row"><h2>{step === null ? "Last images" : `Images at step ${formatInteger(step)}`}</h2><span class="spacer" /><button type="button" class="button" onClick={() => change({ tab: "media" })}>All media</button></div>
      <div class="row wrap" style={{ alignItems: "flex-start", gap: 16 }}>
        {value.series.slice(0, 6).map((s) => {
          const i = at(s.step);
          return <div key={s.key} data-image={s.key} data-step={s.step[i]}><div class="small muted">{s.key} · step {formatInteger(s.step[i])}</div><MediaItem run={run} name={s.key} kind="image" index={i} items={Math.min(2, s.items?.[i] ?? 1)} size={140} fit /></div>;
        })}
      </div>
    </section>
  );
}

export function MediaOfRun({ run }: { run: string }) {
  const { value } = useLoad("media " + run, () => post<Index>("entries:index", { runs: [run], kinds: mediaKinds }), (runs) => runs.includes(run));
  const [at, setAt] = useState<Record<string, number>>({});
  if (!value) return <div class="page-pad"><Skeleton /></div>;
  return (
    <div class="overview">
      {value.series.map((s) => {
        const i = Math.min(s.step.length - 1, at[s.key] ?? s.step.length - 1);
        return (
          <section class="card" key={s.key}>
            <div class="row"><h3>{s.key}</h3><span class="spacer" /><span class="muted small">step {formatInteger(s.step[i])} · {i + 1} of {s.step.length}</span></div>
            {s.step.length > 1 ? <input type="range" style={{ width: "100%" }} min={0} max={s.step.length - 1} value={i} aria-label={`Step of ${s.key}`} onInput={(e) => setAt({ ...at, [s.key]: Number(e.currentTarget.value) })} /> : null}
            <MediaItem run={run} name={s.key} kind={s.kind} index={i} items={s.items?.[i] ?? 1} size={220} fit />
          </section>
        );
      })}
    </div>
  );
}
