// histograms:query over the stand-in runs: a common value grid per key, neighbouring entries summed into columns.

const shares = [0, 0.0668, 0.1587, 0.3085, 0.5, 0.6915, 0.8413, 0.9332, 1];

function percentiles(edges, counts) {
  const total = counts.reduce((a, b) => a + b, 0);
  return shares.map((p) => {
    let seen = 0;
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] > 0 && seen + counts[i] >= p * total) return edges[i] + ((p * total - seen) / counts[i]) * (edges[i + 1] - edges[i]);
      seen += counts[i];
    }
    return edges[edges.length - 1];
  });
}

export function histogramSeries(catalogue, { runs, keys, from = -Infinity, to = Infinity, width = 200, bins = 48 }) {
  const out = [];
  for (const key of keys) {
    const lists = runs.map((id) => ({ id, list: (catalogue.run(id).entries.get(key)?.list ?? []).filter((e) => e.step >= from && e.step <= to).map((e) => ({ step: e.step, value: e.value ?? e.make() })) })).filter((s) => s.list.length && s.list[0].value.kind === "histogram");
    let low = Infinity, high = -Infinity;
    for (const s of lists) for (const e of s.list) (low = Math.min(low, e.value.min)), (high = Math.max(high, e.value.max));
    if (!(high > low)) high = low + 1;
    const edges = Array.from({ length: bins + 1 }, (_, i) => low + ((high - low) * i) / bins);
    for (const s of lists) {
      const per = Math.ceil(s.list.length / width);
      const columns = [];
      for (let at = 0; at < s.list.length; at += per) {
        const part = s.list.slice(at, at + per);
        const counts = new Array(bins).fill(0);
        let sum = 0, squares = 0, n = 0;
        for (const { value: h } of part) {
          (sum += h.sum), (squares += h.sum_squares);
          for (let i = 0; i < h.counts.length; i++) {
            n += h.counts[i];
            const a = h.edges[i], b = h.edges[i + 1];
            const first = Math.max(0, Math.floor(((a - low) / (high - low)) * bins));
            const last = Math.min(bins - 1, Math.floor(((b - low) / (high - low)) * bins));
            for (let j = first; j <= last; j++) counts[j] += h.counts[i] * (b > a ? Math.max(0, Math.min(b, edges[j + 1]) - Math.max(a, edges[j])) / (b - a) : 1 / (last - first + 1));
          }
        }
        const own = part.length === 1 ? part[0].value : { edges, counts };
        const mean = sum / n;
        columns.push({ first_step: part[0].step, last_step: part[part.length - 1].step, entries: part.length, counts, nan: part.reduce((v, e) => v + e.value.nan, 0), positive_infinity: 0, negative_infinity: 0, min: Math.min(...part.map((e) => e.value.min)), max: Math.max(...part.map((e) => e.value.max)), mean, std: Math.sqrt(Math.max(0, squares / n - mean * mean)), percentiles: percentiles(own.edges, own.counts) });
      }
      out.push({ run: s.id, key, total: s.list.length, edges, columns });
    }
  }
  return out;
}
