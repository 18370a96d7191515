// What the profile page shows: which profile, its state, its analysis.
import { get } from "../api/client";
import type { ListedProfile, ProfileInfo } from "../api/types";
import { change, view, type View } from "./view";

export interface ProfileRef {
  run: string | undefined;
  name: string;
}

export const refOf = (p: ListedProfile): ProfileRef => ({ run: p.run || undefined, name: p.name });

/** Parameters of every question about a profile. */
export const asked = (p: ProfileRef): Record<string, string | undefined> => ({
  run: p.run,
  name: p.name,
});

export function changeProfile(patch: Partial<View["profile"]>, replace = false): void {
  change({ profile: { ...view.value.profile, ...patch } }, replace);
}

/** Shows a range of the timeline, a little wider than what is meant. */
export function showRange(begin: number, duration: number, info?: ProfileInfo | null): void {
  const room = Math.max(duration * 0.25, 50);
  changeProfile({
    tab: "timeline",
    from: Math.max(0, Math.floor(begin - room)),
    to: Math.ceil(Math.min(begin + duration + room, info?.duration_ns ?? Infinity)),
  });
}

/** Times of an analysis are the trace's own; those of slices count from its beginning. */
export const sinceBegin = (ns: number, info: ProfileInfo): number => ns - Number(info.begin_ns);

/** Asks again until the server has it; null when nobody waits any more. */
export async function whenReady<T extends { state: string }>(
  path: string,
  parameters: Record<string, string | undefined>,
  signal: AbortSignal,
): Promise<T> {
  for (let wait = 60; ; wait = Math.min(600, wait * 1.5)) {
    const answer = await get<T>(path, parameters, signal);
    if (answer.state !== "working") return answer;
    await new Promise((done) => setTimeout(done, wait));
    signal.throwIfAborted();
  }
}
