// Numbers: bins, smoothing and groups against computations written apart from the product.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getJson, postJson, query, rawSeries } from "./api.mjs";
import { python, serve } from "./server.mjs";

let server, project, runs, key, raw;
before(async () => {
  server = await serve(["demo"]);
  project = (await getJson(server.url, "projects")).projects[0].name;
  const reply = await postJson(server.url, "runs:query", { project });
  runs = reply.runs.id;
  const keys = (
    await getJson(server.url, `keys?project=${encodeURIComponent(project)}`)
  ).keys.filter((k) => k.kind === "scalar");
  key = (keys.find((k) => k.key === "train/loss") ?? keys.sort((a, b) => b.points - a.points)[0])
    .key;
  raw = await rawSeries(server.url, runs[runs.length - 1], key);
});
after(() => server?.close());

const close = (a, b, tolerance = 2e-7) =>
  (Number.isNaN(a) && Number.isNaN(b)) || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b));
const run = () => runs[runs.length - 1];

test("2: min, max, mean, last and count of every bin are those of the raw points between its true edges", async () => {
  let seed = 42;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 4294967296;
  const last = Math.max(...raw.steps);
  const cases = [];
  for (let i = 0; i < 50; i++) {
    const scale = i % 2 ? "log" : "linear";
    const from = Math.floor(random() * last * 0.8) + (scale === "log" ? 1 : 0);
    const to = Math.min(last, from + 50 + Math.floor(random() * (last - from)));
    const width = 5 + Math.floor(random() * 300);
    const { series } = await query(server.url, {
      runs: [run()],
      keys: [key],
      x: { axis: "step", scale, from, to },
      width,
      raw_limit: 0,
    });
    const s = series[0];
    cases.push({
      from,
      to,
      edges: s.edges,
      min: s.min,
      max: s.max,
      mean: s.mean,
      last: s.last,
      count: s.count,
    });
    assert.ok(
      s.count.length <= width * 2 + 2,
      "no more bins than asked for, give or take the pyramid",
    );
    assert.ok(
      s.edges.every((e, k) => k === 0 || e >= s.edges[k - 1]),
      "edges rise",
    );
  }
  const text = (v) => (Number.isFinite(v) ? v : String(v));
  const expected = await python(
    `
import json, sys, math
data = json.load(sys.stdin)
points = list(zip(data["steps"], [float(v) for v in data["values"]]))
out = []
for c in data["cases"]:
    e = c["edges"]; bins = []
    for i in range(len(e) - 1):
        closed = i == len(e) - 2
        inside = [v for x, v in points if e[i] <= x and (x < e[i+1] or (closed and x <= e[i+1]))]
        finite = [v for v in inside if math.isfinite(v)]
        bins.append([len(inside), min(finite) if finite else None, max(finite) if finite else None, math.fsum(finite)/len(finite) if finite else None, finite[-1] if finite else None])
    out.append({"bins": bins, "inside": sum(1 for x, v in points if c["from"] <= x <= c["to"])})
json.dump(out, sys.stdout)`,
    {
      steps: raw.steps,
      values: raw.values.map(text),
      cases: cases.map((c) => ({ edges: c.edges, from: c.from, to: c.to })),
    },
  );
  cases.forEach((c, n) => {
    const total = c.count.reduce((a, b) => a + b, 0);
    const size = (c.to - c.from) / Math.max(1, c.count.length);
    assert.ok(
      Math.abs(total - expected[n].inside) <= 2 * size + 2,
      `case ${n}: all points of the range are in bins (${total} of ${expected[n].inside})`,
    );
    expected[n].bins.forEach(([count, min, max, mean, last], i) => {
      assert.equal(c.count[i], count, `case ${n} bin ${i} count`);
      if (min === null) return assert.ok(Number.isNaN(c.mean[i]));
      assert.ok(
        close(c.min[i], min) &&
          close(c.max[i], max) &&
          close(c.mean[i], mean) &&
          close(c.last[i], last),
        `case ${n} bin ${i}: ${[c.min[i], c.max[i], c.mean[i], c.last[i]]} for ${[min, max, mean, last]}`,
      );
    });
  });
});

