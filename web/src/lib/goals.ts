// Which way a metric is better: what define_metric said, else what its name suggests.
import type { KeyInfo } from "../api/types";

const smaller = /loss|error|perplexity|nll/i;
const larger = /acc|\bf1|auc|reward|score|best|bleu|\biou\b/i;

/** The key that a column (metric:KEY, metric.min:KEY, …) shows; null for other columns. */
export function keyOfColumn(id: string): string | null {
  const at = id.indexOf(":");
  return id.startsWith("metric") && at > 0 ? id.slice(at + 1) : null;
}

/** -1: the smallest value of the column is the best, 1: the largest, 0: nobody knows. */
export function betterOf(id: string, keys: readonly KeyInfo[]): -1 | 0 | 1 {
  const key = keyOfColumn(id);
  const goal =
    key === null ? undefined : keys.find((k) => k.key === key && k.kind === "scalar")?.goal;
  if (goal) return goal === "minimize" ? -1 : 1;
  if (key === null && !id.startsWith("summary")) return 0;
  return smaller.test(id) ? -1 : larger.test(id) ? 1 : 0;
}

/** Whether the first click on a column sorts from the largest down: where that is the best. */
export const firstDescending = (id: string, keys: readonly KeyInfo[]): boolean =>
  betterOf(id, keys) > 0;
