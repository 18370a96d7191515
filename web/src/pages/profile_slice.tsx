// Everything about the slice that was clicked, and where its arrows lead.
import { useEffect } from "preact/hooks";
import { get } from "../api/client";
import type { ProfileArrow, ProfileInfo, Slice } from "../api/types";
import { asked, changeProfile, showRange, type ProfileRef } from "../state/profile";
import { view } from "../state/view";
import { IconButton } from "../ui/controls";
import { useLoad } from "../ui/use_load";
import { formatInteger } from "../viz/format";
import { formatNs } from "../viz/nanoseconds";

/** Arguments as names and values; as they stand where they are no JSON. */
export function argumentRows(text: string): [string, string][] {
  if (!text) return [];
  try {
    return Object.entries(JSON.parse(text) as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
  } catch {
    return [["arguments", text]];
  }
}

export function SlicePanel({
  profile,
  info,
  id,
  onArrows,
  toCharts,
}: {
  profile: ProfileRef;
  info: ProfileInfo;
  id: number;
  onArrows: (arrows: ProfileArrow[]) => void;
  toCharts: (step: number) => void;
}) {
  const { value: slice, error } = useLoad(`slice ${profile.run} ${profile.name} ${id}`, (signal) =>
    get<Slice>("profile:slice", { ...asked(profile), id }, signal),
  );
  useEffect(() => {
    onArrows(slice?.id === id ? slice.arrows : []);
    return () => onArrows([]);
  }, [slice, id]);
  const step = slice
    ? info.steps.find(
        (s) => slice.begin_ns >= s.begin_ns && slice.begin_ns < s.begin_ns + s.duration_ns,
      )
    : undefined;
  if (error) return <div class="slice-panel bad">{error}</div>;
  if (!slice) return <div class="slice-panel muted">…</div>;
  const track = info.tracks[slice.track];
  return (
    <section class="slice-panel" aria-label="Selected slice" data-duration={slice.duration_ns}>
      <div class="row">
        <h2>{slice.name}</h2>
        <span class="spacer" />
        <IconButton
          icon="expand"
          label="Fill the screen with it"
          onClick={() => showRange(slice.begin_ns, slice.duration_ns, info)}
        />
        <IconButton icon="close" label="Close" onClick={() => changeProfile({ slice: -1 })} />
      </div>
      <dl>
        <dt class="muted">took</dt>
        <dd>
          {formatNs(slice.duration_ns)}, of which {formatNs(slice.self_ns)} in itself
        </dd>
        <dt class="muted">began</dt>
        <dd>
          {formatNs(slice.begin_ns)} after the beginning
          {step ? (
            <>
              , in{" "}
              {view.value.project ? (
                <button type="button" class="link-button" onClick={() => toCharts(step.number)}>
                  step {step.number}, see its charts
                </button>
              ) : (
                `step ${step.number}`
              )}
            </>
          ) : null}
        </dd>
        <dt class="muted">where</dt>
        <dd>
          {track?.title} <span class="muted">{track?.process}</span>
          {slice.category ? ` · ${slice.category}` : ""}
        </dd>
        <dt class="muted">all of this name</dt>
        <dd>
          {formatInteger(slice.same.count)}, together {formatNs(slice.same.total_ns)}, the longest{" "}
          {formatNs(slice.same.longest_ns)}
        </dd>
        {slice.arrows.length ? (
          <>
            <dt class="muted">arrows</dt>
            <dd>
              {slice.arrows.slice(0, 20).map((a, i) => {
                const leads = a.from === id;
                return (
                  <button
                    type="button"
                    class="link-button"
                    key={i}
                    style={{ marginRight: 12 }}
                    onClick={() => {
                      changeProfile({ slice: leads ? a.to : a.from });
                    }}
                  >
                    {leads ? "→" : "←"} {a.name} {formatNs(a.to_ns - a.from_ns)}{" "}
                    {leads ? "later" : "before"}
                  </button>
                );
              })}
            </dd>
          </>
        ) : null}
        {argumentRows(slice.args)
          .slice(0, 60)
          .map(([name, value]) => (
            <>
              <dt class="muted" key={name}>
                {name}
              </dt>
              <dd>
                <code>{value.length > 2000 ? value.slice(0, 2000) + "…" : value}</code>
              </dd>
            </>
          ))}
      </dl>
    </section>
  );
}
