// What a handful of numbers come to.

/** Of the finite ones; the deviation is that of a sample. */
export function meanAndDeviation(values: number[]): { mean: number; std: number; n: number } {
  const finite = values.filter(Number.isFinite);
  const n = finite.length;
  // From the first one: values that are all the same have no deviation, not even a tiny one.
  const mean = finite.reduce((a, b) => a + (b - finite[0]), 0) / n + (finite[0] ?? NaN);
  const std = n > 1 ? Math.sqrt(finite.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1)) : 0;
  return { mean, std, n };
}