test("3: smoothing is the debiased average of the raw points, and zooming does not change it", async () => {
  const whole = await query(server.url, {
    runs: [run()],
    keys: [key],
    x: { axis: "step" },
    width: 4000,
    raw_limit: 1e6,
    smoothing: { method: "ema", amount: 0.9 },
  });
  const expected = await python(
    `
import json, sys, math
data = json.load(sys.stdin)
m = w = 0.0; out = []
for v in map(float, data):
    if math.isfinite(v):
        m = 0.9 * m + 0.1 * v; w = 0.9 * w + 0.1; out.append(m / w)
    else:
        out.append(None)
json.dump(out, sys.stdout)`,
    raw.values.map((v) => (Number.isFinite(v) ? v : String(v))),
  );
  const s = whole.series[0];
  assert.equal(s.smooth.length, expected.length);
  expected.forEach(
    (v, i) =>
      v === null || assert.ok(close(s.smooth[i], v, 1e-6), `point ${i}: ${s.smooth[i]} for ${v}`),
  );
  const from = raw.steps[Math.floor(raw.steps.length / 2)];
  const zoomed = (
    await query(server.url, {
      runs: [run()],
      keys: [key],
      x: { axis: "step", from, to: from + 100 },
      width: 4000,
      raw_limit: 1e6,
      smoothing: { method: "ema", amount: 0.9 },
    })
  ).series[0];
  zoomed.edges.slice(0, -1).forEach((x, i) => {
    const k = raw.steps.indexOf(x);
    if (expected[k] !== null) assert.ok(close(zoomed.smooth[i], expected[k], 1e-6));
  });
});

for (const method of ["ema", "time_ema", "gaussian", "mean", "median"]) {
  test(`3: ${method} stays finite at its strongest and keeps as many points as there are`, async () => {
    const amount = method.includes("ema") ? 0.999 : 101;
    const { series } = await query(server.url, {
      runs: [run()],
      keys: [key],
      x: { axis: "step" },
      width: 4000,
      raw_limit: 1e6,
      smoothing: { method, amount },
    });
    assert.equal(series[0].smooth.length, raw.values.length);
    series[0].smooth.forEach(
      (v, i) => Number.isFinite(raw.values[i]) && assert.ok(Number.isFinite(v)),
    );
    const finite = raw.values.filter(Number.isFinite);
    const smooth = series[0].smooth.filter(Number.isFinite);
    assert.ok(
      Math.min(...smooth) >= Math.min(...finite) - 1e-6 &&
        Math.max(...smooth) <= Math.max(...finite) + 1e-6,
      "a smoothed line never leaves the range of its points",
    );
  });
}

test("3: a median over a window equals Python's", async () => {
  const { series } = await query(server.url, {
    runs: [run()],
    keys: [key],
    x: { axis: "step" },
    width: 4000,
    raw_limit: 1e6,
    smoothing: { method: "median", amount: 21 },
  });
  const expected = await python(
    `
import json, sys, statistics, math
v = [float(x) for x in json.load(sys.stdin)]
f = [x for x in v if math.isfinite(x)]
json.dump([statistics.median(f[max(0, i - 10):i + 11]) for i in range(len(f))], sys.stdout)`,
    raw.values.map((v) => (Number.isFinite(v) ? v : String(v))),
  );
  const smooth = series[0].smooth.filter((_, i) => Number.isFinite(raw.values[i]));
  expected.forEach((v, i) => assert.ok(close(smooth[i], v, 1e-6), `point ${i}`));
});

