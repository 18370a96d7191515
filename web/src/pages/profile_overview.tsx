// What a trace comes to: the step and its parts, the devices, and advice with its numbers.
import type { Advice, Analysis, Functions, ProfileInfo } from "../api/types";
import { get } from "../api/client";
import { shownName } from "../lib/profile_rows";
import { asked, changeProfile, showRange, sinceBegin, type ProfileRef } from "../state/profile";
import { theme } from "../state/settings";
import { change, view } from "../state/view";
import { CanvasPlot } from "../ui/canvas_plot";
import { Swatch } from "../ui/controls";
import { Waiting } from "../ui/states";
import { useLoad } from "../ui/use_load";
import { formatBytes, formatInteger, formatNumber } from "../viz/format";
import { formatMs, formatNs, formatShare, formatWeight } from "../viz/nanoseconds";
import { slotColor } from "../viz/palette";
import { Plot } from "../viz/plot";

export const parts: [string, string][] = [
  ["kernel", "Kernel"],
  ["memcpy", "Memcpy"],
  ["memset", "Memset"],
  ["communication", "Communication"],
  ["runtime", "Runtime"],
  ["data_loader", "Data loader"],
  ["cpu", "CPU"],
  ["other", "Other"],
];

const partColor = (i: number) => slotColor(theme.value, i);

const number = (value: number, unit: string) =>
  unit === "ns"
    ? formatNs(value)
    : unit === "share"
      ? formatShare(value)
      : unit === "bytes"
        ? formatBytes(value)
        : unit === "bytes/s"
          ? formatBytes(value) + "/s"
          : formatNumber(value, 5);

