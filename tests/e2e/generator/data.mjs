// The runs that the browser tests look at, made from seeds: the same every time.
import { entriesOf } from "./entries.mjs";
import { glbCube, keep, plyCloud, png, sphereArrays } from "./files.mjs";
import { nameOf, normal, random } from "./random.mjs";

const epochStart = Date.UTC(2026, 9, 1, 8, 0, 0);

/**
 * A scalar series; values are made on first use so that a thousand runs cost nothing until they are
 * looked at.
 */
class Series {
  constructor(make, { stride = 1, first = 0, start = epochStart, perStep = 200 } = {}) {
    this.make = make;
    this.stride = stride;
    this.first = first;
    this.start = start;
    this.perStep = perStep;
  }
  get value() {
    return (this.values ??= this.make());
  }
  step(i) {
    return this.first + i * this.stride;
  }
  time(i) {
    return this.start + (this.first + i * this.stride) * this.perStep;
  }
  append(v) {
    const grown = new Float64Array(this.value.length + v.length);
    grown.set(this.value);
    grown.set(v, this.value.length);
    this.values = grown;
  }
}

class Run {
  constructor(fields) {
    Object.assign(
      this,
      {
        project: "digits",
        group: "",
        job_type: "train",
        state: "finished",
        attempts: 1,
        world_size: 1,
        tags: [],
        notes: "",
        color: "",
        archived: false,
        deleted: false,
        source: "taffrail",
        root: "main",
        message: "",
        config: [],
        summary: [],
        environment: [],
        console: [],
        alerts: [],
        artifacts: [],
      },
      fields,
    );
    this.series = new Map();
    this.entries = new Map();
  }
}

function curve(seed, n, { from = 2.3, to = 0.2, rate = 6, noise = 0.05, spike = null, nan = [] }) {
  return () => {
    const g = normal(random(seed));
    const out = new Float64Array(n);
    for (let i = 0; i < n; i++)
      out[i] =
        to + (from - to) * Math.exp((-rate * i) / n) + noise * g() * (0.3 + Math.exp((-3 * i) / n));
    if (spike) out[Math.min(n - 1, spike.at)] = spike.value;
    for (const [i, v] of nan) if (i < n) out[i] = v;
    return out;
  };
}

