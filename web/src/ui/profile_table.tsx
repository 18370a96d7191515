// A table of a profile: sorted by a column, filtered by a name.
import { useMemo, useState } from "preact/hooks";
import { textMatcher } from "../lib/pattern";
import { formatInteger } from "../viz/format";
import { Search } from "./controls";

export interface Column<Row> {
  title: string;
  value: (row: Row) => number | string;
  show?: (row: Row) => preact.ComponentChildren;
  hint?: string;
}

const rowLimit = 500;

export function ProfileTable<Row>({
  rows,
  columns,
  name,
  label,
  sortBy,
  onPick,
  indent,
  tools,
}: {
  rows: Row[];
  columns: Column<Row>[];
  name: (row: Row) => string;
  label: string;
  sortBy?: number; // column; absent = as given
  onPick?: (row: Row) => void;
  indent?: (row: Row) => number;
  tools?: preact.ComponentChildren;
}) {
  const [order, setOrder] = useState<{ column: number; down: boolean } | null>(
    sortBy === undefined ? null : { column: sortBy, down: true },
  );
  const [filter, setFilter] = useState("");
  const shown = useMemo(() => {
    const matches = filter ? textMatcher(filter) : null;
    const kept = matches ? rows.filter((r) => matches(name(r))) : [...rows];
    if (!order) return kept;
    const of = order.column < 0 ? name : columns[order.column].value;
    const sign = order.down ? -1 : 1;
    return kept.sort((a, b) => {
      const [p, q] = [of(a), of(b)];
      return (
        sign *
        (typeof p === "number" && typeof q === "number" ? p - q : String(p) < String(q) ? -1 : 1)
      );
    });
  }, [rows, filter, order]);
  const head = (column: number, title: string, hint?: string) => {
    const sort = order?.column === column ? order : null;
    return (
      <th
        class={column < 0 ? "" : "number"}
        aria-sort={sort ? (sort.down ? "descending" : "ascending") : undefined}
        key={title}
      >
        <button
          type="button"
          class="sort"
          title={hint ?? `Sort by ${title}`}
          onClick={() => setOrder({ column, down: sort ? !sort.down : column >= 0 })}
        >
          {title}
          {sort ? (sort.down ? " ↓" : " ↑") : ""}
        </button>
      </th>
    );
  };
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label={label}>
        <Search
          value={filter}
          onChange={setFilter}
          placeholder="Filter names"
          label={`Filter ${label}`}
        />
        {tools}
        <span class="muted small nowrap">
          {shown.length === rows.length ? "" : `${formatInteger(shown.length)} of `}
          {formatInteger(rows.length)} rows
        </span>
      </div>
      <div class="profile-table" tabIndex={0} role="region" aria-label={label}>
        <table class="plain-table">
          <thead>
            <tr>
              {head(-1, "Name")}
              {columns.map((c, i) => head(i, c.title, c.hint))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, rowLimit).map((row, i) => (
              <tr key={i} data-name={name(row)}>
                <td
                  class="name-cell"
                  style={indent ? { paddingLeft: indent(row) * 16 } : undefined}
                >
                  {onPick ? (
                    <button
                      type="button"
                      class="link-button"
                      title={name(row)}
                      onClick={() => onPick(row)}
                    >
                      {name(row)}
                    </button>
                  ) : (
                    name(row)
                  )}
                </td>
                {columns.map((c) => (
                  <td class="number" key={c.title}>
                    {c.show ? c.show(row) : c.value(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length > rowLimit ? (
          <p class="muted">
            The first {rowLimit} of {formatInteger(shown.length)} rows.
          </p>
        ) : null}
      </div>
    </>
  );
}
