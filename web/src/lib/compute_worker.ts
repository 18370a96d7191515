// Heavier arithmetic off the main thread: importance of hyperparameters, principal components.
import { importance } from "./forest";
import { answer } from "./limited";
import { principalComponents } from "./pca";

export type ComputeJob =
  | { kind: "importance"; columns: Float64Array[]; goal: Float64Array }
  | { kind: "pca"; vectors: Float32Array; count: number; dimensions: number; components: number };

answer((job: ComputeJob) =>
  job.kind === "importance"
    ? importance(job.columns, job.goal)
    : principalComponents(job.vectors, job.count, job.dimensions, job.components),
);
