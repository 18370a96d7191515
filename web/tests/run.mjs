// Unit tests of the page, without a browser: bundles tests/*.test.ts and gives them to node's runner.
//   node tests/run.mjs [options of node --test]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), "taffrail-page-tests-"));
try {
  await build({
    entryPoints: readdirSync(here)
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(here, name)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const files = readdirSync(out).map((name) => join(out, name));
  const command = ["--enable-source-maps", "--test", ...process.argv.slice(2), ...files];
  const ran = spawnSync(process.execPath, command, {
    cwd: dirname(here),
    stdio: "inherit",
    env: { ...process.env, TZ: "UTC" },
  });
  process.exitCode = ran.status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
