// Answers series:query from points held in memory: bins, groups, frames as docs/api/frame.md says.
import { smooth } from "./smoothing.mjs";

const forward = {
  linear: (v) => v,
  log: (v) => (v > 0 ? Math.log10(v) : NaN),
  symlog: (v) => Math.sign(v) * Math.log10(1 + Math.abs(v)),
};
const inverse = {
  linear: (v) => v,
  log: (v) => 10 ** v,
  symlog: (v) => Math.sign(v) * (10 ** Math.abs(v) - 1),
};

/** {x, y} of a series on an axis, x rising. */
export function onAxis(run, series, axis) {
  const n = series.value.length;
  const cacheKey = axis.axis + "|" + (axis.metric ?? "");
  series.cache ??= new Map();
  const cached = series.cache.get(cacheKey);
  if (cached && cached.n === n) return cached;
  let x = new Float64Array(n);
  let y = series.value instanceof Float64Array ? series.value : Float64Array.from(series.value);
  const stepOf = (i) => series.step(i);
  if (axis.axis === "step") for (let i = 0; i < n; i++) x[i] = stepOf(i);
  else if (axis.axis === "relative") for (let i = 0; i < n; i++) x[i] = (series.time(i) - run.start_ms) / 1000;
  else if (axis.axis === "wall") for (let i = 0; i < n; i++) x[i] = series.time(i) / 1000;
  else if (axis.axis === "epoch") for (let i = 0; i < n; i++) x[i] = stepOf(i) / 100;
  else if (axis.axis === "samples") for (let i = 0; i < n; i++) x[i] = stepOf(i) * 32;
  else {
    const other = run.series.get(axis.metric);
    const byStep = new Map();
    if (other) for (let i = 0; i < other.value.length; i++) byStep.set(other.step(i), other.value[i]);
    for (let i = 0; i < n; i++) x[i] = byStep.get(stepOf(i)) ?? NaN;
    const order = [...x.keys()].filter((i) => Number.isFinite(x[i])).sort((a, b) => x[a] - x[b]);
    y = Float64Array.from(order, (i) => y[i]);
    x = Float64Array.from(order, (i) => x[i]);
  }
  const result = { n, x, y };
  series.cache.set(cacheKey, result);
  return result;
}

