// Tables that people logged: sorted, filtered, and those of several runs side by side.
import type { Cell } from "../api/types";
import { numberOf } from "./cells";

export interface Rows {
  columns: string[];
  rows: Cell[][];
}

const absent = (cell: Cell | undefined) => cell === null || cell === undefined || cell === "";

/** Numbers by size, words by their letters; what is absent comes last, whichever way. */
export function sorted(rows: readonly Cell[][], column: number, down: boolean): Cell[][] {
  const way = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [p, q] = [a[column], b[column]];
    if (absent(p) || absent(q)) return Number(absent(p)) - Number(absent(q));
    const [x, y] = [numberOf(p), numberOf(q)];
    if (x === x && y === y) return x === y ? 0 : x < y ? -way : way; // infinities have no distance
    if ((x === x) !== (y === y)) return x === x ? -way : way;
    return String(p).localeCompare(String(q), undefined, { numeric: true }) * way;
  });
}

/** Rows of which any cell has the text. */
export function having(rows: readonly Cell[][], accept: (text: string) => boolean): Cell[][] {
  return rows.filter((row) => row.some((cell) => !absent(cell) && accept(String(cell))));
}

/** The first column that every table has and that names each of its rows; -1: rows go by number. */
export function keyColumn(tables: readonly Rows[]): string | null {
  for (const name of tables[0]?.columns ?? []) {
    const unique = tables.every(({ columns, rows }) => {
      const at = columns.indexOf(name);
      return at >= 0 && new Set(rows.map((row) => String(row[at]))).size === rows.length;
    });
    if (unique) return name;
  }
  return null;
}

/** One row for each thing, one column for each column of each table. */
export function joined(tables: readonly (Rows & { name: string })[]): Rows & { by: string } {
  const key = keyColumn(tables);
  const columns = [key ?? "row"];
  const found = new Map<string, Cell[]>();
  const names = [...new Set(tables.flatMap((t) => t.columns))].filter((c) => c !== key);
  const places: [table: number, column: number][] = [];
  for (const name of names)
    tables.forEach((table, t) => {
      const at = table.columns.indexOf(name);
      if (at < 0) return;
      columns.push(`${name} · ${table.name}`);
      places.push([t, at]);
    });
  tables.forEach((table, t) => {
    const at = key === null ? -1 : table.columns.indexOf(key);
    table.rows.forEach((row, number) => {
      const id = at < 0 ? String(number) : String(row[at]);
      if (!found.has(id))
        found.set(id, [at < 0 ? number : row[at], ...places.map((): Cell => null)]);
      places.forEach(([of, column], place) => {
        if (of === t) found.get(id)![place + 1] = row[column] ?? null;
      });
    });
  });
  return { columns, rows: [...found.values()], by: key ?? "row" };
}
