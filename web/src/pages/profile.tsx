// Profiles of a run, or files that were opened directly: where the time went, and what to do.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import type {
  Analysis,
  ListedProfile,
  ProfileAnalysis,
  Profiles,
  ProfileState,
} from "../api/types";
import { shortName } from "../lib/profile_rows";
import { asked, changeProfile, refOf, whenReady, type ProfileRef } from "../state/profile";
import { nothingYet, runById, runsState, server, visible } from "../state/runs";
import { change, view } from "../state/view";
import { Select, Tabs } from "../ui/controls";
import { Empty, Failed, Waiting } from "../ui/states";
import { useLoad } from "../ui/use_load";
import { formatBytes } from "../viz/format";
import { DiffTab, DistributedTab } from "./profile_compare";
import { FlameView } from "./profile_flame";
import { OverviewTab } from "./profile_overview";
import { KernelsTab, MemoryTab, ModulesTab, OperatorsTab } from "./profile_tables";
import { TimelineTab } from "./profile_timeline";
import { WaitingForRuns } from "./projects";

const tabs = [
  { value: "overview", label: "Overview" },
  { value: "flame", label: "Flame" },
  { value: "icicle", label: "Icicle" },
  { value: "sunburst", label: "Sunburst" },
  { value: "timeline", label: "Timeline" },
  { value: "operators", label: "Operators" },
  { value: "kernels", label: "Kernels" },
  { value: "memory", label: "Memory" },
  { value: "modules", label: "Modules" },
  { value: "distributed", label: "Distributed" },
  { value: "diff", label: "Diff" },
];

const phases: Record<string, string> = {
  waiting: "Waiting for its turn",
  reading: "Reading",
  ordering: "Putting it in order",
  writing: "Writing the index",
  analysing: "Analysing",
};

/** The state of a profile; asked for again while the server works at it. */
function useProfile(profile: ProfileRef | null): { state: ProfileState | null; error: string } {
  // Of which profile it is: another one is not ready because the one before was.
  const [told, setTold] = useState({ key: "", state: null as ProfileState | null, error: "" });
  const key = JSON.stringify(profile);
  useEffect(() => {
    if (!profile) return;
    const abort = new AbortController();
    let timer = 0;
    const ask = (wait: number) =>
      get<ProfileState>("profile", asked(profile), abort.signal).then(
        (state) => {
          if (abort.signal.aborted) return;
          setTold({ key, state, error: "" });
          if (state.state === "working")
            timer = window.setTimeout(() => void ask(Math.min(400, wait * 1.5)), wait);
        },
        (e: Error) => {
          if (!abort.signal.aborted)
            setTold((t) => ({ key, state: t.key === key ? t.state : null, error: e.message }));
        },
      );
    void ask(40);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key]);
  return told.key === key ? told : { state: null, error: "" };
}

function Progress({ state, name }: { state: ProfileState; name: string }) {
  const share =
    state.phase === "reading" && state.all_bytes ? state.done_bytes / state.all_bytes : null;
  const words = phases[state.phase] ?? state.phase;
  return (
    <div class="state">
      <h2>
        {words}: {shortName(name)}
      </h2>
      <div
        class="progress-line"
        role="progressbar"
        aria-label={words}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === null ? undefined : Math.round(share * 100)}
      >
        <span style={{ width: `${(share ?? (state.phase === "waiting" ? 0 : 1)) * 100}%` }} />
      </div>
      <p class="muted">
        {formatBytes(state.done_bytes)} of {formatBytes(state.all_bytes)}. The index is kept: next
        time it opens at once.
      </p>
    </div>
  );
}

