// The view and its address: everything a person arranged, as a fragment that opens as the same
// view.
import type { Grouping, PanelOptions, SortKey } from "../api/types";
import type { Brush } from "../viz/parallel";
import type { ScaleKind } from "../viz/scale";
import { newName, withNewNames } from "./old_names";
import { isPage, type Page } from "./pages";

export interface Zoom {
  x: [number, number] | null;
  y: [number, number] | null;
}

export interface PanelSettings extends PanelOptions {
  filter?: string;
  smoothing?: { method: string; amount: number };
  keys?: string[];
  expression?: string;
  title?: string;
  kind?: "lines" | "bars";
  x?: string; // an axis of its own: step, relative, …, metric:KEY
}

export interface View {
  page: Page;
  project: string;
  run: string;
  tab: string;
  search: string; // for metrics
  runSearch: string; // by name or tag
  filter: string; // of runs, in the filter language
  // auto: as the metrics were defined, else step
  xAxis: "auto" | "step" | "relative" | "wall" | "epoch" | "samples" | "metric";
  xMetric: string;
  xScale: ScaleKind;
  yScale: ScaleKind;
  smoothing: "none" | "ema" | "time_ema" | "gaussian" | "mean" | "median";
  smoothingAmount: number;
  groupBy: string[]; // columns
  groupCenter: Grouping["center"];
  groupBand: Grouping["band"];
  colorBy: string; // column
  listMetric: string; // beside the names of runs; "" = the most interesting one, none
  listSort: "new" | "value" | "name"; // of the list of runs
  ignoreOutliers: boolean;
  olderAttempts: boolean; // drawn, faint
  ranks: "apart" | "mean"; // a key that several ranks logged: a line each, or mean ± deviation
  zoomTogether: boolean; // all charts of an axis
  selection: { all: boolean; except: string[] };
  baseline: string; // run
  compared: string[]; // runs of the compare page, ticked rows of the table
  zoom: Record<string, Zoom>;
  pins: number[];
  range: [number, number] | null;
  pinAxis: string; // where pins and range stand when that is not the page's axis
  pinnedMetrics: string[] | null; // null = suggested ones
  closed: string[]; // sections
  order: string[]; // dragged cards
  size: "s" | "m" | "l";
  panels: Record<string, PanelSettings>;
  extra: { id: string; keys: string[]; expression?: string }[]; // panels a person added
  full: string; // card shown large
  showArchived: boolean;
  columns: string[] | null;
  sort: SortKey[];
  onlyDifferences: boolean; // on the compare page
  media: {
    rows: "run" | "key";
    size: number;
    step: number | null;
    kind: string;
    mode: string;
    fit: boolean;
    range: string;
  };
  picture: {
    run: string;
    key: string;
    item: number;
    mode: "one" | "swipe" | "difference";
    against: string; // run
  } | null; // shown in full size
  distributions: {
    mode: "ridge" | "heat" | "percentiles";
    tab: string;
    color: string;
    dims: number;
    projection: "pca" | "tsne";
    from: number | null;
    to: number | null;
  };
  hparams: {
    goal: string;
    mode: "parallel" | "scatter" | "matrix";
    axes: string[] | null;
    brushes: Record<string, Brush>;
    inverted: string[];
    logs: string[];
    scatterX: string;
    scatterY: string;
    scatterColor: string;
    scatterSize: string;
  };
  system: { host: string; mode: "heat" | "lines" };
  graph: { open: string[]; color: string; select: string; key: string };
  profile: {
    name: string; // as the server lists it; "" = the newest
    tab: string;
    value: number; // weight of stacks, -1 = the main one
    root: number; // frame that fills the picture
    search: string;
    from: number | null; // nanoseconds since the beginning of the trace
    to: number | null;
    slice: number; // -1 = none
    arrows: boolean; // of everything on show, not only of the selected slice
    byShape: boolean; // operators
    before: string; // the other profile of a comparison
  };
}

