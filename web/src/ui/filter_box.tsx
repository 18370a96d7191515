// The filter of runs: completes names of settings and metrics, and their values, with how many runs
// have them; says what is wrong once a person pauses.
import { useEffect, useRef, useState } from "preact/hooks";
import { completions, type Completion } from "../lib/complete";
import { columnValues } from "../state/columns";
import { columns, filterError, keys, runs } from "../state/runs";
import { change, view } from "../state/view";
import { formatInteger } from "../viz/format";
import { IconButton } from "./controls";
import { Icon } from "./icon";
import { useTyped } from "./use_typed";

/** Columns that a filter can name, and how many runs have each. */
function known(): { name: string; column: string; count: number }[] {
  const hidden = new Set(keys.value.filter((k) => k.hidden).map((k) => k.key));
  return [
    ...["name", "state", "group", "tag"].map((name) => ({
      name,
      column: name,
      count: runs.value.length,
    })),
    ...columns.value
      .filter((c) => /^(config|summary|metric):/.test(c.id))
      .map((c) => ({ name: c.id.replace(/^[a-z]+:/, ""), column: c.id, count: c.present }))
      .filter((c) => !hidden.has(c.name)),
  ];
}

function valuesOf(column: string): Map<string, number> | null {
  if (column === "tag") {
    const found = new Map<string, number>();
    for (const tag of runs.value.flatMap((r) => r.tags)) found.set(tag, (found.get(tag) ?? 0) + 1);
    return found;
  }
  const values = columnValues(column);
  if (!values) return null;
  const found = new Map<string, number>();
  for (const run of runs.value) {
    const cell = values.get(run.id) ?? null;
    if (cell !== null && cell !== "") found.set(String(cell), (found.get(String(cell)) ?? 0) + 1);
  }
  return found;
}

/** An error that is still there after a pause: nobody has finished a word while typing it. */
export function usePaused(): typeof filterError.value {
  const error = filterError.value;
  const [shown, setShown] = useState(error);
  useEffect(() => {
    if (!error) return setShown(null);
    const timer = setTimeout(() => setShown(error), 700);
    return () => clearTimeout(timer);
  }, [error]);
  return error && shown;
}

/** `told`: the page says elsewhere what is wrong. */
export function FilterBox({ id, told = false }: { id?: string; told?: boolean }) {
  const { filter } = view.value;
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const error = usePaused();
  const typed = useTyped(filter, (next) => change({ filter: next }, true));
  const { text, send, clear } = typed;
  const type = (next: string) => {
    setOpen(true);
    setAt(-1);
    typed.type(next);
  };
  const place = input.current?.selectionStart ?? text.length;
  const list: Completion[] = open ? completions(text, place, known(), valuesOf) : [];
  const take = (c: Completion) => {
    // At once: a frame later the next key may have been typed, and the cursor would jump behind it.
    const field = input.current!;
    field.value = c.text;
    field.setSelectionRange(c.cursor, c.cursor);
    type(c.text);
  };
  return (
    <div class="filter-box">
      <div class="search">
        <Icon name="filter" />
        <input
          ref={input}
          id={id}
          class={`input${error ? " wrong" : ""}`}
          type="text"
          value={text}
          placeholder="lr<1e-3 and tag:good"
          aria-label="Filter runs"
          aria-invalid={error ? true : undefined}
          role="combobox"
          aria-expanded={list.length > 0}
          aria-controls="filter-list"
          aria-activedescendant={at >= 0 ? `filter-${at}` : undefined}
          spellcheck={false}
          autocomplete="off"
          onInput={(e) => type(e.currentTarget.value)}
          onBlur={() => setOpen(false)}
          onKeyDown={(e) => {
            if (e.key === "ArrowDown" && list.length) setAt((at + 1) % list.length);
            else if (e.key === "ArrowUp" && list.length)
              setAt((at - 1 + list.length) % list.length);
            else if ((e.key === "Tab" || e.key === "Enter") && at >= 0) take(list[at]);
            else if (e.key === "Enter") {
              setOpen(false);
              send(e.currentTarget.value);
            } else if (e.key === "Escape") {
              e.stopPropagation();
              if (list.length) setOpen(false);
              else if (text) clear();
              else e.currentTarget.blur();
            } else return;
            if (e.key !== "Escape") e.preventDefault();
          }}
        />
        {text ? <IconButton icon="close" label="Clear" onClick={clear} /> : null}
      </div>
      {list.length ? (
        <ul id="filter-list" class="completions" role="listbox" aria-label="Completions">
          {list.map((c, i) => (
            <li
              key={c.label}
              id={`filter-${i}`}
              role="option"
              aria-selected={i === at}
              onPointerDown={(e) => {
                e.preventDefault(); // the field keeps the focus
                take(c);
              }}
            >
              <span class="ellipsis">{c.label}</span>
              <span class="muted number">{formatInteger(c.count)}</span>
            </li>
          ))}
        </ul>
      ) : null}
      {error && !told ? (
        <div class="small bad" role="alert">
          {error.message}
          {error.offset ? ` (at character ${error.offset + 1})` : ""}
        </div>
      ) : null}
    </div>
  );
}
