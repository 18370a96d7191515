// Expressions over metrics: what is wrong with one, said before it becomes a panel.
import { ApiError, postRaw } from "../api/client";
import { readFrames } from "../api/frame";
import { keys } from "../state/runs";

export const metricNames = () => keys.value.filter((k) => k.kind === "scalar").map((k) => k.key);

/** How many letters have to change to make one word of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row[b.length];
}

export function nearest(name: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const other of names.slice(0, 5000)) {
    if (Math.abs(other.length - name.length) >= least) continue;
    const d = distance(name.toLowerCase(), other.toLowerCase());
    if (d < least) [best, least] = [other, d];
  }
  return best;
}

/** A metric in the expression that nobody logged, in words; null where there is none. */
export function unknownMetric(expression: string, names: readonly string[]): string | null {
  const known = new Set(names);
  for (const match of expression.matchAll(/\$\{([^}]*)\}/g)) {
    if (known.has(match[1])) continue;
    const near = nearest(match[1], names);
    return `There is no metric called ${match[1]} (at character ${match.index + 3})${near ? `; did you mean ${near}?` : "."}`;
  }
  return null;
}

/** What is wrong with an expression, and where; null where nothing is. */
export async function wrongWith(expression: string): Promise<string | null> {
  const unknown = unknownMetric(expression, metricNames());
  if (unknown) return unknown;
  const said = (message: string, offset: number | undefined) =>
    offset === undefined
      ? message
      : `${message}: ${expression.slice(0, offset)}⟨here⟩${expression.slice(offset)}`;
  try {
    let wrong: string | null = null;
    const charts = [{ id: "check", runs: [], keys: [], expression, x: { axis: "step" }, width: 1 }];
    await readFrames(await postRaw("series:query", { charts }), ({ header: { error } }) => {
      if (error) wrong = said(error.message, error.offset);
    });
    return wrong;
  } catch (error) {
    return said((error as Error).message, (error as ApiError).body?.offset);
  }
}
