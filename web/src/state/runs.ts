// The runs of the open project, and which of them are visible.
import { batch, computed, effect, signal } from "@preact/signals";
import { ApiError, get, post } from "../api/client";
import type {
  Column,
  EditsReply,
  Edit,
  KeyInfo,
  Keys,
  Project,
  Projects,
  Runs,
  RunState,
  Server,
  UnreadableRun,
} from "../api/types";
import { textMatcher } from "../lib/pattern";
import { forgetColumns, refreshColumns } from "./columns";
import { showsRevision } from "./live";
import { inTurn } from "./steps";
import { toast } from "./toast";
import { change, recordEdit, view } from "./view";

export interface Run {
  id: string;
  name: string;
  project: string;
  group: string;
  job_type: string;
  state: RunState;
  start_ms: number;
  end_ms: number;
  attempts: number;
  world_size: number;
  tags: string[];
  notes: string;
  color: string; // chosen by a person, else ""
  slot: number; // in the order of creation of the whole project
  archived: boolean;
  source: string;
  message: string;
}

export const server = signal<Server | null>(null);
export const projects = signal<Project[] | null>(null);
export const runs = signal<Run[]>([]); // newest first
export const columns = signal<Column[]>([]);
export const keys = signal<KeyInfo[]>([]);
export const runsState = signal<"loading" | "ready" | "error">("loading");
export const runsError = signal("");
export const filterError = signal<{ message: string; offset: number } | null>(null);
const matched = signal<Set<string> | null>(null); // of the filter; null = no filter

export const runById = computed(() => new Map(runs.value.map((r) => [r.id, r])));

function rowsOf(reply: Runs): Run[] {
  const r = reply.runs;
  return r.id.map((id, i) => ({
    id,
    name: r.name[i],
    project: r.project[i],
    group: r.group[i],
    job_type: r.job_type[i],
    state: r.state[i],
    start_ms: r.start_ms[i],
    end_ms: r.end_ms[i],
    attempts: r.attempts[i],
    world_size: r.world_size[i],
    tags: r.tags[i],
    notes: r.notes[i],
    color: r.color[i],
    slot: r.slot[i],
    archived: r.archived[i],
    source: r.source[i],
    message: r.message[i],
  }));
}

export async function loadServer(): Promise<void> {
  server.value = await get<Server>("server");
}

export const projectsError = signal("");
/** Nobody has recorded anything: in this project, or in the whole folder. */
export const nothingYet = (): boolean =>
  (runsState.value === "ready" && runs.value.length === 0) || projects.value?.length === 0;
/** Runs that are there and cannot be opened, and roots that are gone. */
export const unreadable = signal<UnreadableRun[]>([]);

export async function loadProjects(): Promise<void> {
  try {
    const reply = await get<Projects>("projects");
    projects.value = reply.projects;
    unreadable.value = reply.unreadable;
    projectsError.value = "";
  } catch (error) {
    projectsError.value = (error as Error).message;
  }
}

let loading = 0;
let loadedProject: string | null = null;

export async function loadRuns(): Promise<void> {
  const project = view.value.project;
  if (!project) return;
  const ticket = ++loading;
  if (loadedProject !== project) {
    batch(() => {
      runsState.value = "loading";
      runs.value = [];
      keys.value = [];
      columns.value = [];
      forgetColumns();
    });
  }
  try {
    const archived = view.value.showArchived ? "include" : "exclude";
    const [reply, keyReply] = await Promise.all([
      post<Runs>("runs:query", { project, archived }),
      get<Keys>("keys", { project }),
    ]);
    if (ticket !== loading) return;
    loadedProject = project;
    showsRevision(reply.revision);
    batch(() => {
      runs.value = rowsOf(reply);
      columns.value = reply.columns ?? [];
      keys.value = keyReply.keys;
      runsState.value = "ready";
      refreshColumns();
    });
  } catch (error) {
    if (ticket !== loading) return;
    runsState.value = "error";
    runsError.value = (error as Error).message;
    // The page says what is wrong meanwhile. It may have no other way to hear that the server is
    // back.
    if ((error as ApiError).status === 0)
      setTimeout(() => ticket === loading && void loadRuns(), 3000);
  }
}

// The open project and the archive switch decide what is loaded; the filter is the server's
// business.
const loadKey = computed(() => JSON.stringify([view.value.project, view.value.showArchived]));
effect(() => {
  void loadKey.value;
  queueMicrotask(() => void loadRuns());
});