function lowerBound(x, value) {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bins of one series. */
function binSeries(x, y, smoothed, from, to, width, scale, rawLimit) {
  const f = forward[scale];
  const g = inverse[scale];
  const first = lowerBound(x, from);
  let end = lowerBound(x, to);
  while (end < x.length && x[end] <= to) end++;
  const points = end - first;
  const out = { raw: points <= rawLimit, points, edges: [], min: [], max: [], mean: [], last: [], count: [], smooth: [], marks: [] };
  const mark = (bin, value) => out.marks.push([bin, Number.isNaN(value) ? 0 : value > 0 ? 1 : 2, 1]);
  if (points <= 0) return out;
  if (out.raw) {
    for (let i = first; i < end; i++) {
      out.edges.push(x[i]);
      const finite = Number.isFinite(y[i]);
      for (const field of ["min", "max", "mean", "last"]) out[field].push(finite ? y[i] : NaN);
      if (!finite) mark(i - first, y[i]);
      out.smooth.push(finite ? smoothed[i] : NaN);
      out.count.push(1);
    }
    out.edges.push(x[end - 1]);
    return out;
  }
  const a = f(from);
  const size = (f(to) - a) / width;
  const binOf = (v) => Math.min(width - 1, Math.max(0, Math.floor((f(v) - a) / size)));
  const firstBin = binOf(x[first]);
  const lastBin = binOf(x[end - 1]);
  let i = first;
  for (let bin = firstBin; bin <= lastBin; bin++) {
    const upper = bin === width - 1 ? Infinity : g(a + (bin + 1) * size);
    let low = Infinity, high = -Infinity, sum = 0, smoothSum = 0, finite = 0, last = NaN, count = 0;
    const odd = [0, 0, 0];
    for (; i < end && (x[i] < upper || bin === lastBin); i++) {
      const v = y[i];
      count++;
      if (Number.isFinite(v)) {
        if (v < low) low = v;
        if (v > high) high = v;
        sum += v;
        smoothSum += smoothed[i];
        finite++;
        last = v;
      } else odd[Number.isNaN(v) ? 0 : v > 0 ? 1 : 2]++;
    }
    // Rounding of the inverse must not put the first point outside its own bin.
    out.edges.push(bin === firstBin ? Math.min(x[first], g(a + bin * size)) : g(a + bin * size));
    out.min.push(finite ? low : NaN);
    out.max.push(finite ? high : NaN);
    out.mean.push(finite ? sum / finite : NaN);
    out.smooth.push(finite ? smoothSum / finite : NaN);
    out.last.push(last);
    out.count.push(count);
    odd.forEach((n, kind) => n && out.marks.push([bin - firstBin, kind, n]));
  }
  out.edges.push(lastBin === width - 1 ? to : g(a + (lastBin + 1) * size));
  return out;
}

const t975 = [0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086];
const tOf = (df) => t975[df] ?? 1.96 + 2.4 / df;

function groupBins(members, query, from, to) {
  const distinct = new Set();
  for (const m of members) {
    for (let i = lowerBound(m.x, from); i < m.x.length && m.x[i] <= to && distinct.size <= query.width; i++) distinct.add(m.x[i]);
  }
  const exact = distinct.size <= query.width;
  const scale = query.x.scale ?? "linear";
  const a = forward[scale](from);
  const size = (forward[scale](to) - a) / query.width;
  const bins = new Map();
  for (const m of members) {
    const sums = new Map();
    for (let i = lowerBound(m.x, from); i < m.x.length && m.x[i] <= to; i++) {
      const v = m.smoothed[i];
      if (!Number.isFinite(v)) continue;
      const bin = exact ? m.x[i] : Math.min(query.width - 1, Math.floor((forward[scale](m.x[i]) - a) / size));
      const s = sums.get(bin) ?? [0, 0];
      s[0] += v;
      s[1]++;
      sums.set(bin, s);
    }
    for (const [bin, [sum, n]] of sums) {
      if (!bins.has(bin)) bins.set(bin, { samples: [], count: 0 });
      bins.get(bin).samples.push(sum / n);
      bins.get(bin).count += n;
    }
  }
  const out = { raw: exact, points: members.reduce((n, m) => n + m.x.length, 0), edges: [], min: [], max: [], mean: [], last: [], count: [], smooth: [], low: [], high: [], runs: [], marks: [] };
  const order = [...bins.keys()].sort((p, q) => p - q);
  const lookup = exact ? order : order.length ? Array.from({ length: order[order.length - 1] - order[0] + 1 }, (_, i) => order[0] + i) : [];
  for (const bin of lookup) {
    const entry = bins.get(bin) ?? { samples: [], count: 0 };
    const s = entry.samples.slice().sort((p, q) => p - q);
    const n = s.length;
    const mean = s.reduce((p, q) => p + q, 0) / n;
    const std = n > 1 ? Math.sqrt(s.reduce((p, q) => p + (q - mean) ** 2, 0) / (n - 1)) : 0;
    const median = n % 2 ? s[n >> 1] : (s[n / 2 - 1] + s[n / 2]) / 2;
    const center = { mean, median, min: s[0], max: s[n - 1] }[query.group.center];
    const spread = { none: 0, std, sem: std / Math.sqrt(n), ci95: (tOf(n - 1) * std) / Math.sqrt(n) }[query.group.band];
    const minmax = query.group.band === "minmax";
    out.edges.push(exact ? bin : inverse[scale](a + bin * size));
    out.mean.push(n ? center : NaN);
    out.smooth.push(n ? center : NaN);
    out.last.push(n ? center : NaN);
    out.min.push(n ? s[0] : NaN);
    out.max.push(n ? s[n - 1] : NaN);
    out.low.push(n ? (minmax ? s[0] : center - (n > 1 ? spread : 0)) : NaN);
    out.high.push(n ? (minmax ? s[n - 1] : center + (n > 1 ? spread : 0)) : NaN);
    out.runs.push(n);
    out.count.push(entry.count);
  }
  if (lookup.length) out.edges.push(exact ? lookup[lookup.length - 1] : inverse[scale](a + (lookup[lookup.length - 1] + 1) * size));
  return out;
}

/** The frame of one chart as a Buffer. `columnOf(run, id)` gives grouping values. */
export function chartFrame(query, runsById, columnOf, revision) {
  const began = performance.now();
  const scale = query.x.scale ?? "linear";
  const list = [];
  let missing = 0;
  const keys = query.expression ? [query.expression] : query.keys;
  for (const id of query.runs) {
    const run = runsById.get(id);
    keys.forEach((key, keyNumber) => {
      const series = query.expression ? run?.evaluate(query.expression) : run?.series.get(key);
      if (!series || series.value.length === 0) return missing++;
      const parts = query.attempts === "all" && series.attempts ? series.attempts : [{ attempt: 0, current: true, series }];
      for (const part of parts) {
        const { x, y } = onAxis(run, part.series, query.x);
        if (x.length) list.push({ run, id, keyNumber, x, y, smoothed: null, attempt: part.attempt, current: part.current });
      }
    });
  }
  let from = Infinity, to = -Infinity, outside = 0;
  for (const s of list) {
    let i = 0;
    if (scale === "log") while (i < s.x.length && s.x[i] <= 0) i++, outside++;
    if (i < s.x.length) {
      from = Math.min(from, s.x[i]);
      to = Math.max(to, s.x[s.x.length - 1]);
    }
  }
  from = query.x.from ?? from;
  to = query.x.to ?? to;
  if (scale === "log" && !(from > 0)) from = Math.min(1, to);
  const smoothing = query.smoothing && query.smoothing.method !== "none" ? query.smoothing : null;
  for (const s of list) s.smoothed = smoothing ? smooth(s.x, s.y, smoothing) : s.y;
  let width = query.width;
  if (query.bin) width = Math.max(1, Math.min(8192, Math.ceil((forward[scale](to) - forward[scale](from)) / query.bin)));
  let groups;
  let results;
  if (query.group) {
    const byLabel = new Map();
    for (const s of list) {
      const values = query.group.by.map((column) => columnOf(s.run, column));
      const label = values.map((v) => (v == null ? "–" : String(v))).join(" · ") || "all runs";
      const tag = label + "\n" + s.keyNumber;
      if (!byLabel.has(tag)) byLabel.set(tag, { label, values, keyNumber: s.keyNumber, members: [] });
      byLabel.get(tag).members.push(s);
    }
    groups = [...byLabel.values()];
    results = groups.map((g) => ({ ...groupBins(g.members, { ...query, width }, from, to), keyNumber: g.keyNumber, id: null, attempt: 0, current: true }));
  } else {
    results = list.map((s) => ({ ...binSeries(s.x, s.y, s.smoothed, from, to, width, scale, query.raw_limit ?? query.width), id: s.id, keyNumber: s.keyNumber, source: s, attempt: s.attempt, current: s.current }));
  }
  return encode(query, { results, groups, keys, from, to, scale, missing, outside, smoothing, revision, began });
}

function encode(query, { results, groups, keys, from, to, scale, missing, outside, smoothing, revision, began }) {
  const total = results.reduce((n, r) => n + r.count.length, 0);
  const q16 = query.precision === "q16" || (query.precision !== "f32" && results.length > 50);
  const yScale = query.y_scale ?? "linear";
  const fields = [];
  const parts = [];
  let offset = 0;
  const put = (name, type, array, extra) => {
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    fields.push({ name, type, offset, length: array.length, ...extra });
    parts.push(bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8));
    offset += bytes.length + ((8 - (bytes.length % 8)) % 8);
  };
  const gather = (name, Type, per = (r) => r[name]) => {
    const array = new Type(total + (name === "x" ? results.length : 0));
    let at = 0;
    for (const r of results) {
      const part = per(r);
      for (let i = 0; i < part.length; i++) array[at++] = part[i];
      if (name === "x" && part.length === 0) array[at++] = 0;
    }
    return array;
  };
  const bias = Number.isFinite(from) ? from : 0;
  if (q16) {
    const x = gather("x", Float64Array, (r) => r.edges);
    put("x", "f32", Float32Array.from(x, (v) => v - bias), { bias });
  } else put("x", "f64", gather("x", Float64Array, (r) => r.edges));
  const wanted = new Set(query.fields ?? ["min", "max", "mean", "last", "count", "smooth"]);
  if (wanted.has("spread") && !results.every((r) => r.raw)) wanted.add("min").add("max");
  const names = ["min", "max", "mean", "last"].filter((n) => wanted.has(n));
  if (smoothing && wanted.has("smooth")) names.push("smooth");
  if (groups) names.push("low", "high");
  for (const name of names) {
    const array = gather(name, Float64Array);
    if (!q16) {
      put(name, "f32", Float32Array.from(array));
      continue;
    }
    let low = Infinity, high = -Infinity;
    const t = array.map(forward[yScale]);
    for (const v of t) if (Number.isFinite(v)) (low = Math.min(low, v)), (high = Math.max(high, v));
    const step = (high - low) / 65534 || 1;
    put(name, "q16", Uint16Array.from(t, (v) => (Number.isFinite(v) ? Math.round((v - low) / step) : 65535)), { bias: Number.isFinite(low) ? low : 0, scale: step });
  }
  if (wanted.has("count")) put("count", "u32", gather("count", Uint32Array));
  if (groups) put("runs", "u32", gather("runs", Uint32Array));
  const marks = [];
  let base = 0;
  for (const r of results) {
    for (const [bin, kind, n] of r.marks) marks.push([base + bin, kind, n]);
    base += r.count.length;
  }
  put("mark_bin", "u32", Uint32Array.from(marks, (m) => m[0]));
  put("mark_kind", "u8", Uint8Array.from(marks, (m) => m[1]));
  put("mark_count", "u32", Uint32Array.from(marks, (m) => m[2]));
  const number = new Map();
  const runs = [];
  for (const r of results) {
    if (r.id && !number.has(r.id)) {
      number.set(r.id, runs.length);
      runs.push(r.id);
    }
  }
  const text = (v) => (Number.isFinite(v) ? v : Number.isNaN(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
  const header = {
    chart: query.id, revision,
    x: { ...query.x, from: Number.isFinite(from) ? from : undefined, to: Number.isFinite(to) ? to : undefined, scale },
    y_scale: yScale, runs, keys,
    ...(groups && { groups: groups.map((g) => ({ label: g.label, values: g.values, runs: g.members.map((m) => m.id) })) }),
    series: {
      run: results.map((r) => (r.id ? number.get(r.id) : -1)), key: results.map((r) => r.keyNumber),
      ...(groups && { group: results.map((_, i) => i) }),
      attempt: results.map((r) => r.attempt), current: results.map((r) => r.current), raw: results.map((r) => r.raw),
      bins: results.map((r) => r.count.length), points: results.map((r) => r.points),
      last_x: results.map((r) => (r.source ? r.source.x[r.source.x.length - 1] : (r.edges[r.edges.length - 1] ?? null))),
      last: results.map((r) => text(r.source ? r.source.y[r.source.y.length - 1] : (r.mean[r.mean.length - 1] ?? NaN))),
      total: results.map((r) => (r.source ? r.source.x.length : r.points)),
    },
    fields, missing, outside, query_ms: performance.now() - began,
  };
  let json = JSON.stringify(header);
  json += " ".repeat((8 - (Buffer.byteLength(json) % 8)) % 8);
  const jsonBytes = Buffer.from(json);
  const head = Buffer.alloc(16);
  head.write("TFS1", 0, "latin1");
  head.writeUInt32LE(jsonBytes.length, 4);
  head.writeBigUInt64LE(BigInt(offset), 8);
  return Buffer.concat([head, jsonBytes, ...parts]);
}
