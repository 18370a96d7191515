// The first principal components of a set of vectors, by power iteration on the covariance.

export interface Projection {
  coordinates: Float32Array; // count × components
  explained: number[]; // share of the variance
}

export function principalComponents(vectors: Float32Array, count: number, dimensions: number, components: number): Projection {
  const mean = new Float64Array(dimensions);
  for (let i = 0; i < count; i++) for (let d = 0; d < dimensions; d++) mean[d] += vectors[i * dimensions + d] / count;
  const centred = new Float64Array(count * dimensions);
  let total = 0;
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < dimensions; d++) {
      const v = vectors[i * dimensions + d] - mean[d];
      centred[i * dimensions + d] = v;
      total += v * v;
    }
  }
  const axes: Float64Array[] = [];
  const explained: number[] = [];
  const coordinates = new Float32Array(count * components);
  for (let k = 0; k < Math.min(components, dimensions); k++) {
    let axis = Float64Array.from({ length: dimensions }, (_, d) => Math.sin(1 + d * (k + 1)));
    let value = 0;
    for (let turn = 0; turn < 100; turn++) {
      for (const other of axes) {
        const dot = axis.reduce((a, v, d) => a + v * other[d], 0);
        axis = axis.map((v, d) => v - dot * other[d]);
      }
      const next = new Float64Array(dimensions);
      for (let i = 0; i < count; i++) {
        let dot = 0;
        for (let d = 0; d < dimensions; d++) dot += centred[i * dimensions + d] * axis[d];
        for (let d = 0; d < dimensions; d++) next[d] += dot * centred[i * dimensions + d];
      }
      const length = Math.hypot(...next) || 1;
      const before = value;
      value = length;
      axis = next.map((v) => v / length);
      if (Math.abs(value - before) < 1e-9 * value) break;
    }
    // The sign is arbitrary: the largest entry is made positive so that the picture is always the same.
    const largest = axis.reduce((best, v) => (Math.abs(v) > Math.abs(best) ? v : best), 0);
    if (largest < 0) axis = axis.map((v) => -v);
    axes.push(axis);
    let variance = 0;
    for (let i = 0; i < count; i++) {
      let dot = 0;
      for (let d = 0; d < dimensions; d++) dot += centred[i * dimensions + d] * axis[d];
      coordinates[i * components + k] = dot;
      variance += dot * dot;
    }
    explained.push(total > 0 ? variance / total : 0);
  }
  return { coordinates, explained };
}
