// Workers of one training side by side, and two profiles of one program before and after.
import type {
  ChangedRow,
  FunctionRow,
  Functions,
  ListedProfile,
  ProfileDifference,
  ProfileWorkers,
  Worker,
} from "../api/types";
import { get } from "../api/client";
import { changedFunctions, shortName } from "../lib/profile_rows";
import { asked, changeProfile, refOf, whenReady, type ProfileRef } from "../state/profile";
import { theme } from "../state/settings";
import { view } from "../state/view";
import { Select, Swatch } from "../ui/controls";
import { ProfileTable, type Column } from "../ui/profile_table";
import { Empty, Failed, Waiting } from "../ui/states";
import { useLoad } from "../ui/use_load";
import { formatBytes, formatInteger } from "../viz/format";
import { formatMs, formatNs, formatShare, formatWeight } from "../viz/nanoseconds";
import { slotColor } from "../viz/palette";
import { parts } from "./profile_overview";

const loading = <Waiting height={240} />;
const sentence = (note: string) => note.charAt(0).toUpperCase() + note.slice(1) + ".";
const waited = (worker: Worker) => worker.steps.reduce((n, s) => n + s.wait_ns, 0);

export function DistributedTab({
  run,
  listed,
}: {
  run: string | undefined;
  listed: ListedProfile[];
}) {
  const traces = listed.filter((p) => p.format === "chrome");
  const { value, error, again } = useLoad(`workers ${run} ${traces.length}`, (signal) =>
    whenReady<ProfileWorkers>("profile:workers", { run }, signal),
  );
  if (error) return <Failed message={error} retry={again} />;
  const workers = value?.workers;
  if (!workers) return loading;
  if (workers.workers.length < 2)
    return (
      <Empty icon="profile" title="One worker">
        <p>With the traces of several ranks in one run, they stand side by side here.</p>
        {workers.notes.map((note) => (
          <p key={note}>{sentence(note)}</p>
        ))}
      </Empty>
    );
  const kinds: [string, (w: Worker) => number][] = [
    [
      "Computation",
      (w) => w.steps.reduce((n, s) => n + s.overlap.computation_ns - s.overlap.both_ns, 0),
    ],
    ["Both", (w) => w.steps.reduce((n, s) => n + s.overlap.both_ns, 0)],
    [
      "Communication",
      (w) => w.steps.reduce((n, s) => n + s.overlap.communication_ns - s.overlap.both_ns, 0),
    ],
    ["Neither", (w) => w.steps.reduce((n, s) => n + s.overlap.neither_ns, 0)],
  ];
  return (
    <div class="profile-body">
      <div class="overview">
        <div class="card span" style={{ gridColumn: "1 / -1" }}>
          <h2>{formatInteger(workers.workers.length)} workers</h2>
          {workers.straggler ? (
            <p>
              The others waited {formatNs(workers.straggler_wait_ns)} for <b>{workers.straggler}</b>
              .
            </p>
          ) : null}
          {[workers.why_not, ...workers.notes].filter(Boolean).map((note) => (
            <p class="muted" key={note}>
              {sentence(note)}
            </p>
          ))}
          <p>
            {kinds.map(([title], i) => (
              <span key={title} style={{ marginRight: 16 }}>
                <Swatch color={slotColor(theme.value, i)} /> {title}
              </span>
            ))}
          </p>
          <table class="plain-table">
            <thead>
              <tr>
                <th>Worker</th>
                <th>Time of its steps</th>
                {kinds.map(([title]) => (
                  <th class="number" key={title}>
                    {title} ms
                  </th>
                ))}
                <th class="number">Waited ms</th>
              </tr>
            </thead>
            <tbody>
              {workers.workers.map((w) => {
                const sums = kinds.map(([, of]) => of(w));
                const whole = sums.reduce((a, b) => a + b, 0) || 1;
                return (
                  <tr key={`${w.rank} ${w.worker}`} data-worker={w.worker}>
                    <td>
                      {w.rank >= 0 ? `rank ${w.rank} · ` : ""}
                      {w.worker}
                    </td>
                    <td style={{ width: "30%", minWidth: 120 }}>
                      <div class="parts-bar" aria-hidden="true">
                        {sums.map((s, i) => (
                          <span
                            key={i}
                            style={{
                              width: `${(s / whole) * 100}%`,
                              background: slotColor(theme.value, i),
                            }}
                          />
                        ))}
                      </div>
                    </td>
                    {sums.map((s, i) => (
                      <td class="number" key={i} data-ns={s}>
                        {formatMs(s)}
                      </td>
                    ))}
                    <td class="number" data-waited={waited(w)}>
                      {workers.why_not ? "–" : formatMs(waited(w))}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </div>
      {workers.workers.some((w) => w.collectives.length > 0) ? (
        <ProfileTable
          rows={workers.workers.flatMap((w) =>
            w.collectives.map((c) => ({ ...c, worker: w.worker })),
          )}
          label="collectives"
          name={(r) => `${r.name} · ${r.worker}`}
          sortBy={2}
          columns={[
            { title: "Calls", value: (r) => r.calls, show: (r) => formatInteger(r.calls) },
            { title: "Bytes", value: (r) => r.bytes, show: (r) => formatBytes(r.bytes) },
            { title: "Total ms", value: (r) => r.total_ns, show: (r) => formatMs(r.total_ns) },
            {
              title: "Transfer ms",
              value: (r) => r.transfer_ns,
              show: (r) => formatMs(r.transfer_ns),
            },
          ]}
        />
      ) : null}
    </div>
  );
}

const change_ = (before: number, after: number) => {
  if (before === after) return "same";
  if (!before) return "new";
  return `${after > before ? "+" : "−"}${formatShare(Math.abs(after - before) / before)}`;
};
const tone = (before: number, after: number) =>
  after > before ? "minus" : after < before ? "plus" : "muted";

function timeColumns(): Column<ChangedRow>[] {
  return [
    { title: "Before ms", value: (r) => r.before_ns, show: (r) => formatMs(r.before_ns) },
    { title: "After ms", value: (r) => r.after_ns, show: (r) => formatMs(r.after_ns) },
    {
      title: "Change ms",
      value: (r) => Math.abs(r.after_ns - r.before_ns),
      show: (r) => (
        <span class={tone(r.before_ns, r.after_ns)} data-change={r.after_ns - r.before_ns}>
          {r.after_ns > r.before_ns ? "+" : r.after_ns < r.before_ns ? "−" : ""}
          {formatMs(Math.abs(r.after_ns - r.before_ns))}
        </span>
      ),
    },
  ];
}

function Steps({ profile, before }: { profile: ProfileRef; before: ProfileRef }) {
  const { value } = useLoad(`difference ${JSON.stringify([profile, before])}`, (signal) =>
    whenReady<ProfileDifference>(
      "profile:difference",
      { ...asked(profile), before_run: before.run, before_name: before.name },
      signal,
    ),
  );
  const d = value?.difference;
  if (!d || (!d.operators.length && !d.kernels.length)) return null;
  return (
    <>
      <div class="overview">
        <div class="card span" style={{ gridColumn: "1 / -1" }}>
          <h2>
            A step: {formatNs(d.before_step_ns)} → {formatNs(d.after_step_ns)}{" "}
            <span class={tone(d.before_step_ns, d.after_step_ns)}>
              {change_(d.before_step_ns, d.after_step_ns)}
            </span>
          </h2>
          <table class="plain-table">
            <thead>
              <tr>
                <th>Part</th>
                <th class="number">Before</th>
                <th class="number">After</th>
                <th class="number">Change</th>
              </tr>
            </thead>
            <tbody>
              {d.parts.map((p) => (
                <tr key={p.part} data-part={p.part}>
                  <td>{parts.find(([key]) => key === p.part)?.[1] ?? p.part}</td>
                  <td class="number">{formatMs(p.before_ns)} ms</td>
                  <td class="number">{formatMs(p.after_ns)} ms</td>
                  <td class={`number ${tone(p.before_ns, p.after_ns)}`}>
                    {change_(p.before_ns, p.after_ns)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {d.advice_gone.length ? <p class="plus">No longer: {d.advice_gone.join(", ")}</p> : null}
          {d.advice_new.length ? <p class="minus">New: {d.advice_new.join(", ")}</p> : null}
        </div>
      </div>
      {d.kernels.length ? (
        <ProfileTable
          rows={d.kernels}
          label="changed kernels"
          name={(r) => r.name}
          sortBy={2}
          columns={timeColumns()}
        />
      ) : null}
    </>
  );
}

export function DiffTab({ profile, listed }: { profile: ProfileRef; listed: ListedProfile[] }) {
  const p = view.value.profile;
  const others = listed.filter((l) => l.name !== profile.name);
  const other = others.find((l) => l.name === p.before) ?? others[0];
  // Of opened files the one that was named first is the earlier one; of a run the one looked at is
  // compared with another.
  const at = (name: string) => listed.findIndex((l) => l.name === name);
  const isFirst = !profile.run && other !== undefined && at(profile.name) < at(other.name);
  const [before, after] = isFirst
    ? [profile, refOf(other)]
    : [other ? refOf(other) : null, profile];
  const { value, error } = useLoad(
    `functions of both ${JSON.stringify([after, before])}`,
    async (signal) => {
      if (!before) return null;
      await whenReady("profile", asked(other), signal);
      const [a, b] = await Promise.all(
        [before, after].map((r) => get<Functions>("profile:functions", asked(r), signal)),
      );
      return { rows: changedFunctions(a.rows, b.rows), unit: b.unit, same: a.unit === b.unit };
    },
  );
  if (!before)
    return (
      <Empty icon="profile" title="Nothing to compare with">
        <p>
          Open two profiles, <code>taffrail ui before.json after.json</code>, or choose a run that
          has several.
        </p>
      </Empty>
    );
  type Row = { name: string; before: FunctionRow | null; after: FunctionRow | null };
  const self = (r: FunctionRow | null) => r?.self ?? 0;
  return (
    <div class="profile-body">
      <div class="toolbar" role="toolbar" aria-label="Compare">
        {isFirst ? <span class="muted">before: {shortName(profile.name)}</span> : null}
        <label class="field">
          {isFirst ? "after" : "before"}
          <Select
            label="Compare with"
            value={other.name}
            onChange={(name) => changeProfile({ before: name })}
            options={others.map((l) => ({ value: l.name, label: shortName(l.name) }))}
          />
        </label>
        {isFirst ? null : <span class="muted">after: {shortName(profile.name)}</span>}
      </div>
      {error ? <Failed message={error} /> : null}
      <Steps profile={after} before={before} />
      {value && !value.same ? (
        <p class="profile-note muted">The two weigh different things and do not compare.</p>
      ) : null}
      {value?.same ? (
        <ProfileTable<Row>
          rows={value.rows}
          label="changed functions"
          name={(r) => r.name}
          sortBy={2}
          columns={[
            {
              title: "Self before",
              value: (r) => self(r.before),
              show: (r) => (r.before ? formatWeight(self(r.before), value.unit) : "–"),
            },
            {
              title: "Self after",
              value: (r) => self(r.after),
              show: (r) => (r.after ? formatWeight(self(r.after), value.unit) : "–"),
            },
            {
              title: "Change",
              value: (r) => Math.abs(self(r.after) - self(r.before)),
              show: (r) => (
                <span
                  class={tone(self(r.before), self(r.after))}
                  data-change={self(r.after) - self(r.before)}
                >
                  {self(r.after) > self(r.before) ? "+" : self(r.after) < self(r.before) ? "−" : ""}
                  {formatWeight(Math.abs(self(r.after) - self(r.before)), value.unit)}
                </span>
              ),
            },
          ]}
        />
      ) : value ? null : (
        loading
      )}
    </div>
  );
}