function AdviceCard({ advice, info }: { advice: Advice; info: ProfileInfo }) {
  return (
    <div class="advice" data-rule={advice.rule}>
      <h3>
        {advice.title} <span class="chip">{advice.rule}</span>
      </h3>
      <p>{advice.text}</p>
      <p>
        <b>{advice.cure}</b>
      </p>
      {advice.caution ? <p class="muted">{advice.caution}</p> : null}
      <p class="muted small">
        measured {number(advice.measured, advice.unit)}, limit{" "}
        {number(advice.threshold, advice.unit)}
        {advice.numbers.map((n) => ` · ${n.name} ${number(n.value, n.unit)}`)}
      </p>
      {advice.evidence.length ? (
        <ul>
          {advice.evidence.slice(0, 5).map((e, i) => (
            <li key={i}>
              <button
                type="button"
                class="link-button"
                onClick={() => showRange(sinceBegin(e.begin_ns, info), e.duration_ns, info)}
              >
                {e.what}
              </button>{" "}
              {formatNs(e.duration_ns)} <span class="muted">{e.where}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

function StepChart({ analysis, info }: { analysis: Analysis; info: ProfileInfo }) {
  const steps = analysis.steps.steps.slice(0, 400);
  const most = steps.reduce((m, s) => Math.max(m, s.time.total_ns ?? 0), 1);
  const at = (x: number, width: number) =>
    Math.floor(((x - 48) / Math.max(width - 60, 1)) * steps.length);
  let wide = 1;
  return (
    <CanvasPlot
      title="Steps"
      label={`Time of ${steps.length} steps by part`}
      height={200}
      deps={[analysis]}
      draw={(canvas, width, height) => {
        wide = width;
        const plot = new Plot(
          canvas,
          width,
          height,
          theme.peek(),
          {
            from: 0,
            to: steps.length,
            format: (v) => v.map((i) => (Number.isInteger(i) ? (steps[i]?.name ?? "") : "")),
          },
          { from: 0, to: most, format: (v) => v.map(formatNs) },
        );
        steps.forEach((s, i) => {
          const x = plot.x.pixel(i);
          const w = Math.max(1, plot.x.pixel(i + 1) - x - 1);
          let sum = 0;
          parts.forEach(([key], k) => {
            const y0 = plot.y.pixel(sum);
            sum += s.time[key + "_ns"] ?? s.time[key] ?? 0;
            const y1 = plot.y.pixel(sum);
            plot.c.fillStyle = partColor(k);
            plot.c.fillRect(x, y1, w, y0 - y1);
          });
        });
      }}
      onMove={(x) => {
        const s = x < 0 ? undefined : steps[at(x, wide)];
        return s ? `step ${s.name}\n${formatNs(s.time.total_ns ?? 0)}` : null;
      }}
      onClick={(x) => {
        const s = steps[at(x, wide)];
        if (s) showRange(sinceBegin(s.begin_ns, info), s.end_ns - s.begin_ns, info);
      }}
    />
  );
}

function DeviceCard({ device: d }: { device: Analysis["devices"][number] }) {
  return (
    <div class="card">
      <h2>
        GPU {d.id} <span class="muted">{d.name}</span>
      </h2>
      <div class="figures">
        <div>
          <b data-figure={`utilisation-${d.id}`}>{formatShare(d.utilisation)}</b>
          <span class="muted">busy</span>
        </div>
        {d.sm_efficiency !== null ? (
          <div>
            <b>{formatShare(d.sm_efficiency)}</b>
            <span class="muted">est. SM efficiency</span>
          </div>
        ) : null}
        {d.occupancy !== null ? (
          <div>
            <b>{formatShare(d.occupancy)}</b>
            <span class="muted">est. occupancy</span>
          </div>
        ) : null}
        {d.tensor_core_share !== null ? (
          <div>
            <b>{formatShare(d.tensor_core_share)}</b>
            <span class="muted">tensor cores</span>
          </div>
        ) : null}
      </div>
      <p class="muted small">
        {formatInteger(d.kernels)} kernels, {formatNs(d.kernel_ns)}
        {d.memory_bytes ? ` · ${formatBytes(d.memory_bytes)} memory` : ""}
        {d.compute_major >= 0 ? ` · compute ${d.compute_major}.${d.compute_minor}` : ""}
      </p>
    </div>
  );
}

function TopFunctions({ profile }: { profile: ProfileRef }) {
  const { value } = useLoad(`functions ${profile.run} ${profile.name}`, (signal) =>
    get<Functions>("profile:functions", asked(profile), signal),
  );
  if (!value || value.rows.length === 0) return null;
  return (
    <div class="card">
      <h2>Longest in themselves</h2>
      <table class="plain-table">
        <tbody>
          {value.rows.slice(0, 10).map((r, i) => (
            <tr key={i} data-function={r.name}>
              <td>
                <button
                  type="button"
                  class="link-button"
                  onClick={() => changeProfile({ tab: "flame", search: r.name, root: 0 })}
                >
                  {shownName(r)}
                </button>
              </td>
              <td class="number">{formatWeight(r.self, value.unit)}</td>
              <td class="number">{formatShare(r.self / (value.whole || 1))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function OverviewTab({
  profile,
  info,
  analysis,
}: {
  profile: ProfileRef;
  info: ProfileInfo;
  analysis: Analysis | null;
}) {
  const steps = analysis?.steps;
  const known = steps && steps.count > 0 && analysis.events > 0;
  // Beside the step where there is room for them; many would push the advice away.
  const fewDevices = (analysis?.devices.length ?? 0) <= 3;
  return (
    <div class="profile-body">
      <div class="overview">
        <div class="card">
          <h2>Trace</h2>
          <div class="figures">
            {info.slices ? (
              <div>
                <b data-figure="duration">{formatNs(info.duration_ns)}</b>
                <span class="muted">long</span>
              </div>
            ) : null}
            <div>
              <b data-figure="slices">{formatInteger(info.slices)}</b>
              <span class="muted">{info.slices === 1 ? "slice" : "slices"}</span>
            </div>
            <div>
              <b>{formatInteger(info.tracks.length)}</b>
              <span class="muted">{info.tracks.length === 1 ? "track" : "tracks"}</span>
            </div>
            <div>
              <b>{formatBytes(info.bytes)}</b>
              <span class="muted">{info.format}</span>
            </div>
          </div>
          {[...info.notes, ...(analysis?.notes ?? [])].map((n) => (
            <p class="muted small" key={n}>
              {n}
            </p>
          ))}
        </div>
        {analysis ? null : (
          <div class="card">
            <h2>Working out where the time went…</h2>
            <Waiting height={240} />
          </div>
        )}
        {known ? (
          <div class="card">
            <h2>
              {steps.is_whole_trace
                ? "The whole trace"
                : `Mean of ${formatInteger(steps.count)} ${steps.count === 1 ? "step" : "steps"}`}
            </h2>
            <div class="figures">
              <div>
                <b data-figure="step" data-ns={steps.mean_ns}>
                  {formatNs(steps.mean_ns)}
                </b>
                <span class="muted">a step</span>
              </div>
              <div>
                <b>{formatNs(steps.median_ns)}</b>
                <span class="muted">median</span>
              </div>
              <div>
                <b>{formatNs(steps.p99_ns)}</b>
                <span class="muted">99th percentile</span>
              </div>
            </div>
            <div class="parts-bar" aria-hidden="true">
              {parts.map(([key], i) => (
                <span
                  key={key}
                  style={{
                    width: `${((steps.mean[key] ?? 0) / (steps.mean_ns || 1)) * 100}%`,
                    background: partColor(i),
                  }}
                />
              ))}
            </div>
            <table class="plain-table">
              <tbody>
                {parts.map(([key, title], i) => (
                  <tr key={key} data-part={key}>
                    <td>
                      <Swatch color={partColor(i)} /> {title}
                    </td>
                    <td class="number" data-ns={steps.mean[key]}>
                      {formatMs(steps.mean[key] ?? 0)} ms
                    </td>
                    <td class="number">
                      {formatShare((steps.mean[key] ?? 0) / (steps.mean_ns || 1))}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {view.value.project && !steps.is_whole_trace ? (
              <p>
                <button
                  type="button"
                  class="link-button"
                  onClick={() =>
                    change({ page: "charts", pins: [steps.steps[0].number], full: "" })
                  }
                >
                  The run's charts from step {steps.steps[0].name} on
                </button>
              </p>
            ) : null}
          </div>
        ) : null}
        {fewDevices && analysis?.devices.length ? (
          <div class="devices">
            {analysis.devices.map((d) => (
              <DeviceCard key={d.id} device={d} />
            ))}
          </div>
        ) : null}
        {analysis ? (
          <div class="card span">
            <h2>Advice</h2>
            {analysis.advice.length === 0 ? (
              <p class="muted">No rule holds: nothing here is known to be slow.</p>
            ) : (
              analysis.advice.map((a, i) => <AdviceCard key={i} advice={a} info={info} />)
            )}
          </div>
        ) : null}
        {known && !steps.is_whole_trace ? (
          <div class="plot-card span" style={{ gridColumn: "1 / -1" }}>
            <StepChart analysis={analysis} info={info} />
          </div>
        ) : null}
        {fewDevices ? null : analysis?.devices.map((d) => <DeviceCard key={d.id} device={d} />)}
        {info.flame_nodes > 0 ? <TopFunctions profile={profile} /> : null}
      </div>
    </div>
  );
}
