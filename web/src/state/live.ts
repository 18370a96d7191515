// What grew and what changed, as this tab hears it.
import { signal } from "@preact/signals";
import { apiUrl } from "../api/client";
import type { ConsoleGrew, Hello, RunsChanged, SeriesGrew } from "../api/types";
import { LiveStream, type LiveMessage, type LiveState } from "./live_stream";

export const connection = signal<LiveState>("connecting");
export const lostSince = signal(0);
export const liveRevision = signal(0);

export interface LiveListener {
  runs?(event: RunsChanged): void;
  series?(event: SeriesGrew): void;
  console?(event: ConsoleGrew): void;
  behind?(): void; // something happened after the runs were loaded and before this tab listened
  reset?(): void; // everything may have changed
}
const listeners = new Set<LiveListener>();

export function listenLive(listener: LiveListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let assets = "";
let greeted = 0; // revision of the server when this tab began to listen
let loaded = 0; // and of the runs that it shows

/** Called with the revision of a list of runs that arrived. */
export function showsRevision(revision: number): void {
  loaded = revision;
  catchUp();
}

/** What happens from now on is told; what happened between the two is not. */
function catchUp(): void {
  if (!greeted || !loaded) return;
  if (greeted > loaded) for (const l of listeners) l.behind?.();
  greeted = 0;
}

function hear(message: LiveMessage): void {
  if (message.kind === "state") {
    lostSince.value = message.lostSince;
    connection.value = message.state;
  } else if (message.kind === "reset") {
    for (const l of listeners) l.reset?.();
  } else if (message.event === "hello") {
    const hello = message.data as Hello;
    // A tab older than the embedded dashboard reloads itself; the view is in the address, nothing
    // is lost.
    if (assets && hello.assets !== assets) location.reload();
    assets = hello.assets;
    greeted = hello.revision;
    catchUp();
  } else {
    liveRevision.value++;
    for (const l of listeners) {
      if (message.event === "runs") l.runs?.(message.data as RunsChanged);
      else if (message.event === "series") l.series?.(message.data as SeriesGrew);
      else if (message.event === "console") l.console?.(message.data as ConsoleGrew);
    }
  }
}

export function startLive(): void {
  if (typeof SharedWorker === "undefined") {
    new LiveStream(new URL(apiUrl("")), hear).start();
    return;
  }
  const { port } = new SharedWorker(new URL(LIVE_WORKER_URL, document.baseURI), {
    type: "module",
    name: "taffrail-live",
  });
  port.onmessage = (event: MessageEvent<LiveMessage>) => hear(event.data);
  addEventListener("pagehide", () => port.postMessage("bye"));
  // A page that comes back from the browser's back cache has said goodbye.
  addEventListener("pageshow", (event) => event.persisted && location.reload());
}

declare const LIVE_WORKER_URL: string;
