// The list of runs beside the charts: search, show and hide, colours, grouping.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { hoveredRun, isMarked } from "../state/cursor";
import {
  applyEdits,
  columns,
  filterError,
  isSelected,
  keys,
  listed,
  runs,
  runsState,
  runStyle,
  selectAll,
  selectOnly,
  setSelected,
  visible,
  type Run,
} from "../state/runs";
import { change, view } from "../state/view";
import { formatInteger, stateWords } from "../viz/format";
import { darkPalette, lightPalette } from "../viz/palette";
import { theme } from "../state/settings";
import { askText } from "./ask";
import { IconButton, Search, Select, Swatch } from "./controls";
import { Icon } from "./icon";
import { MenuItem, Popover, PopoverButton } from "./popover";
import { VirtualList } from "./virtual_list";

/** On a phone the list is a sheet; this opens it. */
export const runSheet = signal(false);
let lastClicked = -1;

export function columnOptions(): { value: string; label: string }[] {
  return [
    { value: "group", label: "group" },
    { value: "job_type", label: "job type" },
    { value: "state", label: "state" },
    { value: "name", label: "name" },
    ...columns.value
      .filter((c) => c.id.startsWith("config:"))
      .map((c) => ({ value: c.id, label: c.id.slice(7) })),
  ];
}

export function RunMenu({
  run,
  anchor,
  close,
}: {
  run: Run;
  anchor: HTMLElement | { x: number; y: number };
  close: () => void;
}) {
  const v = view.value;
  const palette = theme.value === "dark" ? darkPalette : lightPalette;
  const rename = async () => {
    const name = (await askText(`Rename ${run.name}`, run.name, "Rename"))?.trim();
    if (name && name !== run.name)
      void applyEdits([{ runs: [run.id], name }], `Renamed to ${name}`);
  };
  const tag = async () => {
    const text = (await askText(`Add a tag to ${run.name}`, "", "Add tag"))?.trim();
    if (text) void applyEdits([{ runs: [run.id], add_tags: [text] }], `Tagged ${run.name}`);
  };
  return (
    <Popover anchor={anchor} close={close} menu label={`Actions for ${run.name}`}>
      <div onClick={close}>
        <MenuItem
          icon="expand"
          onClick={() => change({ page: "run", run: run.id, tab: "overview" })}
          hint="Enter"
        >
          Open run
        </MenuItem>
        <MenuItem icon="eye" onClick={() => selectOnly([run.id])}>
          Show only this run
        </MenuItem>
        <MenuItem
          icon="star"
          onClick={() => change({ baseline: v.baseline === run.id ? "" : run.id })}
        >
          {v.baseline === run.id ? "No longer the baseline" : "Use as baseline"}
        </MenuItem>
        <MenuItem
          icon="compare"
          onClick={() =>
            change({
              compared: v.compared.includes(run.id)
                ? v.compared.filter((id) => id !== run.id)
                : [...v.compared, run.id],
            })
          }
        >
          {v.compared.includes(run.id) ? "Take out of compare" : "Add to compare"}
        </MenuItem>
        <div class="menu-line" />
        <MenuItem icon="edit" onClick={() => void rename()}>
          Rename…
        </MenuItem>
        <MenuItem icon="tag" onClick={() => void tag()}>
          Add tag…
        </MenuItem>
        <MenuItem
          icon="archive"
          onClick={() =>
            void applyEdits(
              [{ runs: [run.id], archived: !run.archived }],
              run.archived ? `Unarchived ${run.name}` : `Archived ${run.name}`,
            )
          }
        >
          {run.archived ? "Unarchive" : "Archive"}
        </MenuItem>
        <MenuItem
          icon="trash"
          danger
          onClick={() =>
            void applyEdits([{ runs: [run.id], deleted: true }], `Moved ${run.name} to the trash`)
          }
        >
          Delete
        </MenuItem>
        <div class="row" style={{ padding: "6px 10px" }} role="group" aria-label="Colour">
          {palette.map((color) => (
            <button
              type="button"
              key={color}
              class="icon-button tiny"
              aria-label={`Colour ${color}`}
              onClick={() => void applyEdits([{ runs: [run.id], color }], `Coloured ${run.name}`)}
            >
              <Swatch color={color} />
            </button>
          ))}
          <IconButton
            tiny
            icon="close"
            label="Automatic colour"
            onClick={() =>
              void applyEdits([{ runs: [run.id], color: "" }], `Automatic colour for ${run.name}`)
            }
          />
        </div>
      </div>
    </Popover>
  );
}

