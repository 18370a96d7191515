// Calls into the compute worker.
import type { ComputeJob } from "./compute_worker";
import type { Importance } from "./forest";
import { LimitedWorker } from "./limited";
import type { Projection } from "./pca";

declare const COMPUTE_WORKER_URL: string;
const worker = new LimitedWorker<ComputeJob, unknown>(COMPUTE_WORKER_URL);
const seconds = 30;

export const computeImportance = (columns: Float64Array[], goal: Float64Array) =>
  worker.ask({ kind: "importance", columns, goal }, seconds).result as Promise<Importance[]>;
export const computeProjection = (
  kind: "pca" | "tsne",
  vectors: Float32Array,
  count: number,
  dimensions: number,
  components: number,
) =>
  worker.ask(
    { kind, vectors, count, dimensions, components },
    kind === "tsne" ? 3 * seconds : seconds,
  ).result as Promise<Projection>;
