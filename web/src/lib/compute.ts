// Calls into the compute worker.
import type { ComputeJob } from "./compute_worker";
import type { Importance } from "./forest";
import type { Projection } from "./pca";

declare const COMPUTE_WORKER_URL: string;
let worker: Worker | null = null;
let next = 1;
const waiting = new Map<number, (result: unknown) => void>();

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

function send<T>(job: WithoutId<ComputeJob>): Promise<T> {
  if (!worker) {
    worker = new Worker(new URL(COMPUTE_WORKER_URL, document.baseURI), { type: "module" });
    worker.onmessage = (event: MessageEvent<{ id: number; result: unknown }>) => {
      waiting.get(event.data.id)?.(event.data.result);
      waiting.delete(event.data.id);
    };
  }
  const id = next++;
  worker.postMessage({ ...job, id });
  return new Promise((resolve) => waiting.set(id, resolve as (result: unknown) => void));
}

export const computeImportance = (columns: Float64Array[], goal: Float64Array) => send<Importance[]>({ kind: "importance", columns, goal });
export const computePca = (vectors: Float32Array, count: number, dimensions: number, components: number) => send<Projection>({ kind: "pca", vectors, count, dimensions, components });
