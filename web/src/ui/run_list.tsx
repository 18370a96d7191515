// The list of runs beside the charts: search, show and hide, colours, groups, one metric.
import { computed, signal, useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { numberOf } from "../lib/cells";
import { betterOf } from "../lib/goals";
import { meanAndDeviation } from "../lib/statistics";
import { colorLegend, greyNote, groupColor, runStyle, type ColorLegend } from "../state/colors";
import { columnValues } from "../state/columns";
import { rankedMetrics } from "../state/coverage";
import { hoveredRun, isMarked } from "../state/cursor";
import { columnTitle, groupName, intoGroups, rowName, type Group } from "../state/groups";
import {
  isSelected,
  keys,
  listed,
  runs,
  runsState,
  selectAll,
  selectOnly,
  setSelected,
  visible,
  type Run,
} from "../state/runs";
import { changeFrame, frame, listWidths, theme } from "../state/settings";
import { change, view } from "../state/view";
import { formatCell, formatInteger, formatSetting, formatSpread, stateWords } from "../viz/format";
import { densityFrom } from "../viz/line_chart";
import { colorCount, rampColor, themes } from "../viz/palette";
import { IconButton, Search, Select, Swatch } from "./controls";
import { FilterBox } from "./filter_box";
import { columnOptions, GroupButton, GroupChip } from "./group_form";
import { Icon } from "./icon";
import { PopoverButton } from "./popover";
import { RunMenu } from "./run_menu";
import { VirtualList } from "./virtual_list";

/** On a phone the list is a sheet; this opens it. */
export const runSheet = signal(false);
let lastClicked = -1;

/** The metric beside the names: the most interesting one unless a person chose another. */
const listMetric = computed(() => {
  const chosen = view.value.listMetric;
  return chosen === "none" ? null : chosen || (rankedMetrics.value[0] ?? null);
});
const listValues = computed(() =>
  listMetric.value === null ? null : columnValues("metric:" + listMetric.value),
);
const valueOf = (run: Run) => numberOf(listValues.value?.get(run.id) ?? null);

/** Of runs that share their name, which in the order of creation. */
const sameName = computed(() => {
  const byName = new Map<string, Run[]>();
  for (const run of runs.value) byName.set(run.name, [...(byName.get(run.name) ?? []), run]);
  const numbers = new Map<string, number>();
  for (const list of byName.values())
    if (list.length > 1)
      list.sort((a, b) => a.slot - b.slot).forEach((run, i) => numbers.set(run.id, i + 1));
  return numbers;
});

/** As a person asked: newest first, by name, or the best of the metric beside the names first. */
function inOrder(list: readonly Run[]): readonly Run[] {
  const order = view.value.listSort;
  if (order === "name")
    return [...list].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  if (order !== "value" || listMetric.value === null) return list;
  const better = betterOf("metric:" + listMetric.value, keys.value) || 1;
  const rank = (run: Run) => (Number.isFinite(valueOf(run)) ? -valueOf(run) * better : Infinity);
  return [...list].sort((a, b) => {
    const [p, q] = [rank(a), rank(b)];
    return p === q ? 0 : p < q ? -1 : 1;
  });
}

type ListRow =
  | { kind: "group"; group: Group; runs: Run[]; open: boolean }
  | { kind: "run"; run: Run; indented: boolean };
const listRows = computed<ListRow[]>(() => {
  const ordered = inOrder(listed.value);
  const groups = intoGroups(ordered);
  if (!groups) return ordered.map((run) => ({ kind: "run", run, indented: false }));
  return groups.flatMap(({ group, runs: members }): ListRow[] => {
    const open = !view.value.closed.includes(rowName(group));
    return [
      { kind: "group", group, runs: members, open },
      ...(open ? members.map((run): ListRow => ({ kind: "run", run, indented: true })) : []),
    ];
  });
});

/** Names go before spreads: without room for both, the mean stands alone. */
function Spread({ text, title }: { text: string; title: string }) {
  const [mean, spread] = text.split(" ± ");
  return (
    <span class="list-value number spread" title={`${title}: ${text}`}>
      <span>{mean}</span>
      {spread ? <span> ± {spread}</span> : null}
    </span>
  );
}

function GroupRow({ row, top }: { row: Extract<ListRow, { kind: "group" }>; top: number }) {
  const { group, runs: members, open } = row;
  const on = members.filter((r) => isSelected.value(r.id));
  const { mean, std, n } = meanAndDeviation(members.map(valueOf));
  const { closed } = view.value;
  const marked = useComputed(() => hoveredRun.value === groupName(group.label)).value;
  return (
    <div
      class={`run-row group${on.length ? "" : " off"}${marked ? " hovered" : ""}`}
      style={{ top }}
      role="listitem"
      data-group={group.label}
      onPointerEnter={() => (hoveredRun.value = on.length ? groupName(group.label) : null)}
      onPointerLeave={() => (hoveredRun.value = null)}
    >
      <input
        type="checkbox"
        checked={on.length === members.length}
        aria-label={`Show the runs of ${group.label}`}
        onClick={() =>
          setSelected(
            members.map((r) => r.id),
            on.length < members.length,
          )
        }
      />
      <button
        type="button"
        class="name ellipsis"
        aria-expanded={open}
        title={`${group.label}: ${members.length} runs`}
        onClick={() =>
          change({
            closed: open
              ? [...closed, rowName(group)]
              : closed.filter((name) => name !== rowName(group)),
          })
        }
      >
        <Icon name={open ? "down" : "right"} />
        <Swatch color={groupColor.value(group.place)} />
        <span class="ellipsis">{group.label}</span>
        <span class="muted count">{formatInteger(members.length)}</span>
      </button>
      {n > 0 ? (
        <Spread
          text={formatSpread(mean, n > 1 ? std : null)}
          title={`${listMetric.value}: mean ± std of ${n} runs`}
        />
      ) : null}
    </div>
  );
}

/** What the colours stand for, where they do not stand for runs. */
function Legend({ legend }: { legend: ColorLegend }) {
  const title = columnTitle(view.value.colorBy);
  return (
    <div class="color-legend" role="note" aria-label={`Colours by ${title}`}>
      <span class="chip accent group-chip">
        <span class="ellipsis">coloured by {title}</span>
        <IconButton
          tiny
          icon="close"
          label="Colour by run again"
          onClick={() => change({ colorBy: "" })}
        />
      </span>
      {visible.value.length > densityFrom ? (
        <span class="small muted">
          Charts of more than {formatInteger(densityFrom)} lines show their density; a hovered run
          has this colour.
        </span>
      ) : null}
      {legend.kind === "ramp" ? (
        <span class="row small number">
          {formatSetting(legend.from)}
          <span
            class="ramp"
            style={{
              background: `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(rampColor).join()})`,
            }}
          />
          {formatSetting(legend.to)}
          {legend.log ? <span class="muted">log</span> : null}
        </span>
      ) : (
        <span class="row small legend-words">
          {legend.words.slice(0, colorCount).map(({ label, color }) => (
            <span key={label} class="row">
              <Swatch color={color} />
              <span class="ellipsis" title={label}>
                {label}
              </span>
            </span>
          ))}
          {legend.words.length > colorCount ? (
            <span class="muted">and {formatInteger(legend.words.length - colorCount)} more</span>
          ) : null}
        </span>
      )}
    </div>
  );
}

function Row({
  run,
  index,
  top,
  indented,
}: {
  run: Run;
  index: number;
  top: number;
  indented: boolean;
}) {
  const [anchor, setAnchor] = useState<HTMLElement | { x: number; y: number } | null>(null);
  const on = isSelected.value(run.id);
  const style = runStyle.value(run.id);
  // Not the whole list at every move of the pointer: the two rows that change.
  const marked = useComputed(() => isMarked(run.id)).value;
  const value = valueOf(run);
  const toggle = (event: MouseEvent) => {
    if (event.shiftKey && lastClicked >= 0) {
      const [a, b] = [Math.min(lastClicked, index), Math.max(lastClicked, index)];
      setSelected(
        listRows.value.slice(a, b + 1).flatMap((r) => (r.kind === "run" ? [r.run.id] : [])),
        !on,
      );
    } else if (event.altKey) selectOnly([run.id]);
    else setSelected([run.id], !on);
    lastClicked = index;
  };
  return (
    <div
      class={`run-row${on ? "" : " off"}${marked ? " hovered" : ""}${indented ? " indented" : ""}`}
      style={{ top }}
      role="listitem"
      data-run={run.id}
      onPointerEnter={() => (hoveredRun.value = on ? run.id : null)}
      onPointerLeave={() => (hoveredRun.value = null)}
      onContextMenu={(e) => {
        e.preventDefault();
        setAnchor({ x: e.clientX, y: e.clientY });
      }}
    >
      <input
        type="checkbox"
        checked={on}
        aria-label={`Show ${run.name}`}
        onClick={(e) => {
          e.stopPropagation();
          toggle(e);
        }}
      />
      <Swatch color={!on ? "var(--line-strong)" : marked ? style.color : style.drawn} />
      <button
        type="button"
        class="name ellipsis"
        title={`${run.name}${run.group ? " · " + run.group : ""}\n${stateWords(run.state)}${run.message ? ": " + run.message : ""}`}
        onClick={() => change({ page: "run", run: run.id, tab: "overview" })}
      >
        {run.name}
        {sameName.value.get(run.id) ? (
          <span class="muted same-name"> #{sameName.value.get(run.id)}</span>
        ) : null}
      </button>
      {view.value.baseline === run.id ? <span class="chip accent">base</span> : null}
      {Number.isFinite(value) ? (
        <span class="list-value number" title={`${listMetric.value}: ${value}`}>
          {formatCell(value)}
        </span>
      ) : null}
      <span class={`state-dot ${run.state}`} title={stateWords(run.state)} />
      <span class="row-actions">
        <IconButton
          tiny
          icon="more"
          label={`Actions for ${run.name}`}
          onClick={(e) => setAnchor(e.currentTarget)}
        />
      </span>
      {anchor ? <RunMenu run={run} anchor={anchor} close={() => setAnchor(null)} /> : null}
    </div>
  );
}

const sortWords = {
  new: "Newest first; sort by the metric",
  value: "Best value first; sort by name",
  name: "By name; sort by age",
} as const;
const nextSort = { new: "value", value: "name", name: "new" } as const;

/** Which metric stands beside the names. */
function MetricChoice() {
  const chosen = listMetric.value;
  return (
    <select
      class="metric-choice ellipsis"
      aria-label="Metric beside the names"
      title={`Metric beside the names: ${chosen ?? "none"}`}
      value={chosen ?? "none"}
      onChange={(e) => change({ listMetric: e.currentTarget.value })}
    >
      <option value="none">no metric</option>
      {rankedMetrics.value.slice(0, 200).map((key) => (
        <option key={key} value={key}>
          {key}
        </option>
      ))}
    </select>
  );
}

/** The edge between list and page: dragged, moved by arrow keys, a double click brings it back. */
function Edge() {
  const { least, usual, most } = listWidths;
  const width = frame.value.listWidth;
  const set = (to: number) =>
    changeFrame({ listWidth: Math.round(Math.max(least, Math.min(most, to))) });
  return (
    <div
      class="sidebar-edge desktop-only"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the run list"
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={width}
      tabIndex={0}
      onDblClick={() => set(usual)}
      onKeyDown={(e) => {
        const by = { ArrowLeft: -16, ArrowRight: 16 }[e.key];
        if (by) set(width + by);
      }}
      onPointerDown={(e) => {
        e.preventDefault();
        e.currentTarget.setPointerCapture(e.pointerId);
      }}
      onPointerMove={(e) => {
        const edge = e.currentTarget;
        if (edge.hasPointerCapture(e.pointerId))
          set(e.clientX - edge.parentElement!.getBoundingClientRect().left);
      }}
    />
  );
}

export function RunList() {
  const v = view.value;
  const { listWidth, listFolded } = frame.value;
  if (listFolded && !runSheet.value)
    return (
      <aside class="sidebar folded closed" aria-label="Runs">
        <IconButton
          icon="menu"
          label="Show the run list"
          onClick={() => changeFrame({ listFolded: false })}
        />
      </aside>
    );
  const list = listed.value;
  const rows = listRows.value;
  const shown = visible.value.length;
  const allOn = list.length > 0 && list.every((r) => isSelected.value(r.id));
  return (
    <aside
      class={`sidebar${runSheet.value ? "" : " closed"}`}
      aria-label="Runs"
      style={listWidth === listWidths.usual ? undefined : { "--list": listWidth + "px" }}
    >
      <div class="sidebar-head">
        <div class="row">
          <div style={{ flex: 1, minWidth: 0 }}>
            <Search
              id="run-search"
              value={v.runSearch}
              onChange={(runSearch) => change({ runSearch }, true)}
              placeholder="Search runs"
              label="Search runs by name, group or tag"
            />
          </div>
          <IconButton
            class="desktop-only"
            icon="left"
            label="Hide the run list"
            onClick={() => changeFrame({ listFolded: true })}
          />
          <IconButton
            class="phone-only"
            icon="close"
            label="Close the run list"
            onClick={() => (runSheet.value = false)}
          />
        </div>
        <FilterBox />
        <div class="row small">
          <input
            type="checkbox"
            aria-label="Show all listed runs"
            checked={allOn}
            onClick={() =>
              list.length === runs.value.length
                ? selectAll(!allOn)
                : setSelected(
                    list.map((r) => r.id),
                    !allOn,
                  )
            }
          />
          <span class="muted nowrap" data-count={shown} title="runs shown">
            {shown === runs.value.length && shown >= 1000
              ? `all ${formatInteger(shown)} runs`
              : `${formatInteger(shown)} of ${formatInteger(runs.value.length)} runs`}
          </span>
          <span class="spacer" />
          <MetricChoice />
          <IconButton
            tiny
            icon="sort"
            label={sortWords[v.listSort]}
            pressed={v.listSort !== "new"}
            onClick={() => change({ listSort: nextSort[v.listSort] })}
          />
        </div>
        <GroupChip />
        {colorLegend.value && !v.groupBy.length ? <Legend legend={colorLegend.value} /> : null}
        {greyNote.value.count ? (
          <div class="small muted row grey-note" role="note">
            <Swatch color={themes[theme.value].muted} />
            {formatInteger(greyNote.value.count)} {greyNote.value.what} grey until hovered: an older
            one has the colour.
            {v.groupBy.length || v.colorBy ? "" : " Group, or colour by a setting."}
          </div>
        ) : null}
      </div>
      {runsState.value === "ready" && !list.length && runs.value.length ? (
        <p class="virtual small muted list-note">No run matches.</p>
      ) : runsState.value === "ready" || list.length ? (
        <VirtualList
          label="Runs"
          count={rows.length}
          render={(i, top) => {
            const row = rows[i];
            return row.kind === "group" ? (
              <GroupRow key={"group " + row.group.label} row={row} top={top} />
            ) : (
              <Row key={row.run.id} run={row.run} index={i} top={top} indented={row.indented} />
            );
          }}
        />
      ) : (
        <div class="virtual" />
      )}
      <div class="sidebar-foot">
        <GroupButton />
        <PopoverButton
          label="Colour runs"
          class="button"
          trigger={
            <>
              <Icon name="palette" />
              Colour
            </>
          }
        >
          {() => (
            <div class="form-grid">
              <label for="color-by">colour by</label>
              <Select
                id="color-by"
                label="Colour by"
                value={v.colorBy}
                onChange={(colorBy) => change({ colorBy })}
                options={[
                  { value: "", label: "run" },
                  ...columnOptions(),
                  ...keys.value
                    .filter((k) => k.kind === "scalar" && !k.hidden)
                    .slice(0, 200)
                    .map((k) => ({ value: "metric:" + k.key, label: k.key })),
                ]}
              />
            </div>
          )}
        </PopoverButton>
        <IconButton
          icon="archive"
          label={v.showArchived ? "Hide archived runs" : "Show archived runs"}
          pressed={v.showArchived}
          onClick={() => change({ showArchived: !v.showArchived })}
        />
      </div>
      <Edge />
    </aside>
  );
}
