// A logged table: sorted by a click, filtered by a word, beside those of the other visible runs.
import { useEffect, useMemo, useState } from "preact/hooks";
import { post } from "../api/client";
import type { Cell, Index, TableValue } from "../api/types";
import { textMatcher } from "../lib/pattern";
import { having, joined, sorted, type Rows } from "../lib/table_join";
import { runById, visibleIds } from "../state/runs";
import { formatInteger, formatNumber } from "../viz/format";
import { Check, Search } from "./controls";
import { loadEntry } from "./entry";
import { entryAt, kindAt } from "./step_track";

const rowLimit = 500;
const runLimit = 12;
const nameOf = (run: string) => runById.value.get(run)?.name ?? run;

const words = (cell: Cell) =>
  cell === null ? "–" : typeof cell === "number" ? formatNumber(cell, 5) : String(cell);

/** This key's tables of every visible run at the step, joined; null until they are there. */
function useJoined(on: boolean, run: string, key: string, step: number, own: TableValue) {
  const [table, setTable] = useState<(Rows & { by: string; count: number }) | null>(null);
  const [error, setError] = useState("");
  const runs = [run, ...visibleIds.value.filter((id) => id !== run)].slice(0, runLimit);
  useEffect(() => {
    let stale = false;
    setTable(null);
    setError("");
    if (!on) return;
    void post<Index>("entries:index", { runs, keys: [key], kinds: ["table"] })
      .then(({ series }) =>
        Promise.all(
          series
            .map((s) => ({ s, i: entryAt(s.step, step) }))
            .filter(({ s, i }) => i >= 0 && kindAt(s, i) === "table")
            .map(async ({ s, i }) => ({
              ...(s.run === run ? own : ((await loadEntry(s.run, key, i)).value as TableValue)),
              name: nameOf(s.run),
            })),
        ),
      )
      .then((tables) => stale || setTable({ ...joined(tables), count: tables.length }))
      .catch((e: Error) => stale || setError(e.message));
    return () => {
      stale = true;
    };
  }, [on, runs.join(), key, step, own]);
  return { table, error };
}

export function DataTable({
  run,
  name,
  step,
  value,
}: {
  run: string;
  name: string;
  step: number;
  value: TableValue;
}) {
  const [order, setOrder] = useState<{ column: number; down: boolean } | null>(null);
  const [filter, setFilter] = useState("");
  const [join, setJoin] = useState(false);
  const { table, error } = useJoined(join, run, name, step, value);
  const shown: Rows = (join && table) || value;
  const rows = useMemo(() => {
    const kept = filter ? having(shown.rows, textMatcher(filter)) : shown.rows;
    return order ? sorted(kept, order.column, order.down) : kept;
  }, [shown, filter, order]);
  const several = visibleIds.value.length > 1;
  return (
    <div class="logged-table">
      {value.rows.length > 4 || several ? (
        <div class="row table-tools">
          {value.rows.length > 4 ? (
            <Search
              value={filter}
              onChange={setFilter}
              placeholder="Filter rows"
              label={`Filter the rows of ${name}`}
            />
          ) : null}
          {several ? (
            <Check
              checked={join}
              onChange={(on) => {
                setJoin(on);
                setOrder(null);
              }}
            >
              beside other runs
            </Check>
          ) : null}
          <span class="muted small nowrap">
            {rows.length === shown.rows.length ? "" : `${formatInteger(rows.length)} of `}
            {formatInteger(shown.rows.length)} rows
            {join && table ? ` of ${formatInteger(table.count)} runs, by ${table.by}` : ""}
          </span>
        </div>
      ) : null}
      {error ? (
        <div class="bad small" role="alert">
          {error}
        </div>
      ) : null}
      <div class="data-table" tabIndex={0}>
        <table class="plain-table">
          <thead>
            <tr>
              {shown.columns.map((c, i) => {
                const sort = order?.column === i ? order : null;
                return (
                  <th
                    key={i}
                    class={typeof shown.rows[0]?.[i] === "number" ? "number" : ""}
                    aria-sort={sort ? (sort.down ? "descending" : "ascending") : undefined}
                  >
                    <button
                      type="button"
                      class="sort"
                      title={`Sort by ${c}`}
                      onClick={() =>
                        setOrder(
                          !sort
                            ? { column: i, down: false }
                            : sort.down
                              ? null
                              : { ...sort, down: true },
                        )
                      }
                    >
                      {c}
                      {sort ? (sort.down ? " ↓" : " ↑") : ""}
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, rowLimit).map((row, i) => (
              <tr key={i}>
                {row.map((cell, k) => (
                  <td key={k} class={typeof cell === "number" ? "number" : ""}>
                    {words(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > rowLimit ? (
          <p class="muted">
            The first {rowLimit} of {formatInteger(rows.length)} rows.
          </p>
        ) : null}
      </div>
    </div>
  );
}
