// The view state: everything a person arranged, kept in the address. Opening the address elsewhere
// gives the same picture.
import { signal } from "@preact/signals";
import { get, post } from "../api/client";
import type { Grouping, PanelOptions, SortKey, State, StateTicket } from "../api/types";
import type { Brush } from "../viz/parallel";
import type { ScaleKind } from "../viz/scale";
import { inTurn, Steps, type EditStep } from "./steps";

export type Page =
  | "projects"
  | "charts"
  | "table"
  | "run"
  | "compare"
  | "media"
  | "distributions"
  | "hparams"
  | "system"
  | "graph"
  | "settings";

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
}

export interface View {
  page: Page;
  project: string;
  run: string;
  tab: string;
  q: string; // metric search
  rq: string; // run search by name or tag
  filter: string; // run filter language
  // auto: as the metrics were defined, else step
  x: "auto" | "step" | "relative" | "wall" | "epoch" | "samples" | "metric";
  xm: string;
  xs: ScaleKind;
  ys: ScaleKind;
  sm: "none" | "ema" | "time_ema" | "gaussian" | "mean" | "median";
  sa: number;
  gb: string[]; // group by
  gc: Grouping["center"];
  gw: Grouping["band"];
  cb: string; // colour by column
  out: boolean; // ignore outliers
  att: boolean; // show older attempts
  rk: "apart" | "mean"; // a key that several ranks logged: a line each, or mean ± deviation
  za: boolean; // zoom all charts together
  sel: { all: boolean; except: string[] };
  slots: string[] | null; // colour slots once a person changed visibility; null = by start time
  base: string; // baseline run
  cmp: string[]; // runs of the compare page, ticked rows of the table
  zoom: Record<string, Zoom>;
  pins: number[];
  range: [number, number] | null;
  pinAxis: string; // where pins and range stand when that is not the page's axis
  pk: string[] | null; // pinned metrics; null = suggested ones
  closed: string[]; // sections
  order: string[]; // dragged cards
  size: "s" | "m" | "l";
  panels: Record<string, PanelSettings>;
  extra: { id: string; keys: string[]; expression?: string }[]; // panels a person added
  full: string; // card shown large
  arch: boolean; // show archived runs
  cols: string[] | null;
  sort: SortKey[];
  tg: string; // table group column
  diff: boolean; // compare: only differences
  media: {
    rows: "run" | "key";
    size: number;
    step: number | null;
    kind: string;
    mode: string;
    fit: boolean;
    range: string;
  };
  dist: {
    mode: "ridge" | "heat" | "percentiles";
    tab: string;
    color: string;
    dims: number;
    from: number | null;
    to: number | null;
  };
  hp: {
    goal: string;
    mode: "parallel" | "scatter" | "matrix";
    axes: string[] | null;
    brushes: Record<string, Brush>;
    inverted: string[];
    logs: string[];
    sx: string;
    sy: string;
  };
  sys: { host: string; mode: "heat" | "lines" };
  graph: { open: string[]; color: string; select: string; key: string };
}

export const defaults: View = {
  page: "projects",
  project: "",
  run: "",
  tab: "overview",
  q: "",
  rq: "",
  filter: "",
  x: "auto",
  xm: "",
  xs: "linear",
  ys: "linear",
  sm: "none",
  sa: 0.6,
  gb: [],
  gc: "mean",
  gw: "std",
  cb: "",
  out: false,
  att: true,
  rk: "apart",
  za: true,
  sel: { all: true, except: [] },
  slots: null,
  base: "",
  cmp: [],
  zoom: {},
  pins: [],
  range: null,
  pinAxis: "",
  pk: null,
  closed: [],
  order: [],
  size: "m",
  panels: {},
  extra: [],
  full: "",
  arch: false,
  cols: null,
  sort: [],
  tg: "",
  diff: true,
  media: { rows: "run", size: 160, step: null, kind: "", mode: "", fit: true, range: "" },
  dist: { mode: "ridge", tab: "histograms", color: "", dims: 2, from: null, to: null },
  hp: {
    goal: "",
    mode: "parallel",
    axes: null,
    brushes: {},
    inverted: [],
    logs: [],
    sx: "",
    sy: "",
  },
  sys: { host: "", mode: "heat" },
  graph: { open: [], color: "type", select: "", key: "" },
};

