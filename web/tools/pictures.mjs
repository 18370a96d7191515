// Takes the pictures of the README (docs/images): the first page of ./scripts/demo after a minute,
// in both themes, wide and on a phone, its table and its media.
//   node web/tools/pictures.mjs          starts the demo and waits a minute
//   node web/tools/pictures.mjs ADDRESS  of a demo that runs already
// Look at them before committing.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { launch, quit, settled } from "../../tests/e2e/browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const state = (value) => "&z=" + Buffer.from(JSON.stringify(value)).toString("base64url");
const first = "#/charts?project=digits";
const desk = { width: 1440, height: 900 };
const shots = {
  charts: { view: first, ...desk, scale: 2 },
  "charts-dark": { view: first, ...desk, scale: 2, dark: true },
  "charts-wide": { view: first, width: 2560, height: 1440 },
  "charts-phone": { view: first, width: 390, height: 844, scale: 2, touch: true },
  table: {
    view:
      "#/table?project=digits" +
      state({ sort: [{ column: "metric:val/loss", descending: false }] }),
    ...desk,
    scale: 2,
  },
  media: { view: "#/media?project=digits", ...desk, scale: 2, dark: true },
};

/** The demo, once it has printed its address and trained for a minute. */
async function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), "taffrail-pictures-"));
  const demo = spawn(join(root, "scripts/demo"), [], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, CI: "false", TAFFRAIL_DIR: join(folder, "runs") },
  });
  const address = await new Promise((resolve, reject) => {
    demo.once("exit", (code) => reject(new Error(`scripts/demo ended with ${code}`)));
    createInterface({ input: demo.stdout }).on(
      "line",
      (line) => /^http:\/\/\S+/.test(line.trim()) && resolve(line.trim()),
    );
  });
  await new Promise((done) => setTimeout(done, 60_000));
  const close = async () => {
    demo.removeAllListeners("exit");
    const gone = new Promise((done) => demo.once("exit", done));
    process.kill(-demo.pid, "SIGINT");
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  return { address, close };
}

const given = process.argv[2];
const demo = given ? { address: given, close: async () => undefined } : await startDemo();
const base = demo.address.replace(/#.*/, "");
for (const [name, { view, width, height, scale, dark, touch }] of Object.entries(shots)) {
  const browser = await launch();
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale ?? 1,
    colorScheme: dark ? "dark" : "light",
    hasTouch: !!touch,
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-GB",
  });
  const page = await context.newPage();
  await page.goto(base + view);
  await page.waitForSelector("[data-page]");
  await settled(page, 1500);
  await page.screenshot({
    path: join(root, "docs/images", name + ".png"),
    animations: "disabled",
    caret: "hide",
  });
  await context.close();
}
await quit();
await demo.close();
process.exit();
