// What people want to see first: what somebody declared a goal, then losses and quality, then the
// rest; machine load and times last. Among those, what more of the runs have.
import type { KeyInfo } from "../api/types";

const loss = /loss|error|perplexity|nll/i;
const quality = /acc|f1|auc|reward|score|bleu|iou|\bmap\b|precision|recall/i;

/** 0: declared a goal, 1: losses and quality, 2: the rest, 3: times and the machine. */
export function tierOf(name: string, goal?: string): 0 | 1 | 2 | 3 {
  if (/^(system|time)\//.test(name)) return 3;
  if (goal) return 0;
  return loss.test(name) || quality.test(name) ? 1 : 2;
}

/** Of one tier: losses a little before quality, then the rest, learning rates after that. */
export function interestOf(name: string): number {
  return loss.test(name) ? 1 : quality.test(name) ? 0.9 : /lr|learning/i.test(name) ? 0.2 : 0.4;
}

/** Orders names by tier, then by coverage × interest, then validation first, then by name. */
export function byInterest(
  goalOf: (name: string) => string | undefined,
  coverage: (name: string) => number,
): (a: string, b: string) => number {
  const score = (name: string) => coverage(name) * interestOf(name);
  const held = (name: string) => Number(/val|test|eval/i.test(name));
  return (a, b) =>
    tierOf(a, goalOf(a)) - tierOf(b, goalOf(b)) ||
    score(b) - score(a) ||
    held(b) - held(a) ||
    (a < b ? -1 : 1);
}

export const goalsOf = (keys: readonly KeyInfo[]) => {
  const goals = new Map(keys.filter((k) => k.kind === "scalar").map((k) => [k.key, k.goal]));
  return (name: string) => goals.get(name);
};
