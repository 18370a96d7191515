// Starts what the browser tests talk to. This is the only file that knows which server it is.
//
// Default: the real command, `taffrail ui DIR --port 0 --no-open --json`, from TAFFRAIL_BINARY or build/release. Where there is
// none (or TAFFRAIL_E2E=stand-in) the stand-in server of web/dev answers instead, from seeded data in memory.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startServer } from "../../web/dev/server.mjs";
import { writeScenario } from "./scenarios.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const binary = process.env.TAFFRAIL_BINARY ?? join(root, "build/release/bin/taffrail");
export const standIn = process.env.TAFFRAIL_E2E === "stand-in" || (process.env.TAFFRAIL_E2E !== "taffrail" && !existsSync(binary));

/** Starts a server over the named scenarios: demo, thousand, many, big, hostile, empty. */
export async function serve(scenarios, { live = false, base = "", readOnly = false, options = {}, port = 0 } = {}) {
  if (standIn) {
    const server = await startServer({ scenarios, live, base, readOnly, options, port });
    return { ...server, standIn: true, grow: (points) => server.catalogue.grow(points) };
  }
  const folder = mkdtempSync(join(tmpdir(), "taffrail-e2e-"));
  const writers = [];
  for (const name of scenarios) {
    const target = join(folder, name);
    mkdirSync(target, { recursive: true });
    const made = await writeScenario(name, target, { ...options, binary });
    if (made?.grow) writers.push(made);
  }
  const args = ["ui", scenarios.length > 1 ? scenarios.map((s) => `${s}:${join(folder, s)}`).join(",") : join(folder, scenarios[0]), "--port", String(port), "--no-open", "--json", "--state-dir", join(folder, ".state")];
  if (existsSync(join(root, "web/dist/index.html"))) args.push("--ui-dir", join(root, "web/dist"));
  if (base) args.push("--base-path", base);
  if (readOnly) args.push("--read-only");
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("taffrail ui did not print its address within 20 s")), 20000);
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
  const close = () =>
    new Promise((done) => {
      child.removeAllListeners("exit");
      child.once("exit", () => {
        rmSync(folder, { recursive: true, force: true });
        done();
      });
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 5000).unref();
    });
  return { url: address.endsWith("/") ? address : address + "/", port: Number(new URL(address).port), close, standIn: false, grow: (points) => writers.forEach((w) => w.grow(points)), folder };
}

/** Runs a few lines of Python with `input` as JSON on its standard input; returns the JSON it prints. */
export function python(lines, input) {
  return new Promise((resolve, reject) => {
    const child = spawn("python3", ["-c", lines], { stdio: ["pipe", "pipe", "pipe"] });
    let out = "", problems = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (problems += d));
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(out)) : reject(new Error(problems))));
    child.stdin.end(JSON.stringify(input));
  });
}
