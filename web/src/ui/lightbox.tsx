// A picture in full size: left and right are steps, up and down runs; a second run beside it, by a
// swipe or as a difference.
import { useEffect, useState } from "preact/hooks";
import { apiUrl, getBytes, post } from "../api/client";
import type { EntryIndex, ImageValue, Index } from "../api/types";
import { runStyle } from "../state/colors";
import { comparedIds, runById, visibleIds } from "../state/runs";
import { change, view } from "../state/view";
import { formatInteger } from "../viz/format";
import { fromBytes } from "../viz/pixels";
import { fileName } from "../viz/save";
import { IconButton, Segmented, Select, Swatch } from "./controls";
import { Icon } from "./icon";
import { Stage, type Shown, type StageMode } from "./lightbox_stage";
import { loadEntry } from "./entry";
import { Dialog } from "./popover";
import { entryAt, kindAt, seekMedia } from "./step_track";
import { useLoad } from "./use_load";

const pictureUrl = (run: string, key: string, index: number, item: number) =>
  apiUrl("image", {
    run,
    key,
    index,
    item: item || undefined,
    range: view.value.media.range || undefined,
  });

const nameOf = (run: string) => runById.value.get(run)?.name ?? run;

/** The picture of an entry, and its stored numbers where those are not its shades. */
function usePicture(run: string, key: string, index: number, item: number) {
  const [state, setState] = useState<{ shown: Shown; value: ImageValue; of: string } | null>(null);
  const [error, setError] = useState("");
  const url = index < 0 ? "" : pictureUrl(run, key, index, item);
  useEffect(() => {
    let stale = false;
    setError("");
    if (!url) return;
    const image = new Image();
    image.src = url;
    void Promise.all([loadEntry(run, key, index), image.decode()])
      .then(async ([entry]) => {
        const value = entry.value as ImageValue;
        const stored = value.format === "raw" ? value.images[item] : null;
        const exact = stored
          ? fromBytes(
              await getBytes("blob", { run, sha: stored.sha }),
              value.dtype,
              value.width,
              value.height,
            )
          : null;
        if (!stale) setState({ shown: { name: nameOf(run), image, exact }, value, of: url });
      })
      .catch(() => stale || setError("This picture cannot be shown here; save its bytes instead."));
    return () => {
      stale = true;
    };
  }, [url]);
  return { ...state, error, url };
}

/** Steps at which the series has pictures, rising. */
const stepsOf = (s: EntryIndex) =>
  [...new Set(s.step.filter((_, i) => kindAt(s, i) === "image"))].sort((a, b) => a - b);

