// The track of a step slider: ticks at the steps that exist, the shared cursor, pinned steps and
// the thumb. Hovering it moves the shared cursor, so that charts on the same page mark the step
// under the pointer.
import { useRef } from "preact/hooks";
import type { EntryIndex } from "../api/types";
import { pinAxis } from "../state/axis";
import { cursor, markedStep } from "../state/cursor";
import { change, view } from "../state/view";

/** Index of the last step at or before `step`; the first one when there is none. */
export const indexAt = (steps: number[], step: number) =>
  Math.max(
    0,
    steps.findLastIndex((s) => s <= step),
  );

/** The newest entry at or before `step`; -1 when there is none. */
export function entryAt(steps: number[], step: number): number {
  let best = -1;
  for (let i = 0; i < steps.length; i++)
    if (steps[i] <= step && (best < 0 || steps[i] >= steps[best])) best = i;
  return best;
}

export const kindAt = (series: EntryIndex, i: number): string => series.kinds?.[i] ?? series.kind;

/** The last entry of a kind; a key may hold others too. -1 when there is none. */
export const lastOf = (series: EntryIndex, kind: string) =>
  series.kinds ? series.kinds.findLastIndex((k) => k === kind) : series.step.length - 1;

/**
 * The step media are shown at where charts are near: under the cursor, chosen on a slider, pinned,
 * or the latest.
 */
export const mediaStep = () =>
  cursor.value?.step ?? view.value.media.step ?? markedStep.value ?? Infinity;
/** Chooses the step that every page shows media of. */
export const seekMedia = (step: number) => change({ media: { ...view.value.media, step } }, true);

export function StepTrack({
  steps,
  step,
  seek,
  label,
}: {
  steps: number[];
  step: number;
  seek: (step: number) => void;
  label: string;
}) {
  const track = useRef<HTMLDivElement>(null);
  const at = indexAt(steps, step);
  const low = steps[0];
  const high = steps[steps.length - 1];
  const go = (i: number) => seek(steps[Math.max(0, Math.min(steps.length - 1, i))]);
  const place = (s: number) => (high > low ? ((s - low) / (high - low)) * 100 : 50);
  // Ticks stand at real steps only; beyond 400 they would be a grey bar.
  const shown =
    steps.length <= 400 ? steps : steps.filter((_, i) => i % Math.ceil(steps.length / 400) === 0);
  const nearest = (e: PointerEvent) => {
    const box = track.current!.getBoundingClientRect();
    const wanted = low + ((e.clientX - box.left) / box.width) * (high - low);
    let best = 0;
    for (let i = 1; i < steps.length; i++)
      if (Math.abs(steps[i] - wanted) < Math.abs(steps[best] - wanted)) best = i;
    return best;
  };
  const hover = cursor.value?.step;
  const pins = pinAxis().axis === "step" ? view.value.pins : [];
  const inside = (s: number | null | undefined): s is number => s != null && s >= low && s <= high;
  return (
    <div
      class="scrub-track"
      ref={track}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={low}
      aria-valuemax={high}
      aria-valuenow={steps[at]}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        go(nearest(e));
      }}
      onPointerMove={(e) => {
        const s = steps[nearest(e)];
        if (e.buttons & 1) seek(s);
        cursor.value = { axis: "step", x: s, step: s, source: label };
      }}
      onPointerLeave={() => (cursor.value = null)}
      onKeyDown={(e) => {
        const d = (
          { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 } as Record<string, number>
        )[e.key];
        if (d) go(at + d);
        else if (e.key === "Home") go(0);
        else if (e.key === "End") go(steps.length - 1);
        else return;
        e.preventDefault();
      }}
    >
      {shown.map((s) => (
        <span key={s} class="scrub-tick" style={{ left: place(s) + "%" }} />
      ))}
      {pins.filter(inside).map((p) => (
        <span key={"pin " + p} class="scrub-pin" style={{ left: place(p) + "%" }} />
      ))}
      {inside(hover) ? (
        <span class="scrub-cursor" data-cursor={hover} style={{ left: place(hover) + "%" }} />
      ) : null}
      <span class="scrub-thumb" style={{ left: place(steps[at]) + "%" }} />
    </div>
  );
}
