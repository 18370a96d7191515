// Heavier arithmetic off the main thread: importance of hyperparameters, principal components.
import { importance } from "./forest";
import { principalComponents } from "./pca";

export type ComputeJob = { id: number; kind: "importance"; columns: Float64Array[]; goal: Float64Array } | { id: number; kind: "pca"; vectors: Float32Array; count: number; dimensions: number; components: number };

self.onmessage = (event: MessageEvent<ComputeJob>) => {
  const job = event.data;
  const result = job.kind === "importance" ? importance(job.columns, job.goal) : principalComponents(job.vectors, job.count, job.dimensions, job.components);
  (self as unknown as Worker).postMessage({ id: job.id, result });
};
