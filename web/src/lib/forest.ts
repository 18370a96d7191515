// How much each hyperparameter matters: a small random forest, importance by permutation, and rank
// correlation.

export interface Importance {
  column: number;
  share: number; // of all importances, 0…1
  correlation: number; // Spearman's rho with the goal; NaN where there is none
}

type Tree = { feature: number; at: number; left: Tree; right: Tree } | { value: number };

function generator(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

function grow(
  x: Float64Array[],
  y: Float64Array,
  rows: number[],
  depth: number,
  random: () => number,
): Tree {
  const mean = rows.reduce((a, r) => a + y[r], 0) / rows.length;
  if (depth === 0 || rows.length < 6) return { value: mean };
  const features = x.length;
  const tries = Math.max(1, Math.ceil(features / 2));
  let best = { gain: 1e-12, feature: -1, at: 0 };
  const total = rows.reduce((a, r) => a + (y[r] - mean) ** 2, 0);
  for (let t = 0; t < tries; t++) {
    const feature = Math.floor(random() * features);
    const sorted = rows.slice().sort((a, b) => x[feature][a] - x[feature][b]);
    let leftSum = 0;
    let leftSquares = 0;
    let sum = 0;
    let squares = 0;
    for (const r of sorted) {
      sum += y[r];
      squares += y[r] * y[r];
    }
    for (let i = 0; i + 1 < sorted.length; i++) {
      const v = y[sorted[i]];
      leftSum += v;
      leftSquares += v * v;
      if (x[feature][sorted[i]] === x[feature][sorted[i + 1]] || i < 1 || i > sorted.length - 3)
        continue;
      const n = i + 1;
      const m = sorted.length - n;
      const error =
        leftSquares - (leftSum * leftSum) / n + (squares - leftSquares) - (sum - leftSum) ** 2 / m;
      if (total - error > best.gain)
        best = {
          gain: total - error,
          feature,
          at: (x[feature][sorted[i]] + x[feature][sorted[i + 1]]) / 2,
        };
    }
  }
  if (best.feature < 0) return { value: mean };
  return {
    feature: best.feature,
    at: best.at,
    left: grow(
      x,
      y,
      rows.filter((r) => x[best.feature][r] <= best.at),
      depth - 1,
      random,
    ),
    right: grow(
      x,
      y,
      rows.filter((r) => x[best.feature][r] > best.at),
      depth - 1,
      random,
    ),
  };
}

function predict(
  tree: Tree,
  x: Float64Array[],
  row: number,
  swapped: number,
  value: number,
): number {
  let node = tree;
  while (!("value" in node)) {
    const v = node.feature === swapped ? value : x[node.feature][row];
    node = v <= node.at ? node.left : node.right;
  }
  return node.value;
}

function ranks(values: ArrayLike<number>): Float64Array {
  const order = Array.from(values, (_, i) => i).sort((a, b) => values[a] - values[b]);
  const out = new Float64Array(values.length);
  for (let i = 0; i < order.length;) {
    let j = i;
    while (j + 1 < order.length && values[order[j + 1]] === values[order[i]]) j++;
    for (let k = i; k <= j; k++) out[order[k]] = (i + j) / 2;
    i = j + 1;
  }
  return out;
}

export function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const n = a.length;
  let ma = 0;
  let mb = 0;
  for (let i = 0; i < n; i++) {
    ma += a[i];
    mb += b[i];
  }
  ma /= n;
  mb /= n;
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < n; i++) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) ** 2;
    bb += (b[i] - mb) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

export const spearman = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  correlation(ranks(a), ranks(b));

/** Columns are numbers (categories coded); rows with a goal only. Same input, same answer. */
export function importance(columns: Float64Array[], goal: Float64Array): Importance[] {
  const n = goal.length;
  const random = generator(7);
  const rise = new Float64Array(columns.length);
  const trees = n > 500 ? 30 : 60;
  for (let t = 0; t < trees; t++) {
    const inBag = new Uint8Array(n);
    const rows = Array.from({ length: Math.min(n, 400) }, () => {
      const r = Math.floor(random() * n);
      inBag[r] = 1;
      return r;
    });
    const tree = grow(columns, goal, rows, 8, random);
    const out = Array.from({ length: n }, (_, i) => i).filter((i) => !inBag[i]);
    if (out.length < 2) continue;
    const error = (swapped: number, order: number[] | null) =>
      out.reduce(
        (sum, r, i) =>
          sum +
          (goal[r] - predict(tree, columns, r, swapped, order ? columns[swapped][order[i]] : 0)) **
            2,
        0,
      ) / out.length;
    const before = error(-1, null);
    for (let c = 0; c < columns.length; c++) {
      const shuffled = out.slice();
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = Math.floor(random() * (i + 1));
        [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
      }
      rise[c] += Math.max(0, error(c, shuffled) - before);
    }
  }
  const total = rise.reduce((a, b) => a + b, 0) || 1;
  return columns.map((column, c) => ({
    column: c,
    share: rise[c] / total,
    correlation: spearman(column, goal),
  }));
}
