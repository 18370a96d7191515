// The table of runs: filter, sort, group, tick, change many at once.
import { computed, signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { hoveredRun, isMarked } from "../state/cursor";
import { betterOf, firstDescending } from "../lib/goals";
import { coverageOf, rankedMetrics } from "../state/coverage";
import { isHiddenColumn, scalarInfo } from "../state/metrics";
import type { Cell } from "../api/types";
import { numberOf } from "../lib/cells";
import { meanAndDeviation } from "../lib/statistics";
import { groupColor, runStyle } from "../state/colors";
import { groupName, rowName } from "../state/groups";
import { columnValues } from "../state/columns";
import {
  columns,
  isSelected,
  keys,
  listed,
  nothingYet,
  runs,
  runsState,
  setSelected,
  type Run,
} from "../state/runs";
import { toast } from "../state/toast";
import { change, view } from "../state/view";
import { BulkBar } from "../ui/bulk_bar";
import { Check, IconButton, Search, Swatch } from "../ui/controls";
import { FilterBox, usePaused } from "../ui/filter_box";
import { Grid, type GridColumn } from "../ui/grid";
import { Icon } from "../ui/icon";
import { Only } from "../ui/only";
import { PopoverButton } from "../ui/popover";
import { GroupButton, GroupChip } from "../ui/group_form";
import { RunMenu } from "../ui/run_menu";
import { Spark, useSparks } from "../ui/spark";
import { Empty } from "../ui/states";
import { download } from "../ui/export";
import {
  formatCell,
  formatDuration,
  formatInteger,
  formatSetting,
  formatSpread,
  formatTime,
  stateWords,
} from "../viz/format";
import { WaitingForRuns } from "./projects";
import { cellOf, defaultColumns, inOldOrder, rowsOf, type Row } from "./table_rows";

const widths = signal<Record<string, number>>({});
let lastTicked = -1;

let lastColumns = { of: "", ids: [] as string[], known: false };
const shownColumns = computed(() => {
  if (view.value.columns) return view.value.columns;
  const fresh = defaultColumns(
    columns.value.filter((c) => !isHiddenColumn(c.id)),
    runs.value.length,
    rankedMetrics.value,
    (key) => !!scalarInfo.value.get(key)?.goal,
    innerWidth <= 640,
  );
  // What runs log moves no column; what a person filters may.
  const of = view.value.project + coverageOf.value;
  const ids =
    lastColumns.of === of && lastColumns.known ? inOldOrder(fresh, lastColumns.ids) : fresh;
  lastColumns = { of, ids, known: columns.value.length > 0 };
  return ids;
});
const rows = computed<Row[]>(() => {
  const { sort, closed } = view.value;
  return rowsOf(listed.value, { sort, closed });
});

function titleOf(id: string): string {
  const fixed: Record<string, string> = {
    start_ms: "started",
    duration_ms: "duration",
    end_ms: "last seen",
    world_size: "ranks",
    job_type: "job type",
  };
  return (
    fixed[id] ??
    id
      .replace(/^(config|summary|metric|environment):/, "")
      .replace(/^metric\.(\w+):(.*)/, "$2 ($1)")
  );
}

const isNumber = (id: string) =>
  /^(metric|start_ms|duration_ms|attempts|world_size)/.test(id) ||
  columns.value.find((c) => c.id === id)?.type === "number";

/** The best value of a metric column: smallest of losses, largest of accuracies. */
function bestOf(id: string): number | null {
  const better = betterOf(id, keys.value);
  if (better === 0) return null;
  const values = listed.value.map((r) => numberOf(cellOf(r, id))).filter(Number.isFinite);
  return values.length > 1 ? (better < 0 ? Math.min(...values) : Math.max(...values)) : null;
}

function ColumnChooser() {
  const [text, setText] = useState("");
  const shown = shownColumns.value;
  const all = [
    "state",
    "tags",
    "group",
    "job_type",
    "notes",
    "start_ms",
    "duration_ms",
    "end_ms",
    "attempts",
    "world_size",
    "source",
    ...columns.value.map((c) => c.id),
  ];
  const list = all.filter(
    (id) =>
      id.toLowerCase().includes(text.toLowerCase()) &&
      (!isHiddenColumn(id) || shown.includes(id) || id.endsWith(":" + text)),
  );
  return (
    <div class="stack" style={{ width: 320 }}>
      <input
        class="input"
        autofocus
        placeholder={`Search ${formatInteger(all.length)} columns`}
        aria-label="Search columns"
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
      />
      <div style={{ maxHeight: 320, overflow: "auto" }}>
        {list.slice(0, 200).map((id) => (
          <div key={id}>
            <Check
              checked={shown.includes(id)}
              onChange={(on) =>
                change({ columns: on ? [...shown, id] : shown.filter((c) => c !== id) })
              }
            >
              <span class="ellipsis">{titleOf(id)}</span>
              <span class="muted small">
                {id.includes(":") ? id.slice(0, id.indexOf(":")) : "run"}
              </span>
            </Check>
          </div>
        ))}
        {list.length > 200 ? (
          <p class="muted small">{formatInteger(list.length - 200)} more; type to narrow.</p>
        ) : null}
      </div>
      <button type="button" class="button" onClick={() => change({ columns: null })}>
        Differing columns first (default)
      </button>
    </div>
  );
}

function NameCell({ run, index }: { run: Run; index: number }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const v = view.value;
  const ticked = v.compared.includes(run.id);
  const on = isSelected.value(run.id);
  const style = runStyle.value(run.id);
  const tick = (event: MouseEvent) => {
    if (event.shiftKey && lastTicked >= 0) {
      const span = rows.value
        .slice(Math.min(lastTicked, index), Math.max(lastTicked, index) + 1)
        .flatMap((r) => (r.kind === "run" ? [r.run.id] : []));
      change({
        compared: ticked
          ? v.compared.filter((id) => !span.includes(id))
          : [...new Set([...v.compared, ...span])],
      });
    } else
      change({
        compared: ticked ? v.compared.filter((id) => id !== run.id) : [...v.compared, run.id],
      });
    lastTicked = index;
  };
  return (
    <>
      <input type="checkbox" checked={ticked} aria-label={`Tick ${run.name}`} onClick={tick} />
      <button
        type="button"
        title={on ? "Hide on charts" : "Show on charts"}
        aria-label={`${on ? "Hide" : "Show"} ${run.name} on charts`}
        aria-pressed={on}
        onClick={() => setSelected([run.id], !on)}
        style={{ display: "grid", placeItems: "center", width: 24, height: 24 }}
      >
        <Swatch color={on ? style.drawn : "var(--line-strong)"} />
      </button>
      <button
        type="button"
        class="ellipsis"
        style={{ flex: 1 }}
        title={run.notes || run.name}
        onClick={() => change({ page: "run", run: run.id, tab: "overview" })}
      >
        {run.name}
      </button>
      {v.baseline === run.id ? <span class="chip accent">base</span> : null}
      <IconButton
        tiny
        icon="more"
        label={`Actions for ${run.name}`}
        onClick={(e) => setAnchor(e.currentTarget)}
      />
      {anchor ? <RunMenu run={run} anchor={anchor} close={() => setAnchor(null)} /> : null}
    </>
  );
}

/** A usual name is whole; a very long one is cut, and whole where the pointer rests on it. */
const roomOf = (title: string) => Math.min(176, 40 + title.length * 7);
const usualWidth = (id: string, grouped: boolean) =>
  (id.startsWith("metric") ? 104 : 96) + (grouped ? 48 : 0);

export function TablePage() {
  const v = view.value;
  const error = usePaused();
  const [range, setRange] = useState<[number, number]>([0, 40]);
  const list = rows.value;
  const ids = shownColumns.value;
  for (const id of ids) if (id.includes(":")) columnValues(id);
  const sparkColumn = ids.find((id) => id.startsWith("metric:")) ?? null;
  const inSight = list
    .slice(range[0], range[1])
    .flatMap((r) => (r.kind === "run" ? [r.run.id] : []));
  const sparks = useSparks(sparkColumn?.slice(7) ?? null, inSight);
  const best = new Map(ids.map((id) => [id, bestOf(id)]));

  if (nothingYet()) return <WaitingForRuns />;

  const sortMark = (id: string) => {
    const s = v.sort.find((k) => k.column === id);
    return s ? (s.descending ? "↓" : "↑") : "";
  };
  const gridColumns: GridColumn[] = ["name", ...ids].map((id, i) => ({
    id,
    label: id.includes(":") ? id : titleOf(id),
    title: titleOf(id),
    mark: sortMark(id),
    number: i > 0 && isNumber(id),
    width:
      widths.value[id] ??
      (id === "name"
        ? // On a phone half of the screen is for the numbers.
          Math.min(240, Math.max(170, window.innerWidth * 0.53))
        : id === sparkColumn
          ? 150
          : id === "start_ms"
            ? 130
            : id === "tags"
              ? 150
              : Math.max(roomOf(titleOf(id)), usualWidth(id, v.groupBy.length > 0))),
  }));

  const runCell = (run: Run, id: string) => {
    const value = cellOf(run, id);
    if (id === "state")
      return (
        <span class="row" title={stateWords(run.state)}>
          <span class={`state-dot ${run.state}`} />
          <Only column={id} value={value}>
            {run.state}
          </Only>
        </span>
      );
    if (id === "tags")
      return run.tags.map((t) => (
        <Only key={t} class="chip" column="tag" value={t}>
          {t}
        </Only>
      ));
    if (id === "start_ms" || id === "end_ms") return formatTime(value as number);
    if (id === "duration_ms") return formatDuration((value as number) / 1000);
    if (value === null) return <span class="muted">–</span>;
    const number = numberOf(value);
    if (id.startsWith("config:") || id === "group" || id === "job_type")
      return (
        <Only column={id} value={value}>
          {Number.isNaN(number) ? String(value) : formatSetting(number)}
        </Only>
      );
    if (typeof value === "number" || !Number.isNaN(number)) {
      return (
        <>
          {id === sparkColumn ? (
            <Spark path={sparks.get(run.id)} color={runStyle.value(run.id).drawn} />
          ) : null}
          <span class={best.get(id) === value ? "best" : ""} title={String(value)}>
            {best.get(id) === value ? "★ " : ""}
            {formatCell(number)}
          </span>
        </>
      );
    }
    return (
      <span class="ellipsis" title={String(value)}>
        {String(value)}
      </span>
    );
  };
  const groupCell = (row: Extract<Row, { kind: "group" }>, id: string) => {
    if (id === "name") {
      const name = rowName(row.group);
      return (
        <button
          type="button"
          class="row"
          aria-expanded={row.open}
          data-group={row.group.label}
          onClick={() =>
            change({ closed: row.open ? [...v.closed, name] : v.closed.filter((c) => c !== name) })
          }
        >
          <Icon name={row.open ? "down" : "right"} />
          <Swatch color={groupColor.value(row.group.place)} />
          {row.group.label} <span class="muted">({formatInteger(row.runs.length)})</span>
        </button>
      );
    }
    // Which settings a group has, not their mean: nobody trained with that.
    if (!isNumber(id) || id === "start_ms" || id.startsWith("config:")) {
      const cells = [...new Set(row.runs.map((r) => cellOf(r, id)))];
      if (isNumber(id)) cells.sort((a, b) => numberOf(a) - numberOf(b));
      const words = (cell: Cell) =>
        typeof cell === "number" ? formatSetting(cell) : String(cell ?? "–");
      const set = [...new Set(cells.map(words))];
      const all = set.join(", ");
      const few = set.length === 1 || (isNumber(id) && set.length <= 3 && all.length <= 18);
      return (
        <span class="muted ellipsis" title={set.slice(0, 30).join(", ")}>
          {few ? all : `${formatInteger(set.length)} values`}
        </span>
      );
    }
    const { mean, std, n } = meanAndDeviation(row.runs.map((r) => numberOf(cellOf(r, id))));
    if (n === 0) return <span class="muted">–</span>;
    const text =
      id === "duration_ms"
        ? formatDuration(mean / 1000) + (n > 1 ? ` ± ${formatDuration(std / 1000)}` : "")
        : formatSpread(mean, n > 1 ? std : null);
    return (
      <span class="ellipsis" title={`${text}, ${n} runs`}>
        {text}
      </span>
    );
  };
  const exportTable = async () => {
    try {
      await download({
        format: "csv",
        what: "runs",
        runs: listed.value.map((r) => r.id),
        columns: ids.filter((id) => id.includes(":")),
      });
    } catch (error) {
      toast((error as Error).message, "bad");
    }
  };
  return (
    <div class="page">
      <div class="toolbar wide-filter" role="toolbar" aria-label="Table">
        <div class="filter-field">
          <FilterBox id="run-search" told />
        </div>
        <Search
          value={v.runSearch}
          onChange={(runSearch) => change({ runSearch }, true)}
          placeholder="Search names"
          label="Search runs by name"
        />
        <GroupButton />
        <GroupChip />
        <PopoverButton
          label={`${formatInteger(ids.length)} columns`}
          trigger={
            <>
              <Icon name="columns" />
              {formatInteger(ids.length)} columns
            </>
          }
        >
          {() => <ColumnChooser />}
        </PopoverButton>
        <span class="muted" data-matched={listed.value.length}>
          {formatInteger(listed.value.length)} of {formatInteger(runs.value.length)} runs
        </span>
        <span class="spacer" />
        <IconButton
          icon="archive"
          label={v.showArchived ? "Hide archived runs" : "Show archived runs"}
          pressed={v.showArchived}
          onClick={() => change({ showArchived: !v.showArchived })}
        />
        <IconButton
          icon="download"
          label="Export this table as CSV"
          onClick={() => void exportTable()}
        />
      </div>
      {error ? (
        <div class="banner" role="alert">
          <Icon name="warn" />
          {error.message}
          {error.offset
            ? ` at character ${error.offset + 1}: ${v.filter.slice(0, error.offset)}⟨here⟩${v.filter.slice(error.offset)}`
            : ""}
        </div>
      ) : null}
      <BulkBar />
      {runsState.value === "ready" && listed.value.length === 0 ? (
        <Empty icon="filter" title="No run matches">
          <p>{formatInteger(runs.value.length)} runs are hidden by the filter or the search.</p>
          <button
            type="button"
            class="button"
            onClick={() => change({ filter: "", runSearch: "" })}
          >
            Clear filter and search
          </button>
        </Empty>
      ) : (
        <Grid
          label="Runs"
          columns={gridColumns}
          count={list.length}
          rowKey={(i) => {
            const r = list[i];
            return r.kind === "run" ? r.run.id : "group " + r.group.label;
          }}
          rowClass={(i) => {
            const r = list[i];
            return r.kind === "group"
              ? "group"
              : `${v.compared.includes(r.run.id) ? "ticked" : ""}${isMarked(r.run.id) ? " hovered" : ""}`;
          }}
          cell={(i, c) => {
            const r = list[i];
            return r.kind === "group" ? (
              groupCell(r, c.id)
            ) : c.id === "name" ? (
              <NameCell run={r.run} index={i} />
            ) : (
              runCell(r.run, c.id)
            );
          }}
          onSort={(id, add) => {
            const old = v.sort.find((s) => s.column === id);
            const first = firstDescending(id, keys.value);
            const next = !old
              ? { column: id, descending: first }
              : old.descending !== first
                ? null
                : { column: id, descending: !first };
            const rest = add ? v.sort.filter((s) => s.column !== id) : [];
            change({ sort: next ? [...rest, next] : rest });
          }}
          onResize={(id, width) => (widths.value = { ...widths.value, [id]: width })}
          onRowEnter={(i) => {
            const r = list[i];
            hoveredRun.value = !r ? null : r.kind === "run" ? r.run.id : groupName(r.group.label);
          }}
          onRowLeave={() => (hoveredRun.value = null)}
          onRange={(a, b) => setRange([a, b])}
        />
      )}
    </div>
  );
}
