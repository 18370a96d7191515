// Media, histograms, tables, figures, graphs, curves and embeddings of the demo runs.
import { frames, gif, keep, plyCloud, sphereArrays, strokes, wav } from "./files.mjs";
import { normal, random } from "./random.mjs";

const lazy = (make) => {
  let value;
  return () => (value ??= make());
};

export function entriesOf(run, i, n, { start, perStep }) {
  const put = (key, kind, steps, make) =>
    run.entries.set(key, {
      kind,
      list: steps.map((step, k) => ({
        step,
        time_ms: start + step * perStep,
        items: kind === "image" && key === "samples" ? 2 : 1,
        make: lazy(() => make(step, k)),
      })),
    });
  const every = (stride) =>
    Array.from({ length: Math.max(1, Math.floor(n / stride)) }, (_, k) => k * stride);
  const image = (seed, q, captions) => ({
    kind: "image",
    format: "png",
    dtype: "u8",
    width: 120,
    height: 120,
    channels: 3,
    images: captions.map((_, k) => keep(strokes(seed + k, q))),
    captions,
  });
  put("reconstruction", "image", every(100), (step) =>
    image(3, Math.min(1, step / n + 0.02), [`step ${step}`]),
  );
  put("target", "image", every(100), () => image(3, 1, ["target"]));
  if (i < 6)
    put("samples", "image", every(200), (step) =>
      image(i * 5 + 40, Math.min(1, step / n + 0.05), ["prior", "posterior"]),
    );
  if (i < 4) {
    put("speech", "audio", every(500), (step) => ({
      kind: "audio",
      format: "wav",
      sample_rate: 16000,
      channels: 1,
      frames: 16000,
      data: keep(wav(1, 220 + i * 60 + step / 10)),
      caption: "tone",
    }));
    put("rollout", "video", every(500), (step) => ({
      kind: "video",
      format: "frames",
      width: 96,
      height: 64,
      frames: 24,
      channels: 3,
      frames_per_second: 12,
      data: keep(frames(24, 96, 64, step / 300)),
      caption: "policy",
    }));
    put("clip", "video", every(500), () => ({
      kind: "video",
      format: "gif",
      width: 32,
      height: 32,
      frames: 6,
      channels: 3,
      frames_per_second: 12,
      data: keep(gif(6)),
      caption: "loop",
    }));
    put("shape", "mesh", every(500), (step) => {
      const m = sphereArrays(24, 0.3 * (1 - step / n));
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
    put("scan", "mesh", every(1000), (step) => ({
      kind: "mesh",
      format: "ply",
      vertices: 20000,
      faces: 0,
      has_colors: true,
      has_normals: false,
      config: "",
      data: keep(plyCloud(20000, step + 3)),
    }));
    put("notes", "text", every(400), (step) => ({
      kind: "text",
      plain: false,
      text: `### Sample at step ${step}\n\nThe model says: *the ${["fox", "owl", "elk"][i % 3]} runs*.\n\n| token | p |\n| --- | --- |\n| the | 0.91 |\n| fox | 0.${40 + i} |\n\nInline maths: $\\mathcal{L} = \\frac{1}{n}\\sum_i (y_i - \\hat y_i)^2$`,
    }));
    put("predictions", "table", every(500), (step) => ({
      kind: "table",
      columns: ["id", "label", "prediction", "score"],
      rows: Array.from({ length: 40 }, (_, k) => [
        k,
        k % 10,
        (k * 7 + (step < 1000 ? k % 3 : 0)) % 10,
        Math.round(1e4 * Math.abs(Math.sin(k + step))) / 1e4,
      ]),
    }));
    put("confusion", "figure", every(500), () => ({
      kind: "figure",
      plotly: JSON.stringify({
        data: [
          {
            type: "heatmap",
            z: Array.from({ length: 10 }, (_, r) =>
              Array.from({ length: 10 }, (_, c) => (r === c ? 90 : (r * c * 7) % 9)),
            ),
            x: [..."0123456789"],
            y: [..."0123456789"],
          },
        ],
        layout: {
          title: { text: "Confusion" },
          xaxis: { title: { text: "predicted" } },
          yaxis: { title: { text: "true" } },
        },
      }),
    }));
    put("calibration", "figure", every(500), (step) => ({
      kind: "figure",
      plotly: JSON.stringify({
        data: [
          {
            type: "scatter",
            mode: "lines+markers",
            name: "model",
            x: [0, 0.25, 0.5, 0.75, 1],
            y: [0.05, 0.2, 0.45 + step / 1e4, 0.8, 0.97],
          },
          { type: "bar", name: "count", x: [0, 0.25, 0.5, 0.75, 1], y: [0.4, 0.2, 0.1, 0.2, 0.6] },
        ],
        layout: { title: { text: "Calibration" } },
      }),
    }));
  }
  if (i < 8) {
    for (const [key, spread, drift] of [
      ["layers/0/weight", 1, 0.3],
      ["layers/1/weight", 0.6, -0.4],
      ["layers/2/weight", 0.4, 0.1],
      ["layers/0/grad", 0.2, 0],
    ])
      put(key, "histogram", every(40), (step, k) =>
        histogram(
          i * 1000 + k,
          spread * (0.6 + (0.8 * step) / n),
          (drift * step) / n,
          i === 1 && k === 12 ? 3 : 0,
        ),
      );
    put("pr/digit_3", "pr_curve", every(500), (step) => prCurve(0.5 + (0.4 * step) / n));
    put("graph", "graph", [0], () => ({ kind: "graph", nodes: graphNodes(4 + (i % 3) * 2) }));
    put("latent", "embedding", [Math.max(0, n - 1)], () => embedding(i));
  }
  run.artifacts = [
    {
      name: "model",
      type: "checkpoint",
      version: "v1",
      step: n - 1,
      time_ms: start + n * perStep,
      files: [
        { path: "weights.bin", ...keep(Buffer.alloc(4096 + i, i)) },
        {
          path: "config.json",
          ...keep(Buffer.from(JSON.stringify(Object.fromEntries(run.config)))),
        },
      ],
      metadata: [["accuracy", 0.9]],
    },
    {
      name: "model",
      type: "checkpoint",
      version: "v0",
      step: Math.floor(n / 2),
      time_ms: start + (n / 2) * perStep,
      files: [{ path: "weights.bin", ...keep(Buffer.alloc(4096, i)) }],
      metadata: [],
    },
  ];
}

function histogram(seed, spread, shift, nan) {
  const g = normal(random(seed));
  const values = Array.from({ length: 400 }, () => shift + spread * g());
  const min = Math.min(...values),
    max = Math.max(...values);
  const counts = new Array(64).fill(0);
  for (const v of values) counts[Math.min(63, Math.floor(((v - min) / (max - min)) * 64))]++;
  const sum = values.reduce((a, b) => a + b, 0);
  return {
    kind: "histogram",
    edges: Array.from({ length: 65 }, (_, k) => min + ((max - min) * k) / 64),
    counts,
    nan,
    positive_infinity: 0,
    negative_infinity: 0,
    min,
    max,
    sum,
    sum_squares: values.reduce((a, b) => a + b * b, 0),
  };
}

function prCurve(skill) {
  const thresholds = Array.from({ length: 101 }, (_, k) => k / 100);
  const tp = thresholds.map((t) => 100 * (1 - t ** (1 + 6 * skill)));
  const fp = thresholds.map((t) => 900 * (1 - t) ** (1 + 8 * skill));
  return {
    kind: "pr_curve",
    thresholds,
    true_positives: tp,
    false_positives: fp,
    true_negatives: fp.map((v) => 900 - v),
    false_negatives: tp.map((v) => 100 - v),
    precision: tp.map((v, k) => (v + fp[k] > 0 ? v / (v + fp[k]) : 1)),
    recall: tp.map((v) => v / 100),
  };
}

function graphNodes(blocks) {
  const nodes = [];
  const add = (name, op, inputs, shape, parameters = 0) =>
    nodes.push({
      name,
      op,
      inputs,
      shape,
      parameters,
      device: "cuda:0",
      attributes: [{ name: "dtype", value: "float32" }],
    });
  add("input", "Placeholder", [], [64, 1, 28, 28]);
  let last = "input";
  for (let b = 0; b < blocks; b++) {
    const p = `encoder/block${b}`;
    add(`${p}/conv`, "Conv2d", [last], [64, 32, 28, 28], 9248);
    add(`${p}/norm`, "BatchNorm2d", [`${p}/conv`], [64, 32, 28, 28], 64);
    add(`${p}/relu`, "ReLU", [`${p}/norm`], [64, 32, 28, 28]);
    add(`${p}/add`, "Add", [`${p}/relu`, last], [64, 32, 28, 28]);
    last = `${p}/add`;
  }
  add("encoder/pool", "AvgPool2d", [last], [64, 32]);
  add("latent/mean", "Linear", ["encoder/pool"], [64, 16], 528);
  add("latent/log_var", "Linear", ["encoder/pool"], [64, 16], 528);
  add("latent/sample", "Sample", ["latent/mean", "latent/log_var"], [64, 16]);
  add("decoder/linear", "Linear", ["latent/sample"], [64, 784], 13328);
  add("decoder/sigmoid", "Sigmoid", ["decoder/linear"], [64, 784]);
  add("loss/reconstruction", "BinaryCrossEntropy", ["decoder/sigmoid", "input"], []);
  add("loss/kl", "KlDivergence", ["latent/mean", "latent/log_var"], []);
  add("loss/total", "Add", ["loss/reconstruction", "loss/kl"], []);
  return nodes;
}

function embedding(seed) {
  const g = normal(random(seed + 5));
  const count = 600,
    dimensions = 16;
  const centers = Array.from({ length: 10 }, () =>
    Array.from({ length: dimensions }, () => 3 * g()),
  );
  const vectors = new Float32Array(count * dimensions);
  const rows = [];
  for (let k = 0; k < count; k++) {
    rows.push([String(k % 10), k]);
    for (let d = 0; d < dimensions; d++) vectors[k * dimensions + d] = centers[k % 10][d] + g();
  }
  return {
    kind: "embedding",
    count,
    dimensions,
    vectors: keep(Buffer.from(vectors.buffer)),
    metadata: { columns: ["digit", "index"], rows },
    thumbnail_width: 0,
    thumbnail_height: 0,
  };
}
