// Several runs side by side: config, metrics, environment, code and packages, against a baseline.
import { useMemo, useState } from "preact/hooks";
import { get, post } from "../api/client";
import type { Cell, Environment, Runs } from "../api/types";
import { diffLines } from "../lib/diff";
import { betterOf } from "../lib/goals";
import { metricFacts } from "../state/coverage";
import { isHiddenColumn } from "../state/metrics";
import { styleAmong } from "../state/colors";
import { columns, comparedIds, keys, nothingYet, runById, runs, runsState } from "../state/runs";
import { change, view } from "../state/view";
import { BarCard } from "../ui/bar_card";
import { ComparedMedia } from "../ui/compared_media";
import { ChartCard } from "../ui/chart_card";
import { Check, Search, Select, Swatch } from "../ui/controls";
import { Grid, type GridColumn } from "../ui/grid";
import { GroupButton, GroupChip } from "../ui/group_form";
import { Icon } from "../ui/icon";
import { rowHeight } from "../ui/virtual_list";
import { Empty, Failed, Skeleton, Waiting } from "../ui/states";
import { useLoad } from "../ui/use_load";
import {
  formatColumn,
  formatDuration,
  formatInteger,
  formatNumber,
  formatSetting,
} from "../viz/format";
import { suggested } from "./charts_sections";
import { WaitingForRuns } from "./projects";
import { numberOf } from "../lib/cells";

interface CompareRow {
  section: string;
  name: string;
  id: string;
  cells: Cell[];
  differs: boolean;
}

const sectionOf: Record<string, string> = {
  config: "config",
  summary: "summary",
  metric: "metric",
  environment: "environment",
};

function rowsFrom(reply: Runs, ids: string[]): CompareRow[] {
  const place = new Map(reply.runs.id.map((id, i) => [id, i]));
  const rows: CompareRow[] = [];
  const add = (section: string, name: string, id: string, cells: Cell[]) => {
    if (cells.every((c) => c === null || c === "")) return;
    rows.push({ section, name, id, cells, differs: cells.some((c) => c !== cells[0]) });
  };
  const at = (list: Cell[]) => ids.map((id) => list[place.get(id) ?? -1] ?? null);
  add("run", "state", "state", at(reply.runs.state));
  add("run", "group", "group", at(reply.runs.group));
  add("run", "tags", "tags", at(reply.runs.tags.map((t) => t.join(", "))));
  add(
    "run",
    "duration",
    "duration",
    at(reply.runs.start_ms.map((s, i) => Math.round((reply.runs.end_ms[i] - s) / 1000))),
  );
  for (const [id, list] of Object.entries(reply.values)) {
    const colon = id.indexOf(":");
    add(sectionOf[id.slice(0, colon)], id.slice(colon + 1), id, at(list));
  }
  return rows;
}

/** Columns in one question; a run may have logged thousands of parameters. */
const columnPage = 1000;

/** Every column of the runs, page by page. */
async function loadCells(project: string, runs: string[], columns: string[]): Promise<Runs> {
  const ask = (part: string[]) =>
    post<Runs>("runs:query", {
      project,
      runs,
      columns: part,
      directory: false,
      archived: "include",
    });
  const reply = await ask(columns.slice(0, columnPage));
  for (let first = columnPage; first < columns.length; first += columnPage)
    Object.assign(reply.values, (await ask(columns.slice(first, first + columnPage))).values);
  return reply;
}

function CompareCell({ row, at }: { row: CompareRow; at: number }) {
  const cell = row.cells[at];
  const base = row.cells[0];
  if (cell === null) return <span class="muted">–</span>;
  const value = numberOf(cell);
  const numeric = typeof cell === "number" || !Number.isNaN(value);
  const setting = row.section === "config" || row.section === "environment";
  const text = !numeric
    ? String(cell)
    : setting
      ? formatSetting(value)
      : row.id === "duration"
        ? formatDuration(value)
        : formatColumn(row.cells.map(numberOf))[at]; // the same decimals in a row
  if (cell === base)
    return (
      <span class="ellipsis" title={String(cell)}>
        {text}
      </span>
    );
  const reference = numberOf(base);
  if (
    (row.section === "metric" || row.section === "summary") &&
    numeric &&
    Number.isFinite(reference) &&
    reference !== 0
  ) {
    const share = ((value - reference) / Math.abs(reference)) * 100;
    // Good and bad only where somebody said, or everybody knows, which way is better.
    const better = betterOf(row.id, keys.value);
    const tone = Math.abs(share) < 0.005 || !better ? "muted" : share * better > 0 ? "good" : "bad";
    return (
      <>
        <span title={String(cell)}>{text}</span>
        <span class={`small ${tone}`} data-delta={share}>
          {share > 0 ? "+" : "−"}
          {formatNumber(Math.abs(share), 3)}%
        </span>
      </>
    );
  }
  return (
    <>
      <span class="ellipsis differs" title={String(cell)}>
        {text}
      </span>
      <span class="small muted" aria-label="differs from the baseline">
        ≠
      </span>
    </>
  );
}

