// Grouping runs: by columns, several of them, or by a piece of their names; the same on every page.
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { byPattern, columnTitle, isPattern, patternOf } from "../state/groups";
import { columns } from "../state/runs";
import { change, view } from "../state/view";
import { IconButton, Select } from "./controls";
import { Icon } from "./icon";
import { PopoverButton } from "./popover";

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

const byName = "a piece of the name…";

function PatternField({ at }: { at: number }) {
  const v = view.value;
  const [text, setText] = useState(patternOf(v.groupBy[at]));
  const apply = () => {
    const next = [...v.groupBy];
    next[at] = byPattern(text);
    change({ groupBy: next });
  };
  return (
    <>
      <label for={`group-pattern-${at}`}>piece</label>
      <input
        id={`group-pattern-${at}`}
        class="input mono"
        placeholder="^[a-z]+-[a-z]+"
        spellcheck={false}
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
        onChange={apply}
        onKeyDown={(e) => e.key === "Enter" && apply()}
      />
    </>
  );
}

export function GroupForm() {
  const v = view.value;
  const by = v.groupBy;
  const set = (at: number, id: string) => {
    const next = [...by];
    if (id === "" || id === "*") next.splice(at, id ? next.length : 1, ...(id ? [id] : []));
    else next[at] = id === byName ? byPattern("^[a-z]+") : id;
    change({ groupBy: next });
  };
  // One row more than there are columns: the next one to choose.
  const count = by[0] === "*" ? 1 : Math.min(4, by.length + 1);
  const row = (at: number) => (
    <Fragment key={at}>
      <label for={`group-by-${at}`}>{at === 0 ? "group by" : "and by"}</label>
      <Select
        id={`group-by-${at}`}
        label={at === 0 ? "Group by" : "And by"}
        value={by[at] === undefined ? "" : isPattern(by[at]) ? byName : by[at]}
        onChange={(id) => set(at, id)}
        options={[
          { value: "", label: at === 0 ? "no groups" : "–" },
          ...(at === 0 ? [{ value: "*", label: "all runs together" }] : []),
          ...columnOptions(),
          { value: "tags", label: "tags" },
          { value: byName, label: byName },
        ]}
      />
      {by[at] !== undefined && isPattern(by[at]) ? <PatternField at={at} /> : null}
    </Fragment>
  );
  return (
    <div class="form-grid">
      {Array.from({ length: count }, (_, at) => row(at))}
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

export function GroupButton() {
  return (
    <PopoverButton
      label="Group runs"
      class="button"
      trigger={
        <>
          <Icon name="group" />
          {view.value.groupBy.length ? "Grouped" : "Group"}
        </>
      }
    >
      {() => <GroupForm />}
    </PopoverButton>
  );
}

/** "grouped by lr ×": says it wherever it holds, and takes it back. */
export function GroupChip() {
  const by = view.value.groupBy;
  if (!by.length) return null;
  return (
    <span class="chip accent group-chip">
      <span class="ellipsis">
        {by[0] === "*" ? "all runs as one group" : `grouped by ${by.map(columnTitle).join(", ")}`}
      </span>
      <IconButton
        tiny
        icon="close"
        label="Take the groups apart"
        onClick={() => change({ groupBy: [] })}
      />
    </span>
  );
}