test("11: group mean, deviation, error and confidence equal Python's, with ragged lengths and missing runs", async () => {
  const sample = runs.slice(0, 7);
  const all = await Promise.all(
    sample.map((r) =>
      rawSeries(server.url, r, "val/loss").catch(() => ({ steps: [], values: [] })),
    ),
  );
  const name = all.some((s) => s.steps.length) ? "val/loss" : key;
  const data =
    name === "val/loss" ? all : await Promise.all(sample.map((r) => rawSeries(server.url, r, key)));
  for (const band of ["std", "sem", "ci95", "minmax"]) {
    const { series } = await query(server.url, {
      runs: sample,
      keys: [name],
      x: { axis: "step" },
      width: 8000,
      group: { by: [], center: "mean", band },
    });
    assert.equal(series.length, 1);
    const expected = await python(
      `
import json, sys, statistics, math
d = json.load(sys.stdin); band = d["band"]
t = {1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 5: 2.57058, 6: 2.44691, 7: 2.36462}
at = {}
for s in d["series"]:
    for x, v in zip(s["steps"], s["values"]):
        v = float(v)
        if math.isfinite(v): at.setdefault(x, []).append(v)
out = []
for x in sorted(at):
    v = at[x]; n = len(v); m = math.fsum(v) / n
    sd = statistics.stdev(v) if n > 1 else 0.0
    h = {"std": sd, "sem": sd / math.sqrt(n), "ci95": t.get(n - 1, 0) * sd / math.sqrt(n), "minmax": 0}[band]
    out.append([x, n, m, min(v) if band == "minmax" else m - h, max(v) if band == "minmax" else m + h])
json.dump(out, sys.stdout)`,
      {
        band,
        series: data.map((s) => ({
          steps: s.steps,
          values: s.values.map((v) => (Number.isFinite(v) ? v : String(v))),
        })),
      },
    );
    const s = series[0];
    assert.equal(s.mean.length, expected.length, `${band}: one bin per distinct step`);
    assert.ok(
      new Set(s.runs).size > 1 || data.every((d) => d.steps.length === data[0].steps.length),
      "ragged ends have fewer runs",
    );
    expected.forEach(([x, n, mean, low, high], i) => {
      assert.equal(s.edges[i], x);
      assert.equal(s.runs[i], n);
      assert.ok(
        close(s.mean[i], mean, 1e-6) && close(s.low[i], low, 1e-4) && close(s.high[i], high, 1e-4),
        `${band} at ${x}: ${[s.mean[i], s.low[i], s.high[i]]} for ${[mean, low, high]}`,
      );
    });
  }
});

test("range statistics equal Python's", async () => {
  const from = raw.steps[10],
    to = raw.steps[400];
  const { stats } = await postJson(server.url, "series:stats", {
    series: [{ run: run(), key }],
    x: { axis: "step", from, to },
  });
  const expected = await python(
    `
import json, sys, statistics, math
d = json.load(sys.stdin)
p = [(x, float(v)) for x, v in zip(d["steps"], d["values"]) if d["from"] <= x <= d["to"] and math.isfinite(float(v))]
v = [b for a, b in p]; xs = [a for a, b in p]
json.dump({"count": len(v), "min": min(v), "max": max(v), "mean": math.fsum(v)/len(v), "std": statistics.stdev(v), "slope": statistics.linear_regression(xs, v).slope}, sys.stdout)`,
    {
      steps: raw.steps,
      values: raw.values.map((v) => (Number.isFinite(v) ? v : String(v))),
      from,
      to,
    },
  );
  for (const [name, value] of Object.entries(expected))
    assert.ok(close(stats[0][name], value, 1e-9), `${name}: ${stats[0][name]} for ${value}`);
});

test("20: the CSV has every raw point once, NaN and infinities included", async () => {
  const { points } = await postJson(server.url, "series:points", {
    series: [{ run: run(), key }],
    x: { axis: "step" },
    at: raw.steps[123],
  });
  assert.equal(points[0].step, raw.steps[123]);
  assert.equal(points[0].value, raw.values[123]);
  const detail = await getJson(server.url, `run?run=${encodeURIComponent(run())}`);
  assert.equal(detail.series.find((s) => s.key === key).count, raw.values.length);
});
