// Starts what the browser tests talk to: the real command, `taffrail ui DIR --port 0 --no-open
// --json`, from TAFFRAIL_BINARY or build/ci, over runs that e2e_writer makes.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { writeScenario } from "./scenarios.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const build = process.env.TAFFRAIL_BUILD ?? join(root, "build/ci");
/** The files of the page that the command holds inside. */
export const bundle = join(build, "src/server/page");
export const binary = process.env.TAFFRAIL_BINARY ?? join(build, "bin/taffrail");
const writer = join(build, "tests/e2e/e2e_writer");

// A test that failed may have left its servers behind; nothing outlives the file.
const open = new Set();
after(() => Promise.all([...open].map((server) => server.close())));

/** `taffrail ui` over a folder, or over several things; ends with close(). */
export async function startUi(
  target,
  { port = 0, base = "", readOnly = false, state, ui = process.env.TAFFRAIL_E2E_UI } = {},
) {
  const args = [
    "ui",
    ...[target].flat(),
    "--port",
    String(port),
    "--no-open",
    "--json",
    "--state-dir",
    state,
  ];
  if (ui) args.push("--ui-dir", ui);
  if (base) args.push("--base-path", base);
  if (readOnly) args.push("--read-only");
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error("taffrail ui did not print its address within 20 s")),
      20000,
    );
    child.once("exit", (code) => reject(new Error(`taffrail ui ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      try {
        const parsed = JSON.parse(line);
        const url = parsed.address ?? parsed.url;
        if (url) {
          clearTimeout(timer);
          resolve(url);
        }
      } catch {
        // Lines for people.
      }
    });
  });
  const close = (signal = "SIGTERM") =>
    new Promise((done) => {
      child.removeAllListeners("exit");
      if (child.exitCode !== null || child.signalCode !== null) return done();
      child.once("exit", done);
      child.kill(signal);
      setTimeout(() => child.kill("SIGKILL"), 5000).unref();
    });
  return {
    url: new URL(".", address).href, // without the page that it opens at
    port: Number(new URL(address).port),
    pid: child.pid,
    close,
  };
}

/**
 * Starts a server over the named scenarios: demo, thousand, many, big, images, meshes, hostile,
 * tensorboard, empty; odd: what `options.write(open)` writes, where `open(name, more)` gives a run
 * with scalars(), value(), console() and finish().
 */
export async function serve(scenarios, { options = {}, ...more } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "taffrail-e2e-"));
  const writers = [];
  const giveUp = async (error) => {
    await Promise.all(writers.map((w) => w.close()));
    throw error;
  };
  for (const name of scenarios) {
    const target = join(folder, name);
    mkdirSync(target, { recursive: true });
    const made = await writeScenario(name, target, {
      writer,
      truth: join(folder, "truth"),
      ...options,
    });
    if (made) writers.push(made);
  }
  const target =
    scenarios.length > 1
      ? scenarios.map((s) => `${s}:${join(folder, s)}`).join(",")
      : join(folder, scenarios[0]);
  const start = (changed = {}) =>
    startUi(target, { state: join(folder, ".state"), ...more, ...changed });
  let ui = await start().catch(giveUp);
  const server = {
    folder,
    truth: join(folder, "truth"),
    url: ui.url,
    port: ui.port,
    pid: () => ui.pid,
    writers,
    grow: (points) => Promise.all(writers.map((w) => w.grow(points))),
    /** Ends the server at once; `again` brings it back on the same port. */
    stop: (signal) => ui.close(signal),
    again: async (changed) => (ui = await start({ port: ui.port, ...changed })),
    async close() {
      if (!open.delete(server)) return;
      await ui.close();
      await Promise.all(writers.map((w) => w.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  open.add(server);
  return server;
}

const cache =
  process.env.TAFFRAIL_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "taffrail");
const interpreter =
  [process.env.TAFFRAIL_E2E_PYTHON, join(cache, "venv/parquet/bin/python")].find(
    (p) => p && existsSync(p),
  ) ?? "python3";

/**
 * Runs a few lines of Python with `input` as JSON on its standard input; returns the JSON it
 * prints. numpy and pandas are there.
 */
export function python(lines, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(interpreter, ["-c", lines], { stdio: ["pipe", "pipe", "pipe"] });
    let out = "",
      problems = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (problems += d));
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(out)) : reject(new Error(problems)),
    );
    child.stdin.end(JSON.stringify(input));
  });
}

/**
 * Python over what the generator wrote, apart from any file of the product: `runs` is the list of
 * runs, `series(id, key)` a pandas Series of float64 by step, `entries(id, key)` the logged values;
 * `data` is the second argument.
 */
export const truthOf =
  (folder) =>
  (lines, data = null) =>
    python(
      `
import json, sys, math, numpy as np, pandas as pd
given = json.load(sys.stdin); data = given["data"]
runs = json.load(open(given["folder"] + "/runs.json"))
by_id = {r["id"]: r for r in runs}
def series(run, key):
    s = by_id[run]["series"][key]
    v = np.fromfile(given["folder"] + "/" + s["file"], dtype="<f8")
    return pd.Series(v, index=s["first"] + s["stride"] * np.arange(len(v)))
def last(run, key):
    return float(series(run, key).iloc[-1]) if key in by_id[run]["series"] else None
def entries(run, key):
    return by_id[run]["entries"][key]
` + lines,
      { folder, data },
    );