function digits(count, points) {
  const runs = [];
  for (let i = 0; i < count; i++) {
    const next = random(1000 + i);
    const lr = [1e-4, 3e-4, 1e-3, 3e-3][i % 4];
    const depth = 2 + (i % 3) * 2;
    const model = ["resnet50", "vit-b", "vae"][i % 3];
    const live = i >= count - 2;
    const n = live ? Math.floor(points * 0.7) : i === 3 ? Math.floor(points * 0.4) : points;
    const start = epochStart + i * 3.7e6;
    const options = { start, perStep: 180 + 60 * next() };
    const end = start + n * options.perStep;
    const final =
      0.12 + Math.abs(Math.log10(lr / 6e-4)) * 0.08 + (depth === 4 ? 0 : 0.05) + 0.02 * next();
    const run = new Run({
      id: `r${String(i).padStart(3, "0")}`,
      name: nameOf(i),
      group: model,
      start_ms: start,
      end_ms: end,
      state: live ? "running" : i === 3 ? "failed" : i === 7 ? "crashed" : "finished",
      attempts: i === 5 ? 2 : 1,
      tags: [i % 2 ? "baseline" : "ablation", ...(i % 5 === 0 ? ["good"] : [])],
      message: i === 3 ? "loss became NaN at step 799: ValueError in train.py line 88" : "",
      world_size: i % 4 === 0 ? 2 : 1,
      notes:
        i === 0 ? "First run with the **new** loader.\n\n- warm-up 100 steps\n- cosine decay" : "",
      config: [
        ["lr", lr],
        ["depth", depth],
        ["model", model],
        ["batch_size", [64, 128][i % 2]],
        ["optimizer", i % 3 ? "adamw" : "sgd"],
        ["dropout", Math.round(next() * 50) / 100],
        ["weight_decay", 10 ** (-5 + (i % 4))],
        ["seed", i],
        ["data/name", "digits"],
        ["data/augment", i % 2 === 0],
        ["scheduler", i % 5 === 0 ? null : "cosine"],
      ],
    });
    const add = (key, make, more) => run.series.set(key, new Series(make, { ...options, ...more }));
    const odd =
      i === 1
        ? [
            [400, NaN],
            [401, NaN],
            [900, Infinity],
            [1200, NaN],
            [1202, NaN],
          ]
        : [];
    add(
      "train/loss",
      curve(i * 17 + 1, n, {
        to: final * 0.8,
        noise: 0.08,
        spike: i === 2 ? { at: Math.floor(n * 0.617), value: 3.1 } : null,
        nan: odd,
      }),
    );
    add("train/accuracy", curve(i * 17 + 2, n, { from: 0.1, to: 1 - final, noise: 0.02 }));
    add("train/grad_norm", curve(i * 17 + 3, n, { from: 12, to: 0.6, noise: 0.8 }));
    add("train/lr", () =>
      Float64Array.from(
        { length: n },
        (_, k) => lr * Math.min(1, k / 100) * 0.5 * (1 + Math.cos((Math.PI * k) / points)),
      ),
    );
    add("train/tokens_per_second", curve(i * 17 + 4, n, { from: 9000, to: 12000, noise: 300 }));
    add("train/kl", curve(i * 17 + 11, n, { from: 0.01, to: 18, noise: 0.3 }));
    add("val/loss", curve(i * 17 + 5, Math.ceil(n / 50), { to: final, noise: 0.02 }), {
      stride: 50,
    });
    add(
      "val/accuracy",
      curve(i * 17 + 6, Math.ceil(n / 50), { from: 0.15, to: 0.985 - final, noise: 0.01 }),
      { stride: 50 },
    );
    add(
      "val/f1",
      curve(i * 17 + 7, Math.ceil(n / 50), { from: 0.12, to: 0.96 - final, noise: 0.012 }),
      { stride: 50 },
    );
    add("test/accuracy", () => Float64Array.of(0.98 - final), { stride: 1, first: n - 1 });
    add("time/step_ms", curve(i * 17 + 8, n, { from: 220, to: 180, noise: 12 }));
    add("time/data_ms", curve(i * 17 + 9, n, { from: 40, to: 22, noise: 6 }));
    for (let g = 0; g < run.world_size * 2; g++) {
      const idle = (k) => (Math.floor(k / 40) % 7 === (g + 3) % 7 ? 0.25 : 1);
      const m = Math.ceil(n / 10);
      const noise = normal(random(i * 91 + g));
      // Two GPUs a machine; a run on several machines names them.
      const gpu =
        run.world_size > 1 ? `system/n${17 + Math.floor(g / 2)}/gpu/${g % 2}` : `system/gpu/${g}`;
      add(
        `${gpu}/percent`,
        () =>
          Float64Array.from({ length: m }, (_, k) =>
            Math.max(0, Math.min(100, (88 + 8 * noise()) * idle(k))),
          ),
        { stride: 10 },
      );
      add(
        `${gpu}/memory_percent`,
        () => Float64Array.from({ length: m }, (_, k) => Math.min(78, 30 + k) + noise()),
        { stride: 10 },
      );
      add(
        `${gpu}/power_watts`,
        () => Float64Array.from({ length: m }, (_, k) => 300 * idle(k) + 20 * noise()),
        { stride: 10 },
      );
      add(
        `${gpu}/temperature_celsius`,
        () =>
          Float64Array.from({ length: m }, (_, k) => 40 + 30 * (1 - Math.exp(-k / 30)) + noise()),
        { stride: 10 },
      );
    }
    for (const [name, base, spread] of [
      ["cpu/percent", 45, 12],
      ["memory/percent", 62, 2],
      ["disk/read_bytes_per_second", 4e7, 1e7],
      ["network/sent_bytes_per_second", 2e6, 8e5],
      ["process/threads", 34, 1],
    ])
      for (let h = 0; h < run.world_size; h++)
        add(
          run.world_size > 1 ? `system/n${17 + h}/${name}` : `system/${name}`,
          curve(i * 31 + name.length + 7 + h * 1009, Math.ceil(n / 10), {
            from: base,
            to: base,
            noise: spread,
          }),
          { stride: 10 },
        );
    if (i === 5) {
      const s = run.series.get("train/loss");
      const old = new Series(curve(999, Math.floor(n * 0.6), { to: 0.5, noise: 0.1 }), options);
      s.attempts = [
        { attempt: 1, current: true, series: s },
        { attempt: 0, current: false, series: old },
      ];
    }
    run.summary = [
      ["best/accuracy", Math.round((0.99 - final) * 1e4) / 1e4],
      ["epochs", Math.floor(n / 100)],
    ];
    run.environment = [
      ["host/name", `n${17 + (i % 3)}`],
      ["host/cpu", "AMD EPYC 7763 64-Core"],
      ["host/memory_gb", 503],
      ["gpu/0/name", "NVIDIA H100 80GB"],
      ["gpu/count", run.world_size * 2],
      ["cuda/version", i % 4 === 3 ? "12.6" : "12.4"],
      ["python/version", "3.11.7"],
      [
        "git/commit",
        "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334".replace("a1b2", (4096 + i * 37).toString(16)),
      ],
      ["git/dirty", i % 2 === 0],
      ["git/branch", "main"],
      [
        "git/diff",
        i % 2 === 0
          ? `diff --git a/train.py b/train.py\n--- a/train.py\n+++ b/train.py\n@@ -12,3 +12,4 @@ def main():\n     model = build(config)\n-    lr = 1e-3\n+    lr = ${lr}\n+    depth = ${depth}\n     train(model)\n`
          : "",
      ],
      ["command", `python train.py --lr ${lr} --depth ${depth}`],
      ["packages/numpy", "1.26.4"],
      ["packages/torch", i % 4 === 3 ? "2.4.0" : "2.3.1"],
      ["packages/taffrail", "0.1.0"],
    ];
    run.console = Array.from({ length: 2400 }, (_, k) => ({
      line: k,
      time_ms: start + k * 150,
      error: k % 97 === 0,
      rank: k % run.world_size,
      text:
        k % 97 === 0
          ? `\u001b[33mwarning\u001b[0m: data loader waited ${(k * 7) % 90} ms`
          : `\u001b[2m[${String(k).padStart(5, "0")}]\u001b[0m epoch ${Math.floor(k / 100)} step ${k} \u001b[1mloss\u001b[0m \u001b[32m${(2.3 * Math.exp(-k / 700) + 0.2).toFixed(4)}\u001b[0m`,
    }));
    if (i === 3)
      run.alerts.push({
        level: "error",
        title: "Loss is NaN",
        text: "train/loss became NaN at step 799; the last finite value was 0.83.",
        step: 799,
        time_ms: end,
      });
    if (i % 6 === 0)
      run.alerts.push({
        level: "warning",
        title: "Slow data loader",
        text: "38 ms per step are spent waiting for data.",
        step: 240,
        time_ms: start + 5e4,
      });
    entriesOf(run, i, n, options);
    runs.push(run);
  }
  return runs;
}