export default function Lightbox() {
  const open = view.value.picture!;
  const { run, key, item, mode } = open;
  const around = view.value.page === "compare" ? comparedIds.value : visibleIds.value;
  const runs = around.includes(run) ? around.slice(0, 200) : [run, ...around.slice(0, 199)];
  const { value } = useLoad(
    `lightbox ${key} ${runs.join()}`,
    () => post<Index>("entries:index", { runs, keys: [key], kinds: ["image"] }),
    (changed) => changed.some((id) => runs.includes(id)),
  );
  const all = value?.series.filter((s) => s.key === key) ?? [];
  const own = all.find((s) => s.run === run);
  const others = all.filter((s) => s.run !== run);
  const other = others.find((s) => s.run === open.against) ?? others[0];
  const step = view.value.media.step ?? Infinity;
  const index = own ? Math.max(0, entryAt(own.step, step)) : -1;
  const a = usePicture(run, key, index, item);
  const b = usePicture(
    other?.run ?? "",
    key,
    other && mode !== "one" ? Math.max(0, entryAt(other.step, step)) : -1,
    item,
  );
  const [zoom, setZoom] = useState({ factor: 0, turn: 0 });
  const [words, setWords] = useState("");
  const zoomBy = (factor: number) => setZoom((z) => ({ factor, turn: z.turn + 1 }));
  const patch = (more: Partial<typeof open>) => change({ picture: { ...open, ...more } }, true);
  const close = () => change({ picture: null }, true);
  const steps = own ? stepsOf(own) : [];
  const shownStep = own && index >= 0 ? own.step[index] : 0;

  const move = (by: number) => {
    const at = steps.indexOf(shownStep);
    const next = steps[Math.max(0, Math.min(steps.length - 1, at + by))];
    if (next !== undefined) seekMedia(next);
  };
  const turn = (by: number) => {
    const at = all.findIndex((s) => s.run === run);
    const next = all[(at + by + all.length) % all.length];
    if (next) patch({ run: next.run });
  };
  const keyed = (e: KeyboardEvent) => {
    const field = e.target as HTMLElement;
    if (/^(input|select)$/i.test(field.tagName) || e.ctrlKey || e.metaKey || e.altKey) return;
    const act: Record<string, () => void> = {
      ArrowLeft: () => move(-1),
      ArrowRight: () => move(1),
      ArrowUp: () => turn(-1),
      ArrowDown: () => turn(1),
      Home: () => steps.length && seekMedia(steps[0]),
      End: () => steps.length && seekMedia(steps[steps.length - 1]),
      "+": () => zoomBy(1.5),
      "=": () => zoomBy(1.5),
      "-": () => zoomBy(1 / 1.5),
      "0": () => zoomBy(0),
      "1": () => zoomBy(1),
    };
    if (!act[e.key]) return;
    e.preventDefault();
    e.stopPropagation();
    act[e.key]();
  };
  const current = a.of === a.url;
  const caption = a.value?.captions[item] ?? "";
  return (
    <Dialog title={`${key} of ${nameOf(run)}`} close={close} class="lightbox">
      <div class="lightbox-body" onKeyDown={keyed}>
        <div class="row wrap lightbox-head">
          <Swatch color={runStyle.value(run).drawn} />
          <strong class="ellipsis">{nameOf(run)}</strong>
          <span class="muted ellipsis">{key}</span>
          <span class="number nowrap" data-shown-step={shownStep}>
            step {formatInteger(shownStep)}
          </span>
          {a.value ? (
            <span class="muted small nowrap">
              {formatInteger(a.value.width)} × {formatInteger(a.value.height)}
              {a.value.channels > 1 ? ` × ${a.value.channels}` : ""}
            </span>
          ) : null}
          <span class="spacer" />
          {others.length ? (
            <>
              <Segmented
                label="Beside another run"
                value={mode}
                onChange={(next) => patch({ mode: next as StageMode })}
                options={[
                  { value: "one", label: "one" },
                  { value: "swipe", label: "A | B" },
                  { value: "difference", label: "difference" },
                ]}
              />
              {mode !== "one" ? (
                <Select
                  label="The other run"
                  value={other?.run ?? ""}
                  onChange={(against) => patch({ against })}
                  options={others.map((s) => ({ value: s.run, label: nameOf(s.run) }))}
                />
              ) : null}
            </>
          ) : null}
          <IconButton icon="shrink" label="Fit (0)" onClick={() => zoomBy(0)} />
          <button
            type="button"
            class="button"
            title="One pixel a pixel (1)"
            onClick={() => zoomBy(1)}
          >
            1:1
          </button>
          <IconButton icon="plus" label="Zoom in (+)" onClick={() => zoomBy(1.5)} />
          {a.url ? (
            <a
              class="icon-button"
              href={a.url}
              download={fileName(`${nameOf(run)}-${key}-${shownStep}`) + ".png"}
              aria-label="Download the picture"
              title="Download the picture"
            >
              <Icon name="download" />
            </a>
          ) : null}
          <IconButton icon="close" label="Close (Escape)" onClick={close} autofocus />
        </div>
        {a.error ? (
          <div class="media-note bad">{a.error}</div>
        ) : (
          <Stage
            a={a.shown ?? null}
            b={mode === "one" ? null : (b.shown ?? null)}
            mode={mode}
            label={`${key} of ${nameOf(run)} at step ${shownStep}`}
            zoom={zoom}
            say={setWords}
          />
        )}
        <div class="row lightbox-foot small" data-loaded={current ? "yes" : "no"}>
          <IconButton
            icon="left"
            label="Step before (←)"
            disabled={steps.indexOf(shownStep) <= 0}
            onClick={() => move(-1)}
          />
          <span class="number nowrap">
            {formatInteger(steps.indexOf(shownStep) + 1)} of {formatInteger(steps.length)}
          </span>
          <IconButton
            icon="right"
            label="Step after (→)"
            disabled={steps.indexOf(shownStep) >= steps.length - 1}
            onClick={() => move(1)}
          />
          {all.length > 1 ? (
            <>
              <IconButton icon="up" label="Run before (↑)" onClick={() => turn(-1)} />
              <IconButton icon="down" label="Run after (↓)" onClick={() => turn(1)} />
            </>
          ) : null}
          <span class="muted ellipsis">{caption}</span>
          <span class="spacer" />
          <output class="number pixel-words" aria-live="off">
            {words}
          </output>
        </div>
      </div>
    </Dialog>
  );
}