function CodeDiff({ ids, base }: { ids: string[]; base: string }) {
  const others = ids.filter((id) => id !== base);
  const [other, setOther] = useState(others[0]);
  const chosen = others.includes(other) ? other : others[0];
  const { value } = useLoad(`code ${base} ${chosen}`, () =>
    Promise.all([
      get<Environment>("environment", { run: base }),
      get<Environment>("environment", { run: chosen }),
    ]),
  );
  if (!value) return <Skeleton />;
  const cell = (e: Environment, name: string) =>
    String(e.cells.find((c) => c.name === name)?.value ?? "");
  const [a, b] = value;
  const name = (id: string) => runById.value.get(id)?.name ?? id;
  const commits = [cell(a, "git/commit"), cell(b, "git/commit")];
  const code = diffLines(cell(a, "git/diff").split("\n"), cell(b, "git/diff").split("\n")).filter(
    (l) => l.kind !== " " || l.text,
  );
  const recorded = (e: Environment, part: string) => e.cells.some((c) => c.name.startsWith(part));
  /** Two runs without a word about it are not the same: nobody knows. */
  const unknown = (part: string) =>
    [recorded(a, part) ? "" : name(base), recorded(b, part) ? "" : name(chosen)]
      .filter(Boolean)
      .join(" and ");
  const packages = (e: Environment) =>
    e.cells
      .filter((c) => c.name.startsWith("packages/"))
      .map((c) => `${c.name.slice(9)} ${c.value}`);
  const packageDiff = diffLines(packages(a).sort(), packages(b).sort()).filter(
    (l) => l.kind !== " ",
  );
  return (
    <div class="overview">
      <section class="card">
        <div class="row">
          <h2>Code</h2>
          <span class="muted ellipsis">{name(base)} →</span>
          <Select
            label="Compared with"
            value={chosen}
            onChange={setOther}
            options={others.map((id) => ({ value: id, label: name(id) }))}
          />
        </div>
        {unknown("git/") ? (
          <p class="muted" data-unknown="code">
            No code was recorded for {unknown("git/")}.
          </p>
        ) : (
          <>
            <p class="small">
              {commits[0] === commits[1] ? (
                <>
                  same commit <code>{commits[0].slice(0, 10) || "unknown"}</code>
                </>
              ) : (
                <>
                  commit <code>{commits[0].slice(0, 10)}</code> →{" "}
                  <code>{commits[1].slice(0, 10)}</code>
                </>
              )}
            </p>
            {code.some((l) => l.kind !== " ") ? (
              <pre class="diff">
                {code.map((l, i) => (
                  <span key={i} class={l.kind === "+" ? "plus" : l.kind === "-" ? "minus" : ""}>
                    {l.kind} {l.text}
                    {"\n"}
                  </span>
                ))}
              </pre>
            ) : (
              <p class="muted">The uncommitted changes are the same.</p>
            )}
          </>
        )}
      </section>
      <section class="card">
        <h2>Packages</h2>
        {unknown("packages/") ? (
          <p class="muted" data-unknown="packages">
            No packages were recorded for {unknown("packages/")}.
          </p>
        ) : packageDiff.length ? (
          <pre class="diff">
            {packageDiff.map((l, i) => (
              <span key={i} class={l.kind === "+" ? "plus" : "minus"}>
                {l.kind} {l.text}
                {"\n"}
              </span>
            ))}
          </pre>
        ) : (
          <p class="muted">The same packages.</p>
        )}
      </section>
    </div>
  );
}