function Row({ run, index, top }: { run: Run; index: number; top: number }) {
  const [anchor, setAnchor] = useState<HTMLElement | { x: number; y: number } | null>(null);
  const on = isSelected.value(run.id);
  const style = runStyle.value(run.id);
  const marked = isMarked(run.id);
  const toggle = (event: MouseEvent) => {
    if (event.shiftKey && lastClicked >= 0) {
      const [a, b] = [Math.min(lastClicked, index), Math.max(lastClicked, index)];
      setSelected(
        listed.value.slice(a, b + 1).map((r) => r.id),
        !on,
      );
    } else if (event.altKey) selectOnly([run.id]);
    else setSelected([run.id], !on);
    lastClicked = index;
  };
  return (
    <div
      class={`run-row${on ? "" : " off"}${marked ? " hovered" : ""}`}
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
        style={{ accentColor: style.color }}
      />
      <Swatch color={on ? style.color : "var(--line-strong)"} dash={on ? style.dash : null} />
      <button
        type="button"
        class="name ellipsis"
        title={`${run.name}${run.group ? " · " + run.group : ""}\n${stateWords(run.state)}${run.message ? ": " + run.message : ""}`}
        onClick={() => change({ page: "run", run: run.id, tab: "overview" })}
      >
        {run.name}
      </button>
      {view.value.baseline === run.id ? <span class="chip accent">base</span> : null}
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

export function RunList() {
  const v = view.value;
  const list = listed.value;
  const shown = visible.value.length;
  const allOn = list.length > 0 && list.every((r) => isSelected.value(r.id));
  return (
    <aside class={`sidebar${runSheet.value ? "" : " closed"}`} aria-label="Runs">
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
            class="phone-only"
            icon="close"
            label="Close the run list"
            onClick={() => (runSheet.value = false)}
          />
        </div>
        <Search
          value={v.filter}
          onChange={(filter) => change({ filter }, true)}
          placeholder="lr<1e-3 and tag:good"
          label="Filter runs"
          icon="filter"
          wrong={filterError.value !== null}
        />
        {filterError.value ? (
          <div class="small bad" role="alert">
            {filterError.value.message}
            {filterError.value.offset ? ` (at character ${filterError.value.offset + 1})` : ""}
          </div>
        ) : null}
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
          <span class="muted" data-count={shown}>
            {formatInteger(shown)} of {formatInteger(runs.value.length)} runs shown
          </span>
        </div>
      </div>
      {runsState.value === "ready" || list.length ? (
        <VirtualList
          label="Runs"
          count={list.length}
          render={(i, top) => <Row key={list[i].id} run={list[i]} index={i} top={top} />}
        />
      ) : (
        <div class="virtual" />
      )}
      <div class="sidebar-foot">
        <PopoverButton
          label="Group runs"
          class="button"
          trigger={
            <>
              <Icon name="group" />
              {v.groupBy.length ? "Grouped" : "Group"}
            </>
          }
        >
          {() => <GroupForm />}
        </PopoverButton>
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
    </aside>
  );
}

export function GroupForm() {
  const v = view.value;
  return (
    <div class="form-grid">
      <label for="group-by">group by</label>
      <Select
        id="group-by"
        label="Group by"
        value={v.groupBy[0] ?? ""}
        onChange={(by) => change({ groupBy: by ? [by] : [] })}
        options={[
          { value: "", label: "no groups" },
          { value: "*", label: "all runs together" },
          ...columnOptions(),
          { value: "tags", label: "tags" },
        ]}
      />
      {v.groupBy.length && v.groupBy[0] !== "*" ? (
        <>
          <label for="group-also">and by</label>
          <Select
            id="group-also"
            label="And by"
            value={v.groupBy[1] ?? ""}
            onChange={(by) => change({ groupBy: by ? [v.groupBy[0], by] : [v.groupBy[0]] })}
            options={[{ value: "", label: "–" }, ...columnOptions()]}
          />
        </>
      ) : null}
      <label for="group-center">line</label>
      <Select
        id="group-center"
        label="Line"
        value={v.groupCenter}
        onChange={(groupCenter) => change({ groupCenter })}
        options={[
          { value: "mean", label: "mean" },
          { value: "median", label: "median" },
          { value: "min", label: "minimum" },
          { value: "max", label: "maximum" },
        ]}
      />
      <label for="group-band">band</label>
      <Select
        id="group-band"
        label="Band"
        value={v.groupBand}
        onChange={(groupBand) => change({ groupBand })}
        options={[
          { value: "std", label: "± standard deviation" },
          { value: "sem", label: "± standard error" },
          { value: "ci95", label: "95 % confidence" },
          { value: "minmax", label: "min–max" },
          { value: "none", label: "none" },
        ]}
      />
    </div>
  );
}
