// Heavier arithmetic off the main thread: importance of hyperparameters, projections of vectors.
import { importance } from "./forest";
import { answer } from "./limited";
import { principalComponents } from "./pca";
import { tsne } from "./tsne";

export type ComputeJob =
  | { kind: "importance"; columns: Float64Array[]; goal: Float64Array }
  | {
      kind: "pca" | "tsne";
      vectors: Float32Array;
      count: number;
      dimensions: number;
      components: number;
    };

answer((job: ComputeJob) =>
  job.kind === "importance"
    ? importance(job.columns, job.goal)
    : (job.kind === "tsne" ? tsne : principalComponents)(
        job.vectors,
        job.count,
        job.dimensions,
        job.components,
      ),
);