let filterTicket = 0;
const filterKey = computed(() =>
  JSON.stringify([view.value.project, view.value.filter, view.value.showArchived]),
);
const filterAge = signal(0);
/** Whether a run passes may have changed: it logged something. */
export function refreshFilter(): void {
  if (view.peek().filter.trim()) filterAge.value++;
}
effect(() => {
  void filterKey.value;
  void filterAge.value;
  void runs.value; // tagged, finished, renamed
  const { project, filter, showArchived } = view.peek();
  const ticket = ++filterTicket;
  if (!filter.trim() || !project) {
    matched.value = null;
    filterError.value = null;
    return;
  }
  post<Runs>("runs:query", {
    project,
    filter,
    directory: false,
    archived: showArchived ? "include" : "exclude",
  }).then(
    (reply) => {
      if (ticket !== filterTicket) return;
      matched.value = new Set(reply.runs.id);
      filterError.value = null;
    },
    (error) => {
      if (ticket !== filterTicket) return;
      const body = (error as ApiError).body;
      filterError.value = { message: (error as Error).message, offset: body?.offset ?? 0 };
    },
  );
});

/** Runs that pass the filter, newest first. */
export const passing = computed<Run[]>(() => {
  const set = matched.value;
  return set ? runs.value.filter((r) => set.has(r.id)) : runs.value;
});

const search = computed(() => view.value.runSearch);
/** Runs that pass the filter and the search, newest first. */
export const listed = computed<Run[]>(() => {
  const accept = textMatcher(search.value);
  return passing.value.filter((r) => accept(r.name) || accept(r.group) || r.tags.some(accept));
});

const selection = computed(() => JSON.stringify(view.value.selection));
export const isSelected = computed<(id: string) => boolean>(() => {
  void selection.value;
  const { all, except } = view.peek().selection;
  const set = new Set(except);
  return (id) => set.has(id) !== all;
});

/** Runs drawn on every page. */
export const visible = computed<Run[]>(() => passing.value.filter((r) => isSelected.value(r.id)));
export const visibleIds = computed(() => visible.value.map((r) => r.id));

/** The runs that Compare puts beside each other: the chosen ones, else the newest visible ones. */
export const comparedIds = computed(() => {
  const chosen = view.value.compared;
  return chosen.length >= 2
    ? chosen.filter((id) => runById.value.has(id))
    : visibleIds.value.slice(0, 4);
});

/** Shows or hides runs. */
export function setSelected(ids: string[], on: boolean): void {
  const { selection } = view.value;
  const except = new Set(selection.except);
  for (const id of ids) {
    if (on === selection.all) except.delete(id);
    else except.add(id);
  }
  change({ selection: { all: selection.all, except: [...except] } });
}

export function selectOnly(ids: string[]): void {
  change({ selection: { all: false, except: ids } });
}

export function selectAll(on: boolean): void {
  change({ selection: { all: on, except: [] } });
}

/** Applies edits on the server, one after another; they can be undone like any other step. */
export async function applyEdits(edits: Edit[], label: string): Promise<void> {
  const send = async (list: Edit[]) => (await post<EditsReply>("edits", { edits: list })).inverse;
  try {
    const changed = await inTurn(async () => {
      let inverse = await send(edits);
      if (inverse.length === 0) return false;
      const undo = recordEdit({
        label,
        undo: async () => {
          edits = await send(inverse);
          await loadRuns();
        },
        redo: async () => {
          inverse = await send(edits);
          await loadRuns();
        },
      });
      toast(label, "good", undo);
      return true;
    });
    if (changed) await loadRuns();
  } catch (error) {
    toast((error as Error).message, "bad");
  }
}

// Panels with a run rule of their own: the rule is the server's business, its answer is kept by
// text.
const ruleCache = new Map<string, string[]>();
const ruleVersion = signal(0);

export function forcedRuns(filter: string | undefined): string[] | null {
  if (!filter) return null;
  void ruleVersion.value;
  const key = view.value.project + "\n" + filter;
  const held = ruleCache.get(key);
  if (held) return held;
  ruleCache.set(key, []);
  post<Runs>("runs:query", { project: view.value.project, filter, directory: false }).then(
    (reply) => {
      ruleCache.set(key, reply.runs.id);
      ruleVersion.value++;
    },
    (error) => toast((error as Error).message, "bad"),
  );
  return [];
}