export const defaults: View = {
  page: "projects",
  project: "",
  run: "",
  tab: "overview",
  search: "",
  runSearch: "",
  filter: "",
  xAxis: "auto",
  xMetric: "",
  xScale: "linear",
  yScale: "linear",
  smoothing: "none",
  smoothingAmount: 0.6,
  groupBy: [],
  groupCenter: "mean",
  groupBand: "std",
  colorBy: "",
  listMetric: "",
  listSort: "new",
  ignoreOutliers: false,
  olderAttempts: true,
  ranks: "apart",
  zoomTogether: true,
  selection: { all: true, except: [] },
  baseline: "",
  compared: [],
  zoom: {},
  pins: [],
  range: null,
  pinAxis: "",
  pinnedMetrics: null,
  closed: [],
  order: [],
  size: "m",
  panels: {},
  extra: [],
  full: "",
  showArchived: false,
  columns: null,
  sort: [],
  onlyDifferences: true,
  media: { rows: "run", size: 160, step: null, kind: "", mode: "", fit: true, range: "" },
  picture: null,
  distributions: {
    mode: "ridge",
    tab: "histograms",
    color: "",
    dims: 2,
    projection: "pca",
    from: null,
    to: null,
  },
  hparams: {
    goal: "",
    mode: "parallel",
    axes: null,
    brushes: {},
    inverted: [],
    logs: [],
    scatterX: "",
    scatterY: "",
    scatterColor: "",
    scatterSize: "",
  },
  system: { host: "", mode: "heat" },
  graph: { open: [], color: "type", select: "", key: "" },
  profile: {
    name: "",
    tab: "overview",
    value: -1,
    root: 0,
    search: "",
    from: null,
    to: null,
    slice: -1,
    arrows: false,
    byShape: false,
    before: "",
  },
};

export const sameView = (a: unknown, b: unknown) =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const b of bytes) binary += String.fromCharCode(b);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
}

/** The fragment for a view: plain values readable, the rest as JSON in base64url. */
export function encodeView(v: View): string {
  const plain: string[] = [];
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(defaults) as (keyof View)[]) {
    if (key === "page" || sameView(v[key], defaults[key])) continue;
    const value = v[key];
    if (typeof value === "string" || typeof value === "number")
      plain.push(`${key}=${encodeURIComponent(value)}`);
    else if (typeof value === "boolean") plain.push(`${key}=${value ? 1 : 0}`);
    else rest[key] = value;
  }
  if (Object.keys(rest).length) plain.push("z=" + toBase64(JSON.stringify(rest)));
  return `#/${v.page}${plain.length ? "?" + plain.join("&") : ""}`;
}

export function decodeView(fragment: string): View {
  const v = structuredClone(defaults);
  const match = /^#\/?([a-z]*)(?:\?(.*))?$/.exec(fragment);
  if (!match) return v;
  if (isPage(match[1])) v.page = match[1];
  const target = v as unknown as Record<string, unknown>;
  const fallback = defaults as unknown as Record<string, unknown>;
  for (const part of (match[2] ?? "").split("&")) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    const key = newName(part.slice(0, at));
    try {
      const text = decodeURIComponent(part.slice(at + 1));
      // Groups of the table were once its own.
      if (key === "tableGroup") v.groupBy = v.groupBy.length ? v.groupBy : [text];
      else if (key === "z") {
        const rest = JSON.parse(fromBase64(text)) as Record<string, unknown>;
        for (const [k, value] of Object.entries(rest)) {
          const name = newName(k);
          if (Object.hasOwn(fallback, name))
            target[name] = merge(fallback[name], withNewNames(name, value));
        }
      } else if (typeof fallback[key] === "number") target[key] = Number(text);
      else if (typeof fallback[key] === "boolean") target[key] = text === "1";
      else if (typeof fallback[key] === "string") target[key] = text;
    } catch {
      // A mangled address loses that part only.
    }
  }
  return v;
}

// Members added to a state since a link was made take their defaults.
function merge(fallback: unknown, value: unknown): unknown {
  if (
    fallback &&
    value &&
    typeof fallback === "object" &&
    typeof value === "object" &&
    !Array.isArray(fallback) &&
    !Array.isArray(value)
  )
    return { ...fallback, ...value };
  return value;
}