function Shown({
  profile,
  state,
  listed,
}: {
  profile: ProfileRef;
  state: ProfileState;
  listed: ListedProfile[];
}) {
  const { tab } = view.value.profile;
  const info = state.info!;
  const needed = ["overview", "operators", "kernels", "memory", "modules"].includes(tab);
  const { value, error, again } = useLoad(
    `analysis ${needed} ${profile.run} ${profile.name}`,
    async (signal) =>
      needed ? whenReady<ProfileAnalysis>("profile:analysis", asked(profile), signal) : null,
  );
  const analysis: Analysis | null = value?.analysis ?? null;
  if (tab === "flame" || tab === "icicle" || tab === "sunburst")
    return <FlameView key={profile.name} profile={profile} info={info} mode={tab} />;
  if (tab === "timeline" && info.slices === 0)
    return <Empty icon="profile" title="This profile has no timeline" />;
  if (tab === "timeline") return <TimelineTab key={profile.name} profile={profile} info={info} />;
  if (tab === "distributed") return <DistributedTab run={profile.run} listed={listed} />;
  if (tab === "diff") return <DiffTab profile={profile} listed={listed} />;
  if (error) return <Failed message={error} retry={again} />;
  if (tab === "overview") return <OverviewTab profile={profile} info={info} analysis={analysis} />;
  if (!analysis) return <Waiting height={240} />;
  if (tab === "operators") return <OperatorsTab profile={profile} analysis={analysis} />;
  if (tab === "kernels") return <KernelsTab analysis={analysis} />;
  if (tab === "memory") return <MemoryTab analysis={analysis} info={info} />;
  return <ModulesTab analysis={analysis} />;
}

export function ProfilePage() {
  const v = view.value;
  const files = server.value?.profiles === true;
  const list = visible.value;
  const run = runById.value.has(v.run) ? v.run : files ? "" : (list[0]?.id ?? "");
  const ready = server.value !== null && (files || run !== "" || runsState.value !== "loading");
  const { value, error, again } = useLoad(`profiles ${run} ${ready}`, async (signal) =>
    ready && (files || run)
      ? (await get<Profiles>("profiles", { run: run || undefined }, signal)).profiles
      : [],
  );
  const chosen = value?.find((p) => p.name === v.profile.name) ?? value?.[0] ?? null;
  const profile = chosen ? refOf(chosen) : null;
  const { state, error: openError } = useProfile(profile);
  if (!files && nothingYet()) return <WaitingForRuns />;
  const sources = [
    ...(files ? [{ value: "", label: "opened files" }] : []),
    ...list.map((r) => ({ value: r.id, label: r.name })),
  ];
  return (
    <div class="page">
      <div class="toolbar" role="toolbar" aria-label="Profile">
        {sources.length > 1 || run ? (
          <label class="field">
            of
            <Select
              label="Run"
              value={run}
              onChange={(id) =>
                change({
                  run: id,
                  profile: { ...v.profile, name: "", root: 0, slice: -1, from: null, to: null },
                })
              }
              options={sources}
            />
          </label>
        ) : null}
        {value && value.length > 0 ? (
          <Select
            label="Profile"
            value={chosen?.name ?? ""}
            onChange={(name) =>
              changeProfile({ name, root: 0, slice: -1, from: null, to: null, value: -1 })
            }
            options={value.map((p) => ({
              value: p.name,
              label: `${shortName(p.name)} · ${formatBytes(p.bytes)}`,
            }))}
          />
        ) : null}
      </div>
      <Tabs
        label="Views of the profile"
        value={tabs.some((t) => t.value === v.profile.tab) ? v.profile.tab : "overview"}
        onChange={(tab) => changeProfile({ tab })}
        options={tabs}
      />
      {error || openError ? (
        <Failed message={error || openError} retry={again} />
      ) : value && value.length === 0 && ready ? (
        <Empty icon="profile" title="This run has no profile">
          <p>
            Record one with <code>profiler=trace</code> or <code>profiler=simple</code>, or open a
            file: <code>taffrail ui trace.json.gz</code>.
          </p>
        </Empty>
      ) : state?.state === "failed" ? (
        <Failed message={state.message} />
      ) : state?.state === "ready" && profile && value ? (
        <Shown profile={profile} state={state} listed={value} />
      ) : state ? (
        <Progress state={state} name={chosen?.name ?? ""} />
      ) : (
        <Waiting height={300} />
      )}
    </div>
  );
}
