// One run: overview, charts, media, output, system, files, environment.
import { useState } from "preact/hooks";
import { apiUrl, get } from "../api/client";
import type { Cell, Environment, Files, RunDetail, SeriesInfo } from "../api/types";
import { byInterest } from "../lib/interest";
import { isHidden, scalarInfo } from "../state/metrics";
import { runStyle } from "../state/colors";
import { applyEdits, runById, server } from "../state/runs";
import { change, view } from "../state/view";
import { askText } from "../ui/ask";
import { ChartCard } from "../ui/chart_card";
import { ConsoleView } from "../ui/console_view";
import { IconButton, Search, Swatch, Tabs } from "../ui/controls";
import { HtmlPage } from "../ui/html_page";
import { Icon } from "../ui/icon";
import { Markdown } from "../ui/markdown";
import { LatestImages, MediaOfRun } from "../ui/media_strip";
import { copyText, Empty, Failed, Skeleton, Waiting } from "../ui/states";
import { useLoad } from "../ui/use_load";
import { toNumber } from "../viz/chart_data";
import {
  formatBytes,
  formatCell,
  formatDuration,
  formatInteger,
  formatSetting,
  formatTime,
  stateWords,
} from "../viz/format";
import { suggested } from "./charts_sections";
import { SystemPanels } from "./system";

export function cellText(cell: Cell): string {
  if (cell === null) return "–";
  return typeof cell === "number" ? formatSetting(cell) : String(cell);
}

const infinities = (series: SeriesInfo): number =>
  series.positive_infinity_count + series.negative_infinity_count;

/** The number that stands for a metric, as define_metric named it. */
function summaryText(series: SeriesInfo): string {
  const summary = scalarInfo.value.get(series.key)?.summary ?? "last";
  return summary === "none" ? "–" : formatCell(toNumber(series[summary]));
}

/** The smallest or the largest value; starred where the metric's goal makes it the best. */
function BestCell({ series, goal }: { series: SeriesInfo; goal: "minimize" | "maximize" }) {
  const text = formatCell(toNumber(goal === "minimize" ? series.min : series.max));
  const best = scalarInfo.value.get(series.key)?.goal === goal;
  return (
    <td class="number">
      {best ? (
        <span class="best" title={`the best: its goal is to ${goal} it`}>
          ★ {text}
        </span>
      ) : (
        text
      )}
    </td>
  );
}

