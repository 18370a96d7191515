// The first principal components of a set of vectors, by power iteration on the covariance.

export interface Projection {
  rows: Uint32Array; // numbers of the vectors that took part: those of finite numbers
  coordinates: Float32Array; // rows × components
  explained: number[]; // share of the variance
}

/**
 * Numbers of the vectors without NaN and infinities; one bad number would spoil every coordinate.
 */
function finiteRows(vectors: Float32Array, count: number, dimensions: number): Uint32Array {
  const rows: number[] = [];
  for (let i = 0; i < count; i++) {
    let finite = true;
    for (let d = 0; d < dimensions && finite; d++)
      finite = Number.isFinite(vectors[i * dimensions + d]);
    if (finite) rows.push(i);
  }
  return Uint32Array.from(rows);
}

function centre(vectors: Float32Array, rows: Uint32Array, dimensions: number): Float64Array {
  const mean = new Float64Array(dimensions);
  for (const r of rows)
    for (let d = 0; d < dimensions; d++) mean[d] += vectors[r * dimensions + d] / rows.length;
  const centred = new Float64Array(rows.length * dimensions);
  rows.forEach((r, i) => {
    for (let d = 0; d < dimensions; d++)
      centred[i * dimensions + d] = vectors[r * dimensions + d] - mean[d];
  });
  return centred;
}

const squares = (values: Float64Array) => values.reduce((sum, v) => sum + v * v, 0);

/** The direction in which what is left varies most. */
function mainAxis(
  left: Float64Array,
  count: number,
  dimensions: number,
  seed: number,
): Float64Array {
  let axis: Float64Array = Float64Array.from({ length: dimensions }, (_, d) =>
    Math.sin(1 + d * (seed + 1)),
  );
  let value = 0;
  for (let turn = 0; turn < 100; turn++) {
    const next = new Float64Array(dimensions);
    for (let i = 0; i < count; i++) {
      let dot = 0;
      for (let d = 0; d < dimensions; d++) dot += left[i * dimensions + d] * axis[d];
      for (let d = 0; d < dimensions; d++) next[d] += dot * left[i * dimensions + d];
    }
    const before = value;
    value = Math.sqrt(squares(next)) || 1;
    axis = next.map((v) => v / value);
    if (Math.abs(value - before) < 1e-9 * value) break;
  }
  // The sign is arbitrary: the largest entry is made positive so that the picture is always the
  // same.
  const largest = axis.reduce((best, v) => (Math.abs(v) > Math.abs(best) ? v : best), 0);
  return largest < 0 ? axis.map((v) => -v) : axis;
}

export function principalComponents(
  vectors: Float32Array,
  count: number,
  dimensions: number,
  components: number,
): Projection {
  const rows = finiteRows(vectors, count, dimensions);
  const left = centre(vectors, rows, dimensions);
  const total = squares(left);
  const explained: number[] = [];
  const coordinates = new Float32Array(rows.length * components);
  for (let k = 0; k < Math.min(components, dimensions); k++) {
    // Two points lie on a line: what is left after it is rounding, and no direction of its own.
    if (!(squares(left) > 1e-12 * total)) {
      explained.push(0);
      continue;
    }
    const axis = mainAxis(left, rows.length, dimensions, k);
    let variance = 0;
    for (let i = 0; i < rows.length; i++) {
      let dot = 0;
      for (let d = 0; d < dimensions; d++) dot += left[i * dimensions + d] * axis[d];
      for (let d = 0; d < dimensions; d++) left[i * dimensions + d] -= dot * axis[d];
      coordinates[i * components + k] = dot;
      variance += dot * dot;
    }
    explained.push(total > 0 ? variance / total : 0);
  }
  return { rows, coordinates, explained };
}
