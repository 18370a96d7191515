// A newcomer's first minutes: ./scripts/demo, then best run, comparison, reconstruction and CSV,
// each in at most three actions.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseCsv, postJson } from "./api.mjs";
import { eventually, open, painted, quit } from "./browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
let demo, folder, address, url, view;

/** Counts what the person does: a step that needs a fourth action fails. */
function hands(page) {
  let left = 3;
  const act =
    (what) =>
    async (...args) => {
      assert.ok(left-- > 0, "more than three actions");
      return what(...args);
    };
  return {
    click: act((locator) => locator.click()),
    clickAt: act((x, y) => page.mouse.click(x, y)),
  };
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "taffrail-newcomer-"));
  demo = spawn(join(root, "scripts/demo"), [], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, CI: "false", TAFFRAIL_DIR: join(folder, "runs") },
  });
  address = await new Promise((resolve, reject) => {
    demo.once("exit", (code) => reject(new Error(`scripts/demo ended with ${code}`)));
    createInterface({ input: demo.stdout }).on(
      "line",
      (line) => /^http:\/\/\S+/.test(line.trim()) && resolve(line.trim()),
    );
  });
  url = address.replace(/#.*/, "");
  // Other tests use the same programs at this moment.
  assert.match(
    readFileSync(join(root, "build/demo-build.log"), "utf8"),
    /no work to do/,
    "the demo built what the tests were to be run with",
  );
  view = await open(address);
});
after(async () => {
  await view?.done();
  await quit();
  demo.removeAllListeners("exit");
  const gone = new Promise((done) => demo.once("exit", done));
  process.kill(-demo.pid, "SIGINT"); // the whole group, as Ctrl-C does
  await gone;
  rmSync(folder, { recursive: true, force: true });
});

test("the printed address shows charts without any action", async () => {
  await painted(view.page, "auto:loss");
});

test("finding F05: the first page is the charts of the past runs; the one that trains has a project of its own", async () => {
  const { page } = view;
  assert.match(address, /#\/charts\?project=digits$/);
  await page.waitForFunction(() => /^#\/charts/.test(location.hash));
  const past = await postJson(url, "runs:query", {
    project: "digits",
    columns: ["metric:val/accuracy"],
  });
  assert.equal(past.total, 16);
  assert.ok(
    past.values["metric:val/accuracy"].every((value) => typeof value === "number"),
    "every run of the page has what its charts show",
  );
  await eventually(async () => {
    const live = await postJson(url, "runs:query", { project: "vae" });
    assert.deepEqual(live.runs.name, ["vae-digits"]);
  }, 20000);
});

test("the best run by a metric: two actions", async () => {
  const { page } = view;
  const { click } = hands(page);
  await click(page.getByRole("link", { name: /^Table/ }));
  await page.waitForSelector(".grid-row");
  await click(page.getByRole("columnheader", { name: /^val\/loss/ }));
  await eventually(async () => {
    const list = await postJson(url, "runs:query", {
      project: "digits",
      columns: ["metric:val/loss"],
    });
    const known = list.runs.name
      .map((name, i) => [list.values["metric:val/loss"][i], name])
      .filter(([v]) => typeof v === "number");
    const best = known.sort((a, b) => a[0] - b[0])[0][1];
    assert.equal(await page.locator(".grid-row .name .ellipsis").first().textContent(), best);
  }, 20000);
  await page.locator(".grid-row").first().filter({ hasText: "★" }).waitFor();
});

test("two runs compared: three actions", async () => {
  const { page } = view;
  const { click } = hands(page);
  const names = (await page.locator(".grid-row .name .ellipsis").allTextContents()).slice(0, 2);
  for (const name of names)
    await click(
      page
        .locator(".grid-row")
        .filter({ has: page.locator(".name .ellipsis").getByText(name, { exact: true }) })
        .locator("input"),
    );
  await click(page.getByRole("button", { name: "Compare" }));
  await page.waitForFunction(() => /#\/compare/.test(location.hash));
  for (const name of names)
    await page.locator('th, [role="columnheader"]').filter({ hasText: name }).first().waitFor();
  await page.getByText("seed", { exact: true }).first().waitFor(); // differs between any two runs
});

test("a reconstruction at a step: two actions", async () => {
  const { page } = view;
  const { click, clickAt } = hands(page);
  await click(page.getByRole("link", { name: /^Media/ }));
  await page.waitForSelector('[data-key="reconstruction"] img');
  const track = await page.getByRole("slider", { name: "Step" }).boundingBox();
  await clickAt(track.x + track.width / 2, track.y + track.height / 2);
  const cell = page.locator('[data-key="reconstruction"]').first();
  await page.waitForFunction(() => {
    const image = document.querySelector('[data-key="reconstruction"] img');
    return image?.complete && image.naturalWidth > 0;
  });
  // The card keeps its place while the entry of the new step is under way.
  await eventually(async () => assert.ok(Number(await cell.getAttribute("data-step")) > 0));
});

test("a CSV of all runs: two actions", async () => {
  const { page } = view;
  const { click } = hands(page);
  await click(page.getByRole("link", { name: /^Table/ }));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    click(page.getByRole("button", { name: "Export this table as CSV" })),
  ]);
  const rows = parseCsv((await readFile(await download.path())).toString());
  const list = await postJson(url, "runs:query", { project: "digits" });
  assert.equal(rows.length - 1, list.total);
  assert.ok(
    rows[0].includes("val/loss") || rows[0].some((c) => c.endsWith("val/loss")),
    rows[0].join(),
  );
});