function Overview({ run, base }: { run: RunDetail; base: RunDetail | null }) {
  const baseConfig = new Map(base?.config.map((c) => [c.name, c.value]) ?? []);
  const charts = suggested(
    run.series.map((s) => ({
      key: s.key,
      kind: "scalar",
      runs: 1,
      points: s.count,
      first_step: s.first_step,
      last_step: s.last_step,
      hidden: isHidden(s.key),
    })),
  );
  const editNote = async () => {
    const notes = await askText(`Note for ${run.name} (Markdown)`, run.notes, "Save note", 8);
    if (notes !== null && notes !== run.notes)
      await applyEdits([{ runs: [run.id], notes }], `Noted ${run.name}`);
  };
  const order = byInterest(
    (key) => scalarInfo.value.get(key)?.goal,
    () => 1,
  );
  const metrics = run.series
    .filter((s) => !s.key.startsWith("system/") && !isHidden(s.key))
    .sort((a, b) => order(a.key, b.key));
  const named = metrics.some((s) => (scalarInfo.value.get(s.key)?.summary ?? "last") !== "last");
  return (
    <div class="overview">
      {run.message ? (
        <div class="card bad span" role="alert">
          <Icon name="warn" /> {run.message}
        </div>
      ) : null}
      {run.damage.length ? (
        <div class="card warn span">
          {run.damage.map((d) => (
            <div key={d.file + d.offset}>
              {d.file}: {formatInteger(d.length)} bytes at {formatInteger(d.offset)} are damaged (
              {d.reason})
            </div>
          ))}
        </div>
      ) : null}
      <section class="card summary-card" tabIndex={0}>
        <h2>Summary</h2>
        <table class="plain-table names">
          <thead>
            <tr>
              <th>metric</th>
              {named ? (
                <th class="number" title="The number that stands for the metric in tables">
                  summary
                </th>
              ) : null}
              <th class="number">last</th>
              <th class="number">min</th>
              <th class="number">max</th>
              <th class="number">points</th>
            </tr>
          </thead>
          <tbody>
            {run.summary.map((s) => (
              <tr key={"s" + s.name}>
                <td>{s.name}</td>
                <td class="number" title={cellText(s.value)}>
                  {typeof s.value === "number" ? formatCell(s.value) : cellText(s.value)}
                </td>
                <td />
                <td />
                <td />
                {named ? <td /> : null}
              </tr>
            ))}
            {metrics.map((s) => (
              <tr key={s.key}>
                <td>{s.key}</td>
                {named ? <td class="number">{summaryText(s)}</td> : null}
                <td class="number">{formatCell(toNumber(s.last))}</td>
                <BestCell series={s} goal="minimize" />
                <BestCell series={s} goal="maximize" />
                <td class="number">
                  {formatInteger(s.count)}
                  {s.nan_count ? (
                    <span class="warn" title={`${s.nan_count} NaN`}>
                      {" "}
                      ▲{formatInteger(s.nan_count)}
                    </span>
                  ) : null}
                  {infinities(s) ? (
                    <span class="warn" title={`${infinities(s)} infinite, left out of the mean`}>
                      {" "}
                      ∞{formatInteger(infinities(s))}
                    </span>
                  ) : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section class="card" tabIndex={0}>
        <h2>Config{base ? <span class="muted small"> against {base.name}</span> : null}</h2>
        <table class="plain-table">
          <tbody>
            {run.config.map((c) => {
              const other = baseConfig.get(c.name);
              const differs = base !== null && other !== c.value;
              return (
                <tr key={c.name}>
                  <td class="muted">{c.name}</td>
                  <td class={differs ? "warn" : ""}>{cellText(c.value)}</td>
                  <td class="muted">{differs ? `(${cellText(other ?? null)})` : ""}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {run.config.length === 0 ? <p class="muted">No hyperparameters were logged.</p> : null}
      </section>
      <section class="card span" tabIndex={0}>
        <div class="row">
          <h2>Notes</h2>
          <span class="spacer" />
          <IconButton
            icon="edit"
            label="Edit notes"
            disabled={server.value?.read_only}
            onClick={() => void editNote()}
          />
        </div>
        {run.notes ? <Markdown text={run.notes} /> : <p class="muted">None yet.</p>}
        {run.alerts.length ? (
          <>
            <h3 style={{ marginTop: 12 }}>Alerts</h3>
            {run.alerts.map((a) => (
              <div key={a.title + a.time_ms} class="alert-row">
                <span
                  class={`chip ${a.level === "error" ? "bad" : a.level === "warning" ? "warn" : ""}`}
                >
                  {a.level}
                </span>{" "}
                <strong>{a.title}</strong> <span class="muted">step {formatInteger(a.step)}</span>
                <div class="muted">{a.text}</div>
              </div>
            ))}
          </>
        ) : null}
      </section>
      {charts.map((c) => (
        <div class="overview-chart" key={c.id}>
          <ChartCard spec={c} runs={[run.id]} style={{ position: "absolute", inset: "0" }} />
        </div>
      ))}
      <LatestImages run={run.id} />
    </div>
  );
}

function AllCharts({ run }: { run: RunDetail }) {
  const [text, setText] = useState("");
  const list = run.series.filter(
    (s) => s.key.toLowerCase().includes(text.toLowerCase()) && (!isHidden(s.key) || s.key === text),
  );
  return (
    <>
      <div class="toolbar">
        <Search
          value={text}
          onChange={setText}
          placeholder="Search metrics"
          label="Search metrics of this run"
        />
        <span class="muted">{formatInteger(list.length)} metrics</span>
      </div>
      <div class="overview">
        {list.slice(0, 60).map((s) => (
          <div class="overview-chart" key={s.key}>
            <ChartCard
              spec={{ id: s.key, title: s.key, keys: [s.key] }}
              runs={[run.id]}
              style={{ position: "absolute", inset: "0" }}
            />
          </div>
        ))}
      </div>
      {list.length > 60 ? (
        <p class="muted page-pad">
          The first 60 of {formatInteger(list.length)}; search to narrow, or see the charts page.
        </p>
      ) : null}
    </>
  );
}

function FilesTab({ run }: { run: string }) {
  const { value, error, again } = useLoad(run, () => get<Files>("files", { run }));
  if (error) return <Failed message={error} retry={again} />;
  if (!value) return <Waiting />;
  if (value.artifacts.length === 0)
    return (
      <Empty title="No files">
        <p>
          Files logged with <code>log_artifact</code> appear here.
        </p>
      </Empty>
    );
  return (
    <div class="page-pad stack">
      {value.artifacts.map((a, number) => (
        <section class="card" key={`${a.name} ${a.version} ${a.step} ${a.time_ms}`}>
          <div class="row">
            <h2>{a.name}</h2>
            {a.version ? <span class="chip accent">{a.version}</span> : null}
            <span class="chip">{a.type}</span>
            <span class="muted">
              step {formatInteger(a.step)} · {formatTime(a.time_ms)}
            </span>
          </div>
          <table class="plain-table">
            <tbody>
              {a.files.map((f) => (
                <tr key={f.path}>
                  <td>
                    <a
                      href={apiUrl("blob", { run, sha: f.sha, name: f.path.split("/").pop() })}
                      download
                    >
                      {f.path}
                    </a>
                  </td>
                  <td class="number">{formatBytes(f.size)}</td>
                  <td class="mono muted">{f.sha.slice(0, 12)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {a.type === "html-file"
            ? a.files.map((f) => (
                <HtmlPage
                  key={f.sha}
                  run={run}
                  sha={f.sha}
                  size={f.size}
                  name={a.name}
                  open={number < 3}
                />
              ))
            : null}
          {a.metadata.length ? (
            <dl class="key-value">
              {a.metadata.map((m) => (
                <>
                  <dt>{m.name}</dt>
                  <dd>{cellText(m.value)}</dd>
                </>
              ))}
            </dl>
          ) : null}
        </section>
      ))}
    </div>
  );
}

function EnvironmentTab({ run }: { run: string }) {
  const { value, error, again } = useLoad(run, () => get<Environment>("environment", { run }));
  if (error) return <Failed message={error} retry={again} />;
  if (!value) return <Waiting />;
  const groups = new Map<string, { name: string; value: Cell }[]>();
  let diff = "";
  for (const c of value.cells) {
    if (c.name === "git/diff") {
      diff = String(c.value ?? "");
      continue;
    }
    const at = c.name.indexOf("/");
    const group = at > 0 ? c.name.slice(0, at) : "run";
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group)!.push({ name: at > 0 ? c.name.slice(at + 1) : c.name, value: c.value });
  }
  if (groups.size === 0) return <Empty title="No environment was recorded" />;
  return (
    <div class="overview">
      {[...groups].map(([name, cells]) => (
        <section class="card" key={name}>
          <h2>{name}</h2>
          <dl class="key-value">
            {cells.map((c) => (
              <>
                <dt>{c.name}</dt>
                <dd class="mono">{cellText(c.value)}</dd>
              </>
            ))}
          </dl>
        </section>
      ))}
      {diff ? (
        <section class="card span">
          <h2>Uncommitted changes</h2>
          <pre class="diff">
            {diff.split("\n").map((l, i) => (
              <span
                key={i}
                class={
                  l.startsWith("+")
                    ? "plus"
                    : l.startsWith("-")
                      ? "minus"
                      : l.startsWith("@@")
                        ? "muted"
                        : ""
                }
              >
                {l}
                {"\n"}
              </span>
            ))}
          </pre>
        </section>
      ) : null}
    </div>
  );
}

export function RunPage() {
  const { run: id, tab, baseline: baseId } = view.value;
  const {
    value: run,
    error,
    again,
  } = useLoad(
    "run " + id,
    () => (id ? get<RunDetail>("run", { run: id }) : Promise.resolve(null)),
    (runs) => runs.includes(id),
  );
  const { value: base } = useLoad("base " + baseId, () =>
    baseId && baseId !== id ? get<RunDetail>("run", { run: baseId }) : Promise.resolve(null),
  );
  if (!id)
    return (
      <div class="page">
        <Empty icon="charts" title="No run is chosen">
          <button type="button" class="button primary" onClick={() => change({ page: "table" })}>
            Open the table
          </button>
        </Empty>
      </div>
    );
  if (error && !run)
    return (
      <div class="page">
        <Failed message={error} retry={again} />
      </div>
    );
  if (!run || run.id !== id)
    return (
      <div class="page page-pad">
        <Skeleton height="50vh" />
      </div>
    );
  const info = runById.value.get(id);
  const kinds = run.kinds as Record<string, number>;
  const media = ["image", "audio", "video", "mesh", "text", "table", "figure"].some(
    (k) => kinds[k],
  );
  const system = run.series.some((s) => s.key.startsWith("system/"));
  return (
    <div class="page">
      <div class="toolbar">
        <Swatch color={runStyle.value(id).color} />
        <h1 class="ellipsis">{info?.name ?? run.name}</h1>
        <span
          class={`chip ${run.state === "running" ? "good" : run.state === "finished" || run.state === "idle" ? "" : "bad"}`}
          title={stateWords(run.state)}
        >
          <span class={`state-dot ${run.state}`} />
          {run.state}
        </span>
        <span class="muted">
          {formatDuration((run.end_ms - run.start_ms) / 1000)} · {formatTime(run.start_ms)}
        </span>
        {run.attempts.length > 1 ? (
          <span
            class="chip"
            title={run.attempts
              .map(
                (a) =>
                  `attempt ${a.attempt}: steps ${formatInteger(a.first_step)} to ${formatInteger(a.last_step)}`,
              )
              .join("\n")}
          >
            ⟲ {run.attempts.length} attempts
          </span>
        ) : null}
        {run.world_size > 1 ? <span class="chip">{run.world_size} ranks</span> : null}
        {(info?.tags ?? run.tags).map((t) => (
          <span class="chip" key={t}>
            {t}
          </span>
        ))}
        <span class="spacer" />
        <button
          type="button"
          class="button"
          onClick={() => change({ baseline: baseId === id ? "" : id })}
        >
          <Icon name="star" />
          {baseId === id ? "Baseline" : "Use as baseline"}
        </button>
        <IconButton icon="link" label="Copy link" onClick={() => copyText(location.href)} />
        <IconButton
          icon="close"
          label="Back to the charts"
          onClick={() => change({ page: "charts" })}
        />
      </div>
      <Tabs
        label="Run"
        value={tab}
        onChange={(t) => change({ tab: t })}
        options={[
          { value: "overview", label: "Overview" },
          { value: "charts", label: "Charts" },
          ...(media ? [{ value: "media", label: "Media" }] : []),
          { value: "logs", label: "Logs" },
          ...(system ? [{ value: "system", label: "System" }] : []),
          { value: "files", label: "Files" },
          { value: "environment", label: "Environment" },
        ]}
      />
      {tab === "logs" ? (
        <ConsoleView
          key={id}
          run={id}
          name={run.name}
          total={run.console_lines}
          atEnd={run.state === "failed" || run.state === "crashed"}
        />
      ) : (
        <div class="page-scroll">
          {tab === "overview" ? <Overview run={run} base={base} /> : null}
          {tab === "charts" ? <AllCharts run={run} /> : null}
          {tab === "media" ? <MediaOfRun run={id} /> : null}
          {tab === "system" ? <SystemPanels run={id} /> : null}
          {tab === "files" ? <FilesTab run={id} /> : null}
          {tab === "environment" ? <EnvironmentTab run={id} /> : null}
        </div>
      )}
    </div>
  );
}
