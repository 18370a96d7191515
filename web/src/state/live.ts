// What grew and what changed: server-sent events, polling where a proxy holds streams back.
import { signal } from "@preact/signals";
import { get } from "../api/client";
import { apiUrl } from "../api/client";
import type { Changes, ConsoleGrew, Hello, RunsChanged, SeriesGrew } from "../api/types";

export const connection = signal<"connecting" | "live" | "polling" | "lost">("connecting");
export const lostSince = signal(0);
export const liveRevision = signal(0);

export interface LiveListener {
  runs?(event: RunsChanged): void;
  series?(event: SeriesGrew): void;
  console?(event: ConsoleGrew): void;
  reset?(): void; // everything may have changed
}
const listeners = new Set<LiveListener>();

export function listenLive(listener: LiveListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let source: EventSource | null = null;
let lastHeard = 0;
let instance = "";
let assets = "";
let since: number | undefined;
let polling = false;

function deliver(event: string, data: unknown): void {
  if (event === "hello") {
    const hello = data as Hello;
    // A tab older than the embedded dashboard reloads itself; the view is in the address, nothing is lost.
    if (assets && hello.assets !== assets) {
      location.reload();
      return;
    }
    assets = hello.assets;
    if (instance && hello.instance !== instance) for (const l of listeners) l.reset?.();
    instance = hello.instance;
    return;
  }
  liveRevision.value++;
  for (const l of listeners) {
    if (event === "runs") l.runs?.(data as RunsChanged);
    else if (event === "series") l.series?.(data as SeriesGrew);
    else if (event === "console") l.console?.(data as ConsoleGrew);
  }
}

function open(): void {
  source?.close();
  source = new EventSource(apiUrl("events", { since }));
  lastHeard = performance.now();
  source.onopen = () => {
    lastHeard = performance.now();
  };
  source.onerror = () => {
    if (connection.value !== "lost") lostSince.value = Date.now();
    connection.value = "lost";
    if (source?.readyState === EventSource.CLOSED) setTimeout(open, 1000);
  };
  for (const name of ["hello", "runs", "series", "console"]) {
    source.addEventListener(name, (event) => {
      lastHeard = performance.now();
      const recovered = connection.value === "lost";
      connection.value = "live";
      if (event.lastEventId) since = Number(event.lastEventId);
      deliver(name, JSON.parse((event as MessageEvent<string>).data));
      if (recovered) for (const l of listeners) l.reset?.();
    });
  }
}

// EventSource hides comments, so silence is normal; a stream that never said hello is a proxy that holds it back.
function watch(): void {
  if (connection.value === "connecting" && performance.now() - lastHeard > 4000 && !polling) {
    polling = true;
    connection.value = "polling";
    source?.close();
    void poll();
  }
  if (connection.value === "lost" && source?.readyState !== EventSource.OPEN && performance.now() - lastHeard > 1500) {
    open();
  }
}

async function poll(): Promise<void> {
  try {
    const reply = await get<Changes>("changes", { since });
    since = reply.next;
    if (connection.value === "lost") for (const l of listeners) l.reset?.();
    connection.value = "polling";
    if (reply.reset) for (const l of listeners) l.reset?.();
    for (const e of reply.events) deliver(e.event, e.data);
  } catch {
    if (connection.value !== "lost") lostSince.value = Date.now();
    connection.value = "lost";
  }
  setTimeout(() => void poll(), 2000);
}

export function startLive(): void {
  open();
  setInterval(watch, 1000);
}
