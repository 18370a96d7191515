// Values of columns by run: asked for once, asked for again when runs changed, and shown until the
// newer ones are there.
import { signal } from "@preact/signals";
import { post } from "../api/client";
import type { Cell, Runs } from "../api/types";
import { toast } from "./toast";
import { view } from "./view";

interface Held {
  values: Map<string, Cell>;
  fresh: boolean;
}

const cache = new Map<string, Held>();
const wanted = new Set<string>();
export const columnVersion = signal(0);

/** Every run of the project, archived and deleted ones too, in the order of creation. */
export const everyRun = signal<readonly string[]>([]);

/** Values of a column by run, deleted ones included; null until they are there the first time. */
export function columnValues(id: string): Map<string, Cell> | null {
  void columnVersion.value;
  const held = cache.get(id);
  if (!held?.fresh && !wanted.has(id)) {
    if (wanted.size === 0) queueMicrotask(fetchColumns);
    wanted.add(id);
  }
  return held?.values ?? null;
}

async function fetchColumns(): Promise<void> {
  const asked = [...wanted];
  const project = view.peek().project;
  try {
    const reply = await post<Runs>("runs:query", {
      project,
      columns: asked,
      directory: false,
      archived: "include",
      deleted: "include",
    });
    if (project !== view.peek().project) return;
    const { id: ids, slot } = reply.runs;
    for (const column of asked)
      cache.set(column, {
        values: new Map(ids.map((run, i) => [run, reply.values[column]?.[i] ?? null])),
        fresh: true,
      });
    everyRun.value = ids
      .map((id, i) => [id, slot[i]] as const)
      .sort((a, b) => a[1] - b[1])
      .map(([id]) => id);
    columnVersion.value++;
  } catch (error) {
    toast((error as Error).message, "bad");
  } finally {
    for (const id of asked) wanted.delete(id);
    if (wanted.size) queueMicrotask(fetchColumns);
  }
}

/** They are asked for again; what is known stays on show meanwhile. */
export function refreshColumns(): void {
  for (const held of cache.values()) held.fresh = false;
  columnVersion.value++;
}

/** Another project. */
export function forgetColumns(): void {
  cache.clear();
  everyRun.value = [];
  columnVersion.value++;
}