const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);

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
    if (key === "page" || same(v[key], defaults[key])) continue;
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
  const pages: Page[] = [
    "projects",
    "charts",
    "table",
    "run",
    "compare",
    "media",
    "distributions",
    "hparams",
    "system",
    "graph",
    "settings",
  ];
  if (pages.includes(match[1] as Page)) v.page = match[1] as Page;
  const target = v as unknown as Record<string, unknown>;
  const fallback = defaults as unknown as Record<string, unknown>;
  for (const part of (match[2] ?? "").split("&")) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    const key = part.slice(0, at);
    try {
      const text = decodeURIComponent(part.slice(at + 1));
      if (key === "z") {
        const rest = JSON.parse(fromBase64(text)) as Record<string, unknown>;
        for (const [k, value] of Object.entries(rest))
          if (k in fallback) target[k] = merge(fallback[k], value);
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

export const view = signal<View>(decodeView(location.hash));

const steps = new Steps<View>();
export const history_ = signal({ undo: 0, redo: 0 });
const note = () => (history_.value = steps.counts);

const longest = 6000;

function write(v: View, push: boolean): void {
  const fragment = encodeView(v);
  const state = { step: steps.entry };
  if (push) history.pushState(state, "", fragment);
  else history.replaceState(state, "", fragment);
  if (fragment.length <= longest) return;
  void post<StateTicket>("states", { state: fragment }).then(
    ({ hash }) => {
      if (view.value === v) history.replaceState(state, "", `#/${v.page}?s=${hash}`);
    },
    () => undefined,
  );
}

/**
 * Changes the view. One call is one step of undo; `replace` joins it to the last step (drags,
 * typing).
 */
export function change(patch: Partial<View>, replace = false): void {
  const before = view.value;
  const after = { ...before, ...patch };
  if (same(before, after)) return;
  const last = steps.last;
  if (replace && last?.kind === "view" && !steps.next && last.after === before) last.after = after;
  else {
    steps.changed(before, after);
    replace = false;
  }
  view.value = after;
  write(after, !replace);
  note();
}

/** Moves elsewhere without a step of undo (following a link that a person did not choose). */
export function settle(patch: Partial<View>): void {
  view.value = { ...view.value, ...patch };
  const { shown } = steps;
  if (shown) shown.after = view.value;
  write(view.value, false);
}

/**
 * An edit that was made becomes a step. The function takes back this very edit, whatever was done
 * since.
 */
export function recordEdit(step: Omit<EditStep, "kind">): () => Promise<string | null> {
  const edit: EditStep = { kind: "edit", ...step };
  steps.edited(edit);
  note();
  return () => inTurn(async () => (steps.isDone(edit) ? takeBack(edit) : null));
}

// An edit that could not be taken back is still there, and still a step.
async function takeBack(edit: EditStep): Promise<string> {
  await edit.undo();
  steps.tookBack(edit);
  note();
  return edit.label;
}

/** Goes where the browser's own button would; over when the page shows it. */
function travel(by: 1 | -1): Promise<string> {
  return new Promise((arrived) => {
    window.addEventListener("popstate", () => arrived(""), { once: true });
    history.go(by);
    setTimeout(() => arrived(""), 1000);
  });
}

/** The label of the edit taken back, "" for a step of the view, null when there is nothing left. */
export const undo = (): Promise<string | null> =>
  inTurn(async () => {
    const step = steps.last;
    if (!step) return null;
    return step.kind === "view" ? travel(-1) : takeBack(step);
  });

export const redo = (): Promise<string | null> =>
  inTurn(async () => {
    const step = steps.next;
    if (!step) return null;
    if (step.kind === "view") return travel(1);
    await step.redo();
    steps.didAgain(step);
    note();
    return step.label;
  });

/** Shows the view that the address names. */
async function adopt(): Promise<void> {
  const stored = /[?&]s=([0-9a-f]+)/.exec(location.hash);
  let fragment = location.hash;
  if (stored) {
    try {
      fragment = (await get<State>("state", { hash: stored[1] })).state;
    } catch {
      // A forgotten state: the page itself still opens.
    }
  }
  view.value = decodeView(fragment);
  note();
}

window.addEventListener("popstate", (event) => {
  const state = event.state as { step: number } | null;
  // The very object that the step holds, so that the `===` above keeps working.
  const shown = state && steps.travelled(state.step);
  if (shown) {
    view.value = shown;
    note();
    return;
  }
  const before = view.value;
  void adopt().then(() => {
    if (state) return; // an entry of before the page was loaded again
    steps.changed(before, view.value); // an address that somebody typed, or a link
    history.replaceState({ step: steps.entry }, "", location.hash);
    note();
  });
});
history.replaceState({ step: steps.entry }, "", location.hash || "#/projects");
if (/[?&]s=[0-9a-f]+/.test(location.hash)) void adopt();