function thousand(count, points, project) {
  return Array.from({ length: count }, (_, i) => {
    const next = random(50000 + i);
    const lr = 10 ** (-5 + 3 * next());
    const width = [64, 128, 256, 512][i % 4];
    const run = new Run({
      id: `${project}-${String(i).padStart(5, "0")}`,
      project,
      name: nameOf(i),
      group: `w${width}`,
      start_ms: epochStart + i * 6e4,
      end_ms: epochStart + i * 6e4 + points * 100,
      config: [
        ["lr", lr],
        ["width", width],
        ["seed", i],
        ["momentum", Math.round(next() * 100) / 100],
      ],
      tags: i % 10 === 0 ? ["baseline"] : [],
    });
    const quality = 0.2 + Math.abs(Math.log10(lr) + 3.4) * 0.2 + 0.05 * next();
    ["train/loss", "val/loss", "train/accuracy", "train/grad_norm"].forEach((key, k) =>
      run.series.set(
        key,
        new Series(
          curve(i * 7 + k, points, {
            from: 2.3 + next(),
            to: quality,
            rate: 3 + 6 * next(),
            noise: 0.06,
          }),
          { start: run.start_ms, perStep: 100 },
        ),
      ),
    );
    return run;
  });
}

function manyTags(tags) {
  return Array.from({ length: 3 }, (_, i) => {
    const run = new Run({
      id: `tags-${i}`,
      project: "many-metrics",
      name: nameOf(i),
      start_ms: epochStart,
      end_ms: epochStart + 1e6,
      config: [["lr", 1e-3 * (i + 1)]],
    });
    for (let k = 0; k < tags; k++)
      run.series.set(
        `layer${String(Math.floor(k / 20)).padStart(3, "0")}/metric_${String(k).padStart(4, "0")}`,
        new Series(curve(i * 100003 + k, 100, {}), { start: epochStart }),
      );
    return run;
  });
}