export function ComparePage() {
  const v = view.value;
  const [text, setText] = useState("");
  const ids = comparedIds.value;
  const base = ids.includes(v.baseline) ? v.baseline : ids[0];
  const ordered = base ? [base, ...ids.filter((id) => id !== base)] : [];
  const wanted = columns.value
    .filter((c) => !c.id.startsWith("metric:system/") && !isHiddenColumn(c.id))
    .map((c) => c.id);
  const { value, error, again } = useLoad(
    "compare " + ordered.join("\n") + wanted.length,
    () => (ordered.length ? loadCells(v.project, ordered, wanted) : Promise.resolve(null)),
    (list) => list.some((id) => ids.includes(id)),
  );
  const all = useMemo(() => (value ? rowsFrom(value, ordered) : []), [value]);
  const charts = useMemo(
    () => suggested(keys.value, metricFacts.value),
    [keys.value, metricFacts.value],
  );
  if (nothingYet()) return <WaitingForRuns />;
  if (error)
    return (
      <div class="page">
        <Failed message={error} retry={again} />
      </div>
    );
  if (runsState.value === "ready" && ordered.length < 2)
    return (
      <div class="page">
        <Empty icon="compare" title="Choose at least two runs">
          <p>Tick them in the table, or add them from the menu of a run.</p>
          <button type="button" class="button primary" onClick={() => change({ page: "table" })}>
            Open the table
          </button>
        </Empty>
      </div>
    );
  const wantedText = text.toLowerCase();
  const rows = all.filter(
    (r) =>
      (!v.onlyDifferences || r.differs) &&
      (!wantedText || r.name.toLowerCase().includes(wantedText)),
  );
  const list: (CompareRow | string)[] = [];
  for (const section of ["run", "config", "summary", "metric", "environment"]) {
    const part = rows.filter((r) => r.section === section);
    if (!part.length) continue;
    list.push(section);
    if (!v.closed.includes("cmp:" + section)) list.push(...part);
  }
  // On a phone the baseline and another run have to fit beside each other.
  const narrow = innerWidth <= 640;
  const others = runs.value.filter((r) => !ids.includes(r.id));
  const style = styleAmong(ordered);
  // A usual name is whole, beside the mark of the baseline too.
  const widthOf = (id: string) => {
    if (narrow) return id === base ? 144 : 132;
    const letters = runById.value.get(id)?.name.length ?? 0;
    return Math.max(168, Math.min(260, 40 + 8 * letters + (id === base ? 48 : 0)));
  };
  const gridColumns: GridColumn[] = [
    { id: "key", title: "key", label: "key", width: narrow ? 112 : 220 },
    ...ordered.map((id) => ({
      id,
      label: runById.value.get(id)?.name ?? id,
      width: widthOf(id),
      number: true,
      title: (
        <span class="row">
          <Swatch color={style(id).drawn} />
          <span class="ellipsis">{runById.value.get(id)?.name ?? id}</span>
          {id === base ? <span class="chip accent">base</span> : null}
        </span>
      ),
    })),
  ];
  return (
    <div class="page">
      <div class="toolbar" role="toolbar" aria-label="Compare">
        <strong>{formatInteger(ordered.length)} runs</strong>
        <label class="field">
          baseline
          <Select
            label="Baseline"
            value={base ?? ""}
            onChange={(baseline) => change({ baseline })}
            options={ids.map((id) => ({ value: id, label: runById.value.get(id)?.name ?? id }))}
          />
        </label>
        {others.length ? (
          <Select
            label="Add a run"
            value=""
            onChange={(id) => id && change({ compared: [...ids, id] })}
            options={[
              { value: "", label: "+ run" },
              ...others.slice(0, 500).map((r) => ({ value: r.id, label: r.name })),
            ]}
          />
        ) : null}
        <Check
          checked={v.onlyDifferences}
          onChange={(onlyDifferences) => change({ onlyDifferences })}
        >
          only differences
        </Check>
        <GroupButton />
        <GroupChip />
        <Search value={text} onChange={setText} placeholder="Search rows" label="Search rows" />
        <span class="muted">
          {formatInteger(rows.length)} of {formatInteger(all.length)} rows
        </span>
        <span class="spacer" />
        {v.compared.length < 2 ? (
          <span class="chip">the newest visible runs; tick runs in the table to choose</span>
        ) : null}
      </div>
      <div class="page-scroll compare">
        {!value ? (
          <Waiting height={300} />
        ) : (
          <div
            class="compare-table"
            style={{
              height: 36 + list.length * rowHeight() + 12,
              width: gridColumns.reduce((sum, c) => sum + c.width, 0),
            }}
          >
            <Grid
              label="Comparison"
              columns={gridColumns}
              count={list.length}
              rowKey={(i) => {
                const r = list[i];
                return typeof r === "string" ? "section " + r : r.section + r.name;
              }}
              rowClass={(i) => (typeof list[i] === "string" ? "group" : "")}
              cell={(i, c) => {
                const r = list[i];
                if (typeof r === "string") {
                  const closed = v.closed.includes("cmp:" + r);
                  return c.id === "key" ? (
                    <button
                      type="button"
                      class="row"
                      aria-expanded={!closed}
                      onClick={() =>
                        change({
                          closed: closed
                            ? v.closed.filter((x) => x !== "cmp:" + r)
                            : [...v.closed, "cmp:" + r],
                        })
                      }
                    >
                      <Icon name={closed ? "right" : "down"} />
                      {r}
                    </button>
                  ) : null;
                }
                return c.id === "key" ? (
                  <span class="ellipsis" title={r.name}>
                    {r.name}
                  </span>
                ) : (
                  <CompareCell row={r} at={ordered.indexOf(c.id)} />
                );
              }}
              onSort={(id) => id !== "key" && change({ baseline: id })}
            />
          </div>
        )}
        <div class="compare-side">
          <div class="overview">
            {charts.map((c) => (
              <div class="overview-chart" key={c.id}>
                {c.bars ? (
                  <BarCard spec={c} runs={ordered} style={{ position: "absolute", inset: "0" }} />
                ) : (
                  <ChartCard spec={c} runs={ordered} style={{ position: "absolute", inset: "0" }} />
                )}
              </div>
            ))}
            <ComparedMedia runs={ordered} />
          </div>
          {ordered.length > 1 ? <CodeDiff ids={ordered} base={base} /> : null}
        </div>
      </div>
    </div>
  );
}
