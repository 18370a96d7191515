// One entry of a key, kept for a while: sliders go back and forth.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import type { Entries, Entry } from "../api/types";

const cache = new Map<string, Promise<Entry>>();

export function loadEntry(run: string, key: string, index: number): Promise<Entry> {
  const id = `${run}\n${key}\n${index}`;
  let entry = cache.get(id);
  if (!entry) {
    entry = get<Entries>("entries", { run, key, first: index, count: 1 }).then((r) => r.entries[0]);
    entry.catch(() => cache.delete(id));
    cache.set(id, entry);
    if (cache.size > 500) cache.delete(cache.keys().next().value!);
  }
  return entry;
}

export function useEntry(
  run: string,
  key: string,
  index: number,
): { entry: Entry | null; error: string } {
  const [state, setState] = useState<{ entry: Entry | null; error: string }>({
    entry: null,
    error: "",
  });
  useEffect(() => {
    let stale = false;
    if (index < 0) {
      setState({ entry: null, error: "" });
      return;
    }
    loadEntry(run, key, index).then(
      (entry) => !stale && setState({ entry, error: "" }),
      (e: Error) => !stale && setState({ entry: null, error: e.message }),
    );
    return () => {
      stale = true;
    };
  }, [run, key, index]);
  return state;
}