function big(points) {
  const run = new Run({
    id: "big-0",
    project: "big",
    name: "ten-million",
    start_ms: epochStart,
    end_ms: epochStart + points,
    config: [["lr", 1e-3]],
  });
  const at = Math.floor(points * 0.6180339);
  run.spikeAt = at;
  run.series.set(
    "noise",
    new Series(
      () => {
        const out = new Float64Array(points);
        let s = 12345;
        for (let i = 0; i < points; i++) {
          s = (Math.imul(s, 1664525) + 1013904223) | 0;
          out[i] = Math.sin(i / (points / 20)) + (s >>> 8) / 33554432;
        }
        out[at] = 9.87654321;
        return out;
      },
      { start: epochStart, perStep: 1 },
    ),
  );
  run.series.set(
    "constant",
    new Series(() => new Float64Array(1000).fill(0.3), { start: epochStart, perStep: 1 }),
  );
  return [run];
}

function hostile() {
  const evil = '<img src=x onerror="window.__pwned=1">';
  const run = new Run({
    id: "evil/../1",
    project: "hostile",
    name: evil,
    group: "<script>window.__pwned=2</script>",
    start_ms: epochStart,
    end_ms: epochStart + 1e5,
    tags: [evil, "=cmd|' /C calc'!A0"],
    notes: `[click](javascript:window.__pwned=3) ${evil} <svg onload="window.__pwned=4"></svg>`,
    config: [
      ["path", "\u202egnp.exe"],
      [evil, "javascript:alert(1)"],
    ],
    message: evil,
  });
  run.series.set(evil, new Series(curve(1, 50, {}), { start: epochStart }));
  run.series.set("=SUM(A1)", new Series(curve(2, 50, {}), { start: epochStart }));
  run.console = [
    {
      line: 0,
      time_ms: epochStart,
      error: false,
      rank: 0,
      text: evil + "\u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007",
    },
  ];
  run.environment = [["command", evil]];
  run.entries.set("text", {
    kind: "text",
    list: [
      {
        step: 0,
        time_ms: epochStart,
        value: {
          kind: "text",
          plain: false,
          text: `# ${evil}\n\n<iframe src="javascript:window.__pwned=5"></iframe>\n\n[x](javascript:window.__pwned=6)`,
        },
      },
    ],
  });
  run.entries.set("table", {
    kind: "table",
    list: [
      {
        step: 0,
        time_ms: epochStart,
        value: { kind: "table", columns: [evil, "b"], rows: [[evil, "=1+1"]] },
      },
    ],
  });
  run.entries.set("figure", {
    kind: "figure",
    list: [
      {
        step: 0,
        time_ms: epochStart,
        value: {
          kind: "figure",
          plotly: JSON.stringify({
            data: [{ type: "scatter", x: [1, 2], y: [1, 2], name: evil }],
            layout: { title: { text: evil } },
          }),
        },
      },
    ],
  });
  return [run];
}

function images(count) {
  const run = new Run({
    id: "images-0",
    project: "images",
    name: nameOf(3),
    start_ms: epochStart,
    end_ms: epochStart + count * 1000,
  });
  const made = new Map();
  run.entries.set("frames", {
    kind: "image",
    list: Array.from({ length: count }, (_, i) => ({
      step: i * 10,
      time_ms: epochStart + i * 1000,
      items: 1,
      // The number of the entry is written into the picture as bits, so that a test can read which
      // one is on show.
      make: () =>
        made.get(i) ??
        (made.set(i, {
          kind: "image",
          format: "png",
          dtype: "u8",
          width: 64,
          height: 64,
          channels: 3,
          images: [
            keep(
              png(64, 64, (x, y) =>
                y < 32
                  ? (i >> Math.floor(x / 4)) & 1
                    ? [255, 255, 255]
                    : [0, 0, 0]
                  : [x * 4, y * 4, (i * 7) & 255],
              ),
            ),
          ],
          captions: [],
        }),
        made.get(i)),
    })),
  });
  return [run];
}

