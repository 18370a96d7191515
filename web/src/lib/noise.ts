// Whether lines are so noisy that smoothing would help to read them.

/** Up and down of a line against its range: 1 for one that only falls, dozens for noise. */
export function roughness(values: ArrayLike<number>, from = 0, to = values.length): number {
  let least = Infinity;
  let most = -Infinity;
  let travelled = 0;
  let before = NaN;
  for (let i = from; i < to; i++) {
    const v = values[i];
    if (!Number.isFinite(v)) continue;
    if (Number.isFinite(before)) travelled += Math.abs(v - before);
    before = v;
    if (v < least) least = v;
    if (v > most) most = v;
  }
  return most > least ? travelled / (most - least) : 0;
}

const noisyFrom = 8;
const looked = 24; // lines; more would say the same

/** `starts`: where each line begins, and one more. */
export function isNoisy(values: ArrayLike<number>, starts: ArrayLike<number>): boolean {
  const lines = starts.length - 1;
  const found: number[] = [];
  for (let k = 0; k < Math.min(lines, looked); k++) {
    const s = Math.floor((k * lines) / Math.min(lines, looked));
    if (starts[s + 1] - starts[s] >= 32) found.push(roughness(values, starts[s], starts[s + 1]));
  }
  found.sort((a, b) => a - b);
  return found.length > 0 && found[found.length >> 1] > noisyFrom;
}
