// The JSON resources of docs/api/resources.md over the stand-in runs.
import { createHash } from "node:crypto";
import { makeRuns } from "./data.mjs";
import { parseFilter } from "./filter.mjs";
import { chartFrame, onAxis } from "./frames.mjs";
import { histogramSeries } from "./histograms.mjs";
import { smooth } from "./smoothing.mjs";

const float = (v) => (Number.isFinite(v) ? v : Number.isNaN(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
const cells = (pairs) => pairs.map(([name, value]) => ({ name, value }));
const problem = (status, message) => Object.assign(new Error(message), { status });

function summary(series) {
  if (series.cachedSummary?.count === series.value.length) return series.cachedSummary;
  const y = series.value;
  let min = Infinity, max = -Infinity, sum = 0, finite = 0, nan = 0;
  for (const v of y) {
    if (Number.isNaN(v)) nan++;
    else if (Number.isFinite(v)) (min = Math.min(min, v)), (max = Math.max(max, v)), (sum += v), finite++;
  }
  const n = y.length;
  return (series.cachedSummary = { count: n, nan_count: nan, min: float(min), max: float(max), mean: float(sum / finite), last: float(y[n - 1]), first: float(y[0]), first_step: series.step(0), last_step: series.step(n - 1), first_ms: series.time(0), last_ms: series.time(n - 1) });
}

export class Catalogue {
  constructor(scenarios, options) {
    this.runs = makeRuns(scenarios, options).sort((a, b) => b.start_ms - a.start_ms);
    this.byId = new Map(this.runs.map((r) => [r.id, r]));
    this.revision = 1;
    this.views = [];
    this.settings = {};
    this.states = new Map();
    this.tickets = new Map();
    this.publish = () => {};
  }

  run(id) {
    const run = this.byId.get(id);
    if (!run) throw problem(404, `no run ${id}`);
    return run;
  }

  column(run, id) {
    if (["name", "group", "job_type", "state", "start_ms", "end_ms"].includes(id)) return run[id];
    if (id === "tags") return run.tags.join(", ");
    if (id === "duration_ms") return run.end_ms - run.start_ms;
    const at = id.indexOf(":");
    const family = id.slice(0, at);
    const key = id.slice(at + 1);
    const find = (list) => list.find(([name]) => name === key)?.[1] ?? null;
    if (family === "config") return find(run.config);
    if (family === "summary") return find(run.summary);
    if (family === "environment") return find(run.environment);
    const series = run.series.get(key);
    if (!series) return null;
    const what = family.split(".")[1] ?? "last";
    return summary(series)[what] ?? null;
  }

  columnsOf(runs) {
    const found = new Map();
    const see = (id, value) => {
      if (!found.has(id)) found.set(id, { values: new Set(), present: 0, types: new Set(), min: Infinity, max: -Infinity });
      const c = found.get(id);
      c.present++;
      if (c.values.size < 100) c.values.add(value);
      c.types.add(typeof value);
      if (typeof value === "number") (c.min = Math.min(c.min, value)), (c.max = Math.max(c.max, value));
    };
    for (const run of runs) {
      for (const [k, v] of run.config) if (v !== null) see("config:" + k, v);
      for (const [k, v] of run.summary) see("summary:" + k, v);
      for (const [k, v] of run.environment) if (k !== "git/diff") see("environment:" + k, v);
      if (runs.length <= 50) for (const [k, s] of run.series) see("metric:" + k, summary(s).last);
      else for (const k of run.series.keys()) see("metric:" + k, Math.random());
    }
    const list = [...found].map(([id, c]) => ({ id, type: c.types.size > 1 ? "mixed" : [...c.types][0] === "number" ? "number" : [...c.types][0] === "boolean" ? "boolean" : "string", present: c.present, distinct: c.values.size, ...(c.min <= c.max && { min: c.min, max: c.max }) }));
    const differs = (c) => c.distinct > 1 || c.present < runs.length;
    return list.sort((a, b) => differs(b) - differs(a) || (a.id < b.id ? -1 : 1));
  }

  query(q) {
    const keep = (mode, flag) => (mode === "only" ? flag : mode === "include" ? true : !flag);
    const all = this.runs.filter((r) => (!q.project || r.project === q.project) && keep(q.archived, r.archived) && keep(q.deleted, r.deleted) && (!q.runs || q.runs.includes(r.id)));
    const accept = parseFilter(q.filter ?? "");
    const get = (run) => (name) => {
      if (name === "tag" || name === "tags") return run.tags;
      if (name in run && typeof run[name] !== "object") return run[name];
      for (const family of ["config", "summary", "metric", "environment"]) {
        const v = this.column(run, family + ":" + name);
        if (v !== null) return v;
      }
      return this.column(run, name.includes(":") ? name : "config:" + name);
    };
    let list = all.filter((r) => accept(get(r)));
    for (const { column, descending } of (q.sort ?? []).slice().reverse()) {
      const value = new Map(list.map((r) => [r, this.column(r, column)]));
      const rank = (v) => (v === null || v === "NaN" ? 1 : 0);
      list = list.slice().sort((a, b) => {
        const x = value.get(a), y = value.get(b);
        return rank(x) - rank(y) || (x < y ? -1 : x > y ? 1 : 0) * (descending ? -1 : 1);
      });
    }
    const matched = list;
    list = list.slice(q.offset ?? 0, q.limit === undefined ? undefined : (q.offset ?? 0) + q.limit);
    const fields = ["id", "name", "project", "group", "job_type", "state", "start_ms", "end_ms", "attempts", "world_size", "tags", "notes", "color", "archived", "deleted", "source", "root", "message"];
    return {
      revision: this.revision, total: all.length, matched: matched.length, offset: q.offset ?? 0,
      runs: Object.fromEntries(fields.map((f) => [f, list.map((r) => r[f])])),
      values: Object.fromEntries((q.columns ?? []).map((id) => [id, list.map((r) => this.column(r, id))])),
      ...(q.directory !== false && { columns: this.columnsOf(matched) }),
    };
  }

  keys(runs) {
    const found = new Map();
    for (const run of runs) {
      for (const [key, s] of run.series) {
        const k = found.get(key) ?? { key, kind: "scalar", runs: 0, points: 0, first_step: Infinity, last_step: -Infinity };
        k.runs++;
        if (s.values || runs.length <= 50) {
          const n = s.value.length;
          k.points += n;
          k.first_step = Math.min(k.first_step, s.step(0));
          k.last_step = Math.max(k.last_step, s.step(n - 1));
          if (runs.length <= 50 && run.series.size < 200) {
            const { min, max } = summary(s);
            if (typeof min === "number") (k.min = Math.min(k.min ?? Infinity, min)), (k.max = Math.max(k.max ?? -Infinity, max));
          }
        }
        found.set(key, k);
      }
      for (const [key, e] of run.entries) {
        const k = found.get(key) ?? { key, kind: e.kind, runs: 0, points: 0, first_step: Infinity, last_step: -Infinity };
        k.runs++;
        k.points += e.list.length;
        k.first_step = Math.min(k.first_step, e.list[0].step);
        k.last_step = Math.max(k.last_step, e.list[e.list.length - 1].step);
        found.set(key, k);
      }
    }
    return [...found.values()].map((k) => ({ ...k, first_step: Number.isFinite(k.first_step) ? k.first_step : 0, last_step: Number.isFinite(k.last_step) ? k.last_step : 0 })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  get(name, query) {
    const run = () => this.run(query.get("run"));
    switch (name) {
      case "projects": {
        const projects = new Map();
        for (const r of this.runs.filter((r) => !r.deleted)) {
          const p = projects.get(r.project) ?? { name: r.project, runs: 0, running: 0, failed: 0, first_ms: Infinity, last_ms: 0, roots: ["main"], recent: [] };
          p.runs++;
          p.running += r.state === "running";
          p.failed += r.state === "failed" || r.state === "crashed";
          p.first_ms = Math.min(p.first_ms, r.start_ms);
          p.last_ms = Math.max(p.last_ms, r.end_ms);
          if (p.recent.length < 5) p.recent.push(r.name);
          projects.set(r.project, p);
        }
        return { revision: this.revision, projects: [...projects.values()] };
      }
      case "keys": {
        const runs = query.get("run") ? [run()] : this.runs.filter((r) => !r.deleted && !r.archived && (!query.get("project") || r.project === query.get("project")));
        return { revision: this.revision, runs: runs.length, keys: this.keys(runs) };
      }
      case "run": {
        const r = run();
        const kinds = {};
        for (const e of r.entries.values()) kinds[e.kind] = (kinds[e.kind] ?? 0) + 1;
        kinds.scalar = r.series.size;
        const { series, entries, environment, console, artifacts, ...fields } = r;
        return { ...fields, revision: this.revision, location: `./taffrail/${r.id}`, attempts: Array.from({ length: r.attempts }, (_, i) => ({ attempt: i, start_ms: r.start_ms + i * 4e5, first_step: i * 1000, last_step: (i + 1) * 1000 })), config: cells(r.config), summary: cells(r.summary), series: [...r.series].map(([key, s]) => ({ key, ...summary(s) })), kinds, console_lines: r.console.length, damage: [] };
      }
      case "environment":
        return { cells: cells(run().environment) };
      case "files":
        return { artifacts: run().artifacts.map((a) => ({ ...a, metadata: cells(a.metadata) })) };
      case "console": {
        const lines = run().console;
        const total = lines.length;
        let first = Number(query.get("first") ?? 0);
        if (first < 0) first = Math.max(0, total + first);
        const text = query.get("search")?.toLowerCase();
        const matches = text ? lines.filter((l) => l.text.replace(/\u001b\[[0-9;]*m/g, "").toLowerCase().includes(text)).map((l) => l.line) : undefined;
        return { total, first, lines: lines.slice(first, first + Number(query.get("count") ?? 500)), ...(matches && { matches: matches.slice(0, 10000), matched: matches.length }) };
      }
      case "entries": {
        const key = query.get("key");
        const e = run().entries.get(key);
        if (!e) throw problem(404, `no key ${key}`);
        const first = Number(query.get("first") ?? 0);
        return { revision: this.revision, run: query.get("run"), key, kind: e.kind, total: e.list.length, first, entries: e.list.slice(first, first + Number(query.get("count") ?? 100)).map((v, i) => ({ index: first + i, step: v.step, time_ms: v.time_ms, attempt: 0, rank: 0, phase: "", value: v.value ?? v.make() })) };
      }
      case "views":
        return { views: this.views.filter((v) => !query.get("project") || v.project === query.get("project")) };
      case "settings":
        return this.settings;
      case "state":
        if (!this.states.has(query.get("hash"))) throw problem(404, "no such state");
        return { state: this.states.get(query.get("hash")) };
    }
  }

  post(name, body) {
    switch (name) {
      case "runs:query":
        return this.query(body);
      case "entries:index": {
        const series = [];
        for (const id of body.runs)
          for (const [key, e] of this.run(id).entries)
            if ((!body.keys || body.keys.includes(key)) && (!body.kinds || body.kinds.includes(e.kind)))
              series.push({ run: id, key, kind: e.kind, step: e.list.map((v) => v.step), time_ms: e.list.map((v) => v.time_ms), items: e.list.map((v) => v.items ?? 1) });
        return { revision: this.revision, series };
      }
      case "series:points":
        return { points: body.series.map(({ run: id, key }) => this.nearest(id, key, body)) };
      case "series:stats":
        return { stats: body.series.map(({ run: id, key }) => this.stats(id, key, body.x)) };
      case "histograms:query":
        return { revision: this.revision, series: histogramSeries(this, body) };
      case "exports": {
        const id = createHash("sha256").update(JSON.stringify(body) + this.revision).digest("hex").slice(0, 24);
        const file = body.what === "runs" ? { name: "runs.csv", text: () => this.runsCsv(body) } : { name: "series.csv", text: () => this.seriesCsv(body) };
        this.tickets.set(id, file);
        return { href: `api/v1/export?id=${id}`, name: file.name };
      }
      case "edits":
        return this.edit(body.edits);
      case "views:save": {
        this.views = this.views.filter((v) => v.name !== body.name || v.project !== body.project);
        this.views.push({ ...body, saved_ms: Date.now() });
        return this.views[this.views.length - 1];
      }
      case "views:delete":
        this.views = this.views.filter((v) => v.name !== body.name || v.project !== body.project);
        return { views: this.views };
      case "settings":
        for (const [k, v] of Object.entries(body)) if (v === null) delete this.settings[k];
        else this.settings[k] = v;
        return this.settings;
      case "states": {
        const hash = createHash("sha256").update(body.state).digest("hex").slice(0, 20);
        this.states.set(hash, body.state);
        return { hash };
      }
    }
  }

  nearest(id, key, { x: axis, at, smoothing }) {
    const run = this.byId.get(id);
    const series = run?.series.get(key) ?? (key.includes("${") ? run?.evaluate(key) : null);
    if (!series?.value.length) return null;
    const { x, y } = onAxis(run, series, axis);
    let best = 0;
    let low = 0, high = x.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (x[middle] < at) low = middle + 1;
      else high = middle;
    }
    best = low > 0 && at - x[low - 1] <= Math.abs(x[low] - at) ? low - 1 : low;
    return { step: series.step(best), time_ms: series.time(best), x: x[best], value: float(y[best]), ...(smoothing && smoothing.method !== "none" && { smooth: float(smooth(x, y, smoothing)[best]) }), attempt: 0, rank: 0 };
  }

  stats(id, key, axis) {
    const run = this.byId.get(id);
    const series = run?.series.get(key);
    if (!series) return null;
    const { x, y } = onAxis(run, series, axis);
    const px = [], py = [];
    let nan = 0;
    for (let i = 0; i < x.length; i++) {
      if (x[i] < (axis.from ?? -Infinity) || x[i] > (axis.to ?? Infinity)) continue;
      if (Number.isFinite(y[i])) px.push(x[i]), py.push(y[i]);
      else nan++;
    }
    const n = py.length;
    if (n === 0) return null;
    const mean = py.reduce((a, b) => a + b, 0) / n;
    const mx = px.reduce((a, b) => a + b, 0) / n;
    let sxx = 0, sxy = 0, syy = 0;
    for (let i = 0; i < n; i++) (sxx += (px[i] - mx) ** 2), (sxy += (px[i] - mx) * (py[i] - mean)), (syy += (py[i] - mean) ** 2);
    return { count: n, nan, min: Math.min(...py), max: Math.max(...py), mean, std: n > 1 ? Math.sqrt(syy / (n - 1)) : 0, first: py[0], last: py[n - 1], slope: sxx > 0 ? sxy / sxx : 0 };
  }

  edit(edits) {
    for (const e of edits) for (const id of e.runs) this.run(id);
    const inverse = [];
    const changed = new Set();
    for (const e of edits)
      for (const id of e.runs) {
        const run = this.run(id);
        const undo = { runs: [id] };
        const added = (e.add_tags ?? []).filter((t) => !run.tags.includes(t));
        const removed = (e.remove_tags ?? []).filter((t) => run.tags.includes(t));
        if (added.length) undo.remove_tags = added;
        if (removed.length) undo.add_tags = removed;
        run.tags = run.tags.filter((t) => !removed.includes(t)).concat(added);
        for (const field of ["name", "notes", "color", "archived", "deleted"])
          if (e[field] !== undefined && e[field] !== run[field]) (undo[field] = run[field]), (run[field] = e[field]);
        if (Object.keys(undo).length > 1) inverse.unshift(undo), changed.add(id);
      }
    this.revision++;
    this.publish("runs", { revision: this.revision, runs: [...changed] });
    return { revision: this.revision, changed: [...changed], inverse };
  }

  imageSha(query) {
    const entry = this.run(query.get("run")).entries.get(query.get("key"))?.list[Number(query.get("index"))];
    if (!entry) throw problem(404, "no such image");
    const value = entry.value ?? entry.make();
    return value.images[Number(query.get("item") ?? 0)].sha;
  }

  frame(chart) {
    return chartFrame(chart, this.byId, (run, column) => this.column(run, column), this.revision);
  }

  seriesCsv({ runs, keys, x }) {
    const quote = (v) => {
      let s = String(v);
      if (/^[=+\-@]/.test(s) && Number.isNaN(Number(s))) s = "'" + s;
      return /[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
    };
    const number = (v) => (Number.isNaN(v) ? "nan" : v === Infinity ? "inf" : v === -Infinity ? "-inf" : String(v));
    const out = ["run_id,run,key,step,time,epoch,samples,attempt,rank,value"];
    for (const id of runs) {
      const run = this.run(id);
      for (const [key, s] of run.series) {
        if (keys && !keys.includes(key)) continue;
        const on = onAxis(run, s, x ?? { axis: "step" });
        for (let i = 0; i < s.value.length; i++) {
          if (x && (on.x[i] < (x.from ?? -Infinity) || on.x[i] > (x.to ?? Infinity))) continue;
          out.push([quote(id), quote(run.name), quote(key), s.step(i), new Date(s.time(i)).toISOString().replace("Z", "000Z"), "", "", 0, 0, number(s.value[i])].join(","));
        }
      }
    }
    return out.join("\n") + "\n";
  }

  runsCsv({ runs, columns = [] }) {
    const quote = (v) => (v === null || v === undefined ? "" : /[",\n]/.test(String(v)) ? `"${String(v).replaceAll('"', '""')}"` : String(v));
    return [["id", "name", "state", ...columns].map(quote).join(","), ...runs.map((id) => [id, this.run(id).name, this.run(id).state, ...columns.map((c) => this.column(this.run(id), c))].map(quote).join(","))].join("\n") + "\n";
  }

  /** One tick of live training: every running run gains points. */
  grow(points = 5) {
    const grew = [];
    this.revision++;
    for (const run of this.runs) {
      if (run.state !== "running") continue;
      const keys = [], counts = [], last = [];
      for (const [key, s] of run.series) {
        if (s.stride !== 1 || s.value.length < 2) continue;
        const previous = s.value[s.value.length - 1];
        s.append(Float64Array.from({ length: points }, () => previous * (1 + 0.02 * (Math.random() - 0.5))));
        keys.push(key), counts.push(s.value.length), last.push(s.step(s.value.length - 1));
        run.end_ms = Math.max(run.end_ms, s.time(s.value.length - 1));
      }
      if (keys.length) grew.push({ run: run.id, keys, counts, last_step: last });
    }
    if (grew.length) this.publish("series", { revision: this.revision, grew });
  }
}
