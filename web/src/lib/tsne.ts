// t-SNE, exactly: neighbours of many dimensions stay neighbours in two or three. No randomness: it
// begins at the principal components, so the same vectors always give the same picture.
import { principalComponents, type Projection } from "./pca";

/** Beyond this the pairs would take minutes; evenly spread vectors stand for the others. */
export const tsneLimit = 1500;
const turns = 400;
const early = 100; // turns in which neighbours pull harder, so that groups find together

/** Squared distances between all rows. */
function distances(x: Float32Array, n: number, dims: number): Float64Array {
  const d = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < dims; k++) sum += (x[i * dims + k] - x[j * dims + k]) ** 2;
      d[i * n + j] = d[j * n + i] = sum;
    }
  return d;
}

/** How likely each is the other's neighbour, each row with the same number of effective ones. */
function neighbours(d: Float64Array, n: number, perplexity: number): Float64Array {
  const p = new Float64Array(n * n);
  const wanted = Math.log(perplexity);
  for (let i = 0; i < n; i++) {
    let [beta, low, high] = [1, 0, Infinity];
    let nearest = Infinity;
    for (let j = 0; j < n; j++) if (j !== i) nearest = Math.min(nearest, d[i * n + j]);
    for (let round = 0; round < 60; round++) {
      let sum = 0;
      let mean = 0;
      for (let j = 0; j < n; j++) {
        const away = d[i * n + j] - nearest; // differences alone count, and nothing underflows
        const v = j === i ? 0 : Math.exp(-away * beta);
        p[i * n + j] = v;
        sum += v;
        mean += v * away;
      }
      const entropy = Math.log(sum) + (beta * mean) / sum;
      for (let j = 0; j < n; j++) p[i * n + j] /= sum;
      if (Math.abs(entropy - wanted) < 1e-4) break;
      if (entropy > wanted) [low, beta] = [beta, high === Infinity ? beta * 2 : (beta + high) / 2];
      else [high, beta] = [beta, (beta + low) / 2];
    }
  }
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const both = Math.max((p[i * n + j] + p[j * n + i]) / (2 * n), 1e-12);
      p[i * n + j] = p[j * n + i] = both;
    }
  return p;
}

/** Moves the points `y` along the gradient until near ones are near. */
function descend(p: Float64Array, y: Float64Array, n: number, dims: number): void {
  const speed = new Float64Array(n * dims);
  const gain = new Float64Array(n * dims).fill(1);
  const slope = new Float64Array(n * dims);
  const q = new Float64Array(n * n);
  const rate = Math.max(n / 12, 50);
  for (let turn = 0; turn < turns; turn++) {
    let total = 0;
    for (let i = 0; i < n; i++)
      for (let j = i + 1; j < n; j++) {
        let d = 1;
        for (let k = 0; k < dims; k++) d += (y[i * dims + k] - y[j * dims + k]) ** 2;
        q[i * n + j] = 1 / d;
        total += 2 / d;
      }
    slope.fill(0);
    const pull = turn < early ? 12 : 1;
    for (let i = 0; i < n; i++)
      for (let j = i + 1; j < n; j++) {
        const near = q[i * n + j];
        const force = 4 * (pull * p[i * n + j] - near / total) * near;
        for (let k = 0; k < dims; k++) {
          const step = force * (y[i * dims + k] - y[j * dims + k]);
          slope[i * dims + k] += step;
          slope[j * dims + k] -= step;
        }
      }
    const keep = turn < early ? 0.5 : 0.8;
    for (let i = 0; i < n * dims; i++) {
      gain[i] = Math.max(0.01, slope[i] > 0 === speed[i] > 0 ? gain[i] * 0.8 : gain[i] + 0.2);
      speed[i] = keep * speed[i] - rate * gain[i] * slope[i];
      y[i] += speed[i];
    }
  }
}

export function tsne(
  vectors: Float32Array,
  count: number,
  dimensions: number,
  components: number,
): Projection {
  const few = Math.min(30, dimensions);
  const reduced = principalComponents(vectors, count, dimensions, few);
  const all = reduced.rows.length;
  const n = Math.min(all, tsneLimit);
  const chosen = Uint32Array.from({ length: n }, (_, i) => Math.floor((i * all) / Math.max(1, n)));
  const x = new Float32Array(n * few);
  chosen.forEach((row, i) =>
    x.set(reduced.coordinates.subarray(row * few, (row + 1) * few), i * few),
  );
  let spread = 0;
  for (let i = 0; i < n; i++) spread += x[i * few] ** 2;
  const scale = 1e-2 / (Math.sqrt(spread / Math.max(1, n)) || 1);
  const y = Float64Array.from({ length: n * components }, (_, i) => {
    const k = i % components;
    return k < few ? x[Math.floor(i / components) * few + k] * scale : 0;
  });
  if (n > 3) {
    const perplexity = Math.max(1.5, Math.min(30, (n - 1) / 3));
    descend(neighbours(distances(x, n, few), n, perplexity), y, n, components);
  }
  return {
    rows: chosen.map((i) => reduced.rows[i]),
    coordinates: Float32Array.from(y),
    explained: [],
  };
}
