// Readings of machines by their keys: system/<reading> of a run on one machine,
// system/<host>/<reading> where several ranks share a run.

/** What a reading is about; a name before one of these is a machine's. */
const area = /^(cpu|memory|swap|process|disk|network|limits|gpu\d*)$/;

export interface Reading {
  key: string;
  host: string; // "" = the only machine
  gpu: string; // number of the GPU; "" = of the machine itself
  name: string; // what is read, the same on every machine and GPU
}

export function readingOf(key: string): Reading | null {
  const parts = key.split("/");
  if (parts[0] !== "system" || parts.length < 2) return null;
  const named = parts.length > 3 && area.test(parts[2]);
  const host = named ? parts[1] : "";
  const rest = parts.slice(named ? 2 : 1);
  const gpu =
    rest.length > 2 && rest[0] === "gpu" && /^\d+$/.test(rest[1])
      ? rest[1]
      : /^gpu\d+$/.test(rest[0])
        ? rest[0].slice(3)
        : "";
  return {
    key,
    host,
    gpu,
    name: gpu ? rest.slice(rest[0] === "gpu" ? 2 : 1).join("/") : rest.join("/"),
  };
}

/** Where a reading is from, for a row or a legend: "n17:0", "0", "n17". */
export const placeOf = ({ host, gpu }: Reading) => [host, gpu].filter(Boolean).join(":");

export interface Readings {
  hosts: string[];
  gpus: Map<string, Reading[]>; // by name, in the order of hosts and GPUs
  machines: Map<string, Reading[]>; // by name, in the order of hosts
}

export function groupReadings(keys: string[], only: string): Readings {
  const all = keys.map(readingOf).filter((r) => r !== null);
  const hosts = [...new Set(all.map((r) => r.host))]
    .filter(Boolean)
    .sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  const shown = all
    .filter((r) => !hosts.includes(only) || r.host === only)
    .sort((a, b) => placeOf(a).localeCompare(placeOf(b), undefined, { numeric: true }));
  const by = (list: Reading[]) => {
    const out = new Map<string, Reading[]>();
    for (const r of list) out.set(r.name, [...(out.get(r.name) ?? []), r]);
    return out;
  };
  return { hosts, gpus: by(shown.filter((r) => r.gpu)), machines: by(shown.filter((r) => !r.gpu)) };
}
