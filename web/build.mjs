// Bundles the dashboard: hashed names, code splitting, workers as their own files, sizes against
// the budget.
//   node build.mjs [--out DIR] [--watch] [--quiet]        DIR: dist/ beside this file
import { context } from "esbuild";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { licences } from "./tools/licences.mjs";
import { standalone } from "./tools/standalone.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const given = process.argv.indexOf("--out");
const out = given > 0 ? resolve(process.argv[given + 1]) : join(here, "dist");
const part = out + ".part"; // a page being served is whole at every moment
const watch = process.argv.includes("--watch");
const quiet = process.argv.includes("--quiet");
const budget = { first: 120_000, total: 450_000 };

// Addresses inside error messages of packages: the bundle names no other host, not even in words.
const noAddresses = {
  name: "no-addresses",
  setup(b) {
    b.onLoad(
      { filter: /node_modules\/(marked|temml|dompurify|@dagrejs\/dagre)\/.*\.m?js$/ },
      ({ path }) => ({
        contents: readFileSync(path, "utf8").replace(
          /https?:\/\/(?!www\.w3\.org)[\w.-]+\.[a-z]{2,}[\w./#-]*/g,
          "its authors",
        ),
        loader: "js",
      }),
    );
  },
};

const common = {
  plugins: [noAddresses],
  bundle: true,
  format: "esm",
  minify: !watch,
  target: ["es2022", "chrome110", "firefox115", "safari16"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
  absWorkingDir: here,
  charset: "utf8",
  sourcemap: watch ? "inline" : false,
};

async function build() {
  rmSync(part, { recursive: true, force: true });
  mkdirSync(join(part, "assets"), { recursive: true });
  const { build: once } = await import("esbuild");
  // Workers first: the page needs their hashed names.
  const workers = await once({
    ...common,
    entryPoints: {
      raster: "src/viz/raster_worker.ts",
      compute: "src/lib/compute_worker.ts",
      layout: "src/lib/layout_worker.ts",
      live: "src/state/live_worker.ts",
    },
    outdir: join(part, "assets"),
    entryNames: "[name]-[hash]",
    metafile: true,
  });
  // Apart from the others: it fetches a part of itself later.
  const markdown = await once({
    ...common,
    entryPoints: { markdown: "src/lib/markdown_worker.ts" },
    outdir: join(part, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    splitting: true,
    metafile: true,
  });
  const define = {};
  for (const [file, info] of Object.entries({
    ...workers.metafile.outputs,
    ...markdown.metafile.outputs,
  })) {
    if (!info.entryPoint?.endsWith("_worker.ts")) continue;
    define[
      `${basename(info.entryPoint)
        .replace(/_worker\.ts$/, "")
        .toUpperCase()}_WORKER_URL`
    ] = JSON.stringify("assets/" + basename(file));
  }
  const page = await once({
    ...common,
    entryPoints: { main: "src/main.tsx", style: "src/styles/main.css" },
    outdir: join(part, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    splitting: true,
    define,
    metafile: true,
  });
  // Apart from the page: it has to run before the page is there.
  const before = await once({
    ...common,
    entryPoints: { early: "src/api/early.ts" },
    outdir: join(part, "assets"),
    entryNames: "[name]-[hash]",
    format: "iife",
    metafile: true,
  });
  const outputs = Object.entries({
    ...workers.metafile.outputs,
    ...page.metafile.outputs,
    ...before.metafile.outputs,
  });
  const entry = (source) => outputs.find(([, info]) => info.entryPoint === source)[0];
  const main = entry("src/main.tsx");
  const style = entry("src/styles/main.css");
  const early = entry("src/api/early.ts");
  const first = new Set([
    main,
    style,
    early,
    entry("src/viz/raster_worker.ts"),
    entry("src/state/live_worker.ts"),
  ]);
  const walk = (file) =>
    page.metafile.outputs[file]?.imports
      .filter((i) => i.kind === "import-statement")
      .forEach((i) => first.has(i.path) || (first.add(i.path), walk(i.path)));
  walk(main);
  const preload = [...first]
    .filter(
      (f) => f.endsWith(".js") && f !== main && f !== early && !/raster|live/.test(basename(f)),
    )
    .map((f) => `<link rel="modulepreload" href="assets/${basename(f)}">`)
    .join("");
  const html = readFileSync(join(here, "index.html"), "utf8")
    .replace("{{main}}", "assets/" + basename(main))
    .replace("{{style}}", "assets/" + basename(style))
    .replace("{{early}}", "assets/" + basename(early))
    .replace("{{preload}}", preload);
  writeFileSync(join(part, "index.html"), html);
  await standalone(common, join(part, "standalone.html"));
  copyFileSync(join(here, "favicon.svg"), join(part, "favicon.svg"));
  writeFileSync(
    join(part, "licences.txt"),
    licences(
      Object.keys({
        ...workers.metafile.inputs,
        ...markdown.metafile.inputs,
        ...page.metafile.inputs,
      }),
    ),
  );
  report(new Set([...first].map((f) => basename(f))));
  rmSync(out, { recursive: true, force: true });
  renameSync(part, out);
}

/** What weighs how much; `first`: names of the files that the first view needs. */
function report(first) {
  const rows = [];
  for (const file of readdirSync(join(part, "assets")))
    rows.push({
      file,
      gz: gzipSync(readFileSync(join(part, "assets", file)), { level: 9 }).length,
      first: first.has(file),
    });
  rows.push({
    file: "index.html",
    gz: gzipSync(readFileSync(join(part, "index.html")), { level: 9 }).length,
    first: true,
  });
  rows.sort((a, b) => b.first - a.first || b.gz - a.gz);
  const total = rows.reduce((n, r) => n + r.gz, 0);
  const firstTotal = rows.filter((r) => r.first).reduce((n, r) => n + r.gz, 0);
  writeFileSync(
    join(part, "sizes.json"),
    JSON.stringify({ first: firstTotal, total, files: rows }, null, 1),
  );
  if (!quiet) {
    for (const r of rows)
      console.log(
        `${String((r.gz / 1000).toFixed(1)).padStart(8)} kB  ${r.first ? "first" : "later"}  ${r.file}`,
      );
    console.log(
      `first load ${(firstTotal / 1000).toFixed(1)} kB of ${budget.first / 1000}, all ${(total / 1000).toFixed(1)} kB of ${budget.total / 1000} (gzip)`,
    );
  }
  if (!watch && (firstTotal > budget.first || total > budget.total)) {
    console.error("over the size budget");
    process.exitCode = 1;
  }
}

process.chdir(here);
await build();
if (watch) {
  const ctx = await context({
    ...common,
    entryPoints: ["src/main.tsx"],
    write: false,
    plugins: [
      noAddresses,
      {
        name: "again",
        setup: (b) => b.onEnd(() => build().catch((e) => console.error(e.message))),
      },
    ],
  });
  await ctx.watch();
}