function meshes(points) {
  const run = new Run({
    id: "meshes-0",
    project: "meshes",
    name: nameOf(4),
    start_ms: epochStart,
    end_ms: epochStart + 1000,
  });
  const add = (key, make) =>
    run.entries.set(key, {
      kind: "mesh",
      list: [{ step: 0, time_ms: epochStart, items: 1, make }],
    });
  add("cloud", () => ({
    kind: "mesh",
    format: "ply",
    vertices: points,
    faces: 0,
    has_colors: true,
    has_normals: false,
    config: "",
    data: keep(plyCloud(points, 5)),
  }));
  add("cube", () => ({
    kind: "mesh",
    format: "glb",
    vertices: 8,
    faces: 12,
    has_colors: false,
    has_normals: false,
    config: "",
    data: keep(glbCube()),
  }));
  for (let k = 0; k < 38; k++) {
    add(`small/${String(k).padStart(2, "0")}`, () => {
      const m = sphereArrays(10, k / 80);
      return {
        kind: "mesh",
        format: "arrays",
        vertices: m.vertices,
        faces: m.faces,
        has_colors: true,
        has_normals: false,
        config: "",
        data: keep(m.bytes),
      };
    });
  }
  return [run];
}

/**
 * A sweep with every kind of parameter: over decades, over a narrow range, words, and some that
 * runs lack.
 */
function oddParameters() {
  return Array.from({ length: 12 }, (_, i) => {
    const run = new Run({
      id: `param${String(i).padStart(2, "0")}`,
      project: "parameters",
      name: nameOf(i),
      start_ms: epochStart + i * 1e5,
      end_ms: epochStart + i * 1e5 + 1e4,
    });
    run.config = [
      ["rate", 10 ** -(1 + (i % 6))],
      ["width", 16 + 16 * (i % 5)],
      ["optimizer", ["adam", "lion", "sgd"][i % 3]],
    ];
    if (i % 3) run.config.push(["warmup", 100 * (1 + (i % 4))]);
    if (i % 4) run.config.push(["augment", i % 2 ? "crop" : "flip"]);
    run.series.set(
      "val/loss",
      new Series(curve(i, 20, { to: 0.1 + 0.05 * (i % 6) }), { start: run.start_ms }),
    );
    return run;
  });
}

/**
 * Runs of the named scenarios: demo, parameters, thousand, many, big, figures, bare, images,
 * meshes, hostile.
 */
export function makeRuns(scenarios, options = {}) {
  const runs = [];
  for (const s of scenarios) {
    if (s === "demo") runs.push(...digits(options.runs ?? 20, options.points ?? 2000));
    if (s === "parameters") runs.push(...oddParameters());
    if (s === "thousand")
      runs.push(...thousand(options.runs ?? 1000, options.points ?? 10000, "sweep"));
    if (s === "many") runs.push(...manyTags(options.tags ?? 5000));
    if (s === "big") runs.push(...big(options.points ?? 1e7));
    if (s === "figures") {
      const run = new Run({
        id: "figures-0",
        project: "figures",
        name: nameOf(8),
        start_ms: epochStart,
        end_ms: epochStart + 1e4,
      });
      const x = [1, 2, 3, 4, 5],
        y = [2, 4, 3, 5, 1];
      const traces = {
        scatter: { type: "scatter", mode: "markers", x, y },
        line: { type: "scatter", mode: "lines", x, y },
        bar: { type: "bar", x: ["a", "b", "c", "d", "e"], y },
        heatmap: {
          type: "heatmap",
          z: [
            [1, 2],
            [3, 4],
          ],
        },
        histogram: { type: "histogram", x: [1, 1, 2, 3, 3, 3, 4] },
        sunburst: { type: "sunburst", labels: ["a"] },
        treemap: { type: "treemap", labels: ["a"] },
      };
      for (const [key, trace] of Object.entries(traces))
        run.entries.set(key, {
          kind: "figure",
          list: [
            {
              step: 0,
              time_ms: epochStart,
              value: {
                kind: "figure",
                plotly: JSON.stringify({ data: [trace] }),
                picture:
                  key === "sunburst"
                    ? keep(png(80, 60, (px, py) => [px * 3, py * 4, 120]))
                    : undefined,
              },
            },
          ],
        });
      runs.push(run);
    }
    if (s === "bare") {
      const run = new Run({
        id: "bare-0",
        project: "bare",
        name: nameOf(6),
        start_ms: epochStart,
        end_ms: epochStart + 4e4,
      });
      run.series.set("loss", new Series(curve(4, 200, {}), { start: epochStart }));
      runs.push(run);
    }
    if (s === "images") runs.push(...images(options.images ?? 5000));
    if (s === "meshes") runs.push(...meshes(options.points ?? 1e6));
    if (s === "hostile") runs.push(...hostile());
  }
  return runs;
}
export { Run, Series };
