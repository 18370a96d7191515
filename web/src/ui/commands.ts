// Everything that can be done by name: the command palette and the key map share this list.
import { partsScore } from "../lib/names";
import { signal } from "@preact/signals";
import { pageKeys } from "../state/pages";
import { keys, projects, runs, selectAll } from "../state/runs";
import { changeSettings } from "../state/settings";
import { toast } from "../state/toast";
import { change, redo, undo, view } from "../state/view";
import { zoomBack, zoomForward } from "../state/zoom";
import { copyText } from "./states";

export const paletteOpen = signal(false);
export const helpOpen = signal(false);

export interface Command {
  name: string;
  keys?: string;
  group: string;
  run: () => void;
}

const say = (label: string | null, word: string) => {
  if (label === null) toast(`Nothing to ${word}`);
  else if (label) toast(`${word === "undo" ? "Undone" : "Done again"}: ${label}`);
};
const walk = (how: () => Promise<string | null>, word: string) =>
  void how().then(
    (l) => say(l, word),
    (e) => toast((e as Error).message, "bad"),
  );
export const doUndo = (how = undo) => walk(how, "undo");
export const doRedo = () => walk(redo, "redo");

const focus = (id: string) => (document.getElementById(id) as HTMLInputElement | null)?.focus();

export function commands(): Command[] {
  const list: Command[] = pageKeys.map(({ page, key, title }) => ({
    name: `Go to ${title}`,
    keys: `g ${key}`,
    group: "Pages",
    run: () => change({ page, full: "" }),
  }));
  list.push(
    { name: "Search metrics", keys: "/", group: "Find", run: () => focus("metric-search") },
    { name: "Search runs", keys: "r", group: "Find", run: () => focus("run-search") },
    {
      name: "Command palette",
      keys: "Ctrl K",
      group: "Find",
      run: () => (paletteOpen.value = true),
    },
    { name: "Keyboard map", keys: "?", group: "Find", run: () => (helpOpen.value = true) },
    { name: "Undo", keys: "Ctrl Z", group: "Change", run: () => doUndo() },
    { name: "Redo", keys: "Ctrl Shift Z", group: "Change", run: doRedo },
    { name: "Zoom back", keys: "[", group: "Charts", run: zoomBack },
    { name: "Zoom forward", keys: "]", group: "Charts", run: zoomForward },
    { name: "Reset every zoom", group: "Charts", run: () => change({ zoom: {} }) },
    {
      name: "Remove all pins",
      group: "Charts",
      run: () => change({ pins: [], range: null, pinAxis: "" }),
    },
    { name: "Show all runs", group: "Runs", run: () => selectAll(true) },
    { name: "Hide all runs", group: "Runs", run: () => selectAll(false) },
    { name: "Copy link to this view", group: "Share", run: () => copyText(location.href) },
    { name: "Light theme", group: "Settings", run: () => void changeSettings({ theme: "light" }) },
    { name: "Dark theme", group: "Settings", run: () => void changeSettings({ theme: "dark" }) },
    {
      name: "Theme of the system",
      group: "Settings",
      run: () => void changeSettings({ theme: "system" }),
    },
    { name: "Smoothing off", group: "Charts", run: () => change({ smoothing: "none" }) },
    {
      name: "Logarithmic y axis",
      group: "Charts",
      run: () => change({ yScale: view.value.yScale === "log" ? "linear" : "log" }),
    },
    {
      name: "Logarithmic x axis",
      group: "Charts",
      run: () => change({ xScale: view.value.xScale === "log" ? "linear" : "log" }),
    },
  );
  return list;
}

/** Runs, metrics and projects by name, for the palette. */
export function places(text: string): Command[] {
  const wanted = text.toLowerCase();
  if (!wanted) return [];
  const out: Command[] = [];
  for (const r of runs.value) {
    if (out.length >= 12) break;
    if (
      r.name.toLowerCase().includes(wanted) ||
      partsScore(r.name, wanted) ||
      r.id.toLowerCase().startsWith(wanted)
    )
      out.push({
        name: r.name,
        group: "Run",
        run: () => change({ page: "run", run: r.id, tab: "overview" }),
      });
  }
  let found = 0;
  for (const k of keys.value) {
    if (found >= 12) break;
    if (k.hidden || !(k.key.toLowerCase().includes(wanted) || partsScore(k.key, wanted))) continue;
    found++;
    out.push({
      name: k.key,
      group: k.kind === "scalar" ? "Metric" : k.kind,
      run: () =>
        change(
          k.kind === "scalar"
            ? { page: "charts", full: k.key, search: "" }
            : k.kind === "histogram" || k.kind === "pr_curve" || k.kind === "embedding"
              ? { page: "distributions" }
              : k.kind === "graph"
                ? { page: "graph" }
                : { page: "media" },
        ),
    });
  }
  for (const p of projects.value ?? [])
    if (p.name.toLowerCase().includes(wanted))
      out.push({ name: p.name, group: "Project", run: () => openProject(p.name) });
  return out;
}

export function openProject(project: string): void {
  change({
    project,
    page: "charts",
    run: "",
    zoom: {},
    pins: [],
    range: null,
    selection: { all: true, except: [] },
    baseline: "",
    compared: [],
    filter: "",
    runSearch: "",
    search: "",
    pinnedMetrics: null,
    order: [],
    panels: {},
    extra: [],
    full: "",
    columns: null,
    sort: [],
    groupBy: [],
    colorBy: "",
    listMetric: "",
    xAxis: "auto",
    xMetric: "",
    pinAxis: "",
  });
}
