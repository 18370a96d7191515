// The smoothing methods of docs/api/frame.md, written plainly: the stand-in server uses them, tests compare with them.

/** Smoothed copy of y (in x order). Non-finite points are passed over; a constant series comes back unchanged. */
export function smooth(x, y, { method, amount }) {
  if (!method || method === "none") return y;
  const out = Float64Array.from(y);
  const at = [];
  for (let i = 0; i < y.length; i++) if (Number.isFinite(y[i])) at.push(i);
  if (at.length === 0 || at.every((i) => y[i] === y[at[0]])) return out;
  if (method === "ema" || method === "time_ema") {
    const unit = (x[at[at.length - 1]] - x[at[0]]) / 1000 || 1;
    let m = 0;
    let w = 0;
    let previous = x[at[0]];
    for (const i of at) {
      const a = method === "ema" ? amount : amount ** Math.max(0, (x[i] - previous) / unit);
      m = a * m + (1 - a) * y[i];
      w = a * w + (1 - a);
      out[i] = w > 0 ? m / w : y[i];
      previous = x[i];
    }
    return out;
  }
  const n = Math.max(1, Math.floor(amount) | 1);
  const half = (n - 1) >> 1;
  for (let k = 0; k < at.length; k++) {
    const low = Math.max(0, k - half);
    const high = Math.min(at.length - 1, k + half);
    if (method === "median") {
      const window = [];
      for (let j = low; j <= high; j++) window.push(y[at[j]]);
      window.sort((a, b) => a - b);
      const middle = window.length >> 1;
      out[at[k]] = window.length % 2 ? window[middle] : (window[middle - 1] + window[middle]) / 2;
      continue;
    }
    let sum = 0;
    let weight = 0;
    for (let j = low; j <= high; j++) {
      const w = method === "gaussian" ? Math.exp(-0.5 * ((j - k) / (n / 6)) ** 2) : 1;
      sum += w * y[at[j]];
      weight += w;
    }
    out[at[k]] = sum / weight;
  }
  return out;
}
