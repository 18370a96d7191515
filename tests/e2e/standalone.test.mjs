// `taffrail export --format html`: one file that opens from a disk, offline, with hover and zoom;
// and the pictures of the command line.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { eventually, open, quit } from "./browser.mjs";
import { binary, python } from "./server.mjs";

let folder, root;
const taffrail = (...args) => execFileSync(binary, args, { encoding: "utf8", timeout: 120_000 });
before(() => {
  folder = mkdtempSync(join(tmpdir(), "taffrail-standalone-"));
  root = join(folder, "runs");
  // Twenty runs of ten metrics and more, with pictures: what the size is promised for.
  taffrail("demo", "generate", "--root", root, "--runs", "20", "--points", "8000", "--seed", "5");
});
after(async () => {
  await quit();
  rmSync(folder, { recursive: true, force: true });
});

const lines = (page, card) =>
  page.locator(`[data-card="${card}"] .plot[data-painted]`).waitFor({ timeout: 30_000 });

test("a page of twenty runs is below 5 MB and opens from a file without asking anybody", async () => {
  const file = join(folder, "all.html");
  taffrail("export", "--root", root, "--format", "html", "-o", file);
  const size = statSync(file).size;
  assert.ok(size <= 5e6, `${size} bytes`);
  const { page, done } = await open(pathToFileURL(file).href);
  const asked = [];
  page.on("request", (r) => asked.push(r.url()));
  await page.waitForSelector("body[data-ready]");
  await lines(page, "val/loss");
  assert.equal(await page.locator(".runs label").count(), 20);
  assert.ok((await page.locator("[data-card]").count()) >= 10);
  assert.ok((await page.locator(".pictures img").count()) > 0);
  // A single value a run is a bar, the best on top; hiding a run hides its bar.
  const bars = page.locator('[data-card="test/accuracy"] .bar-row');
  const values = (await bars.locator(".bar-value").allTextContents()).map(Number);
  assert.ok(values.length > 10);
  assert.deepEqual(
    values,
    [...values].sort((a, b) => b - a),
  );
  const best = await bars.first().locator(".name").textContent();
  const tick = page.locator(".runs label", { hasText: best }).locator("input");
  await tick.uncheck();
  assert.equal(await bars.count(), values.length - 1);
  await tick.check();
  assert.equal(await bars.first().locator(".name").textContent(), best);
  // It says which numbers it holds.
  assert.match(await page.locator('[data-card="val/loss"] h2').textContent(), /every point/);
  assert.match(await page.locator('[data-card="train/loss"] h2').textContent(), /binned [\d,]+ → /);
  assert.deepEqual(
    asked.filter((url) => !/^(file|blob|data):/.test(url)),
    [],
  );
  await done();
});

test("hover tells the logged value, a box zooms every chart, a run is hidden", async () => {
  const file = join(folder, "two.html");
  const [a, b] = taffrail("ls", "--root", root, "-q").trim().split("\n");
  taffrail("export", a, b, "--root", root, "--format", "html", "--keys", "val/*", "-o", file);
  const csv = taffrail("export", a, b, "--root", root, "--format", "csv", "--keys", "val/loss");
  const truth = await python(
    `
import sys, json, io, pandas as pd
t = pd.read_csv(io.StringIO(json.load(sys.stdin)))
print(json.dumps([[r["name"], int(r["step"]), float(r["value"])] for _, r in t.iterrows()]))`,
    csv,
  );
  const { page, done } = await open(pathToFileURL(file).href);
  await page.waitForSelector("body[data-ready]");
  await lines(page, "val/loss");
  const plot = page.locator('[data-card="val/loss"] .plot');
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForSelector(".tooltip:not([hidden]) td");
  const step = Number(
    (await page.locator(".tooltip b").textContent()).replace("step", "").replaceAll(",", ""),
  );
  const rows = await page
    .locator(".tooltip tr")
    .evaluateAll((list) =>
      list.map((r) => [r.cells[1].textContent, Number(r.cells[2].dataset.exact)]),
    );
  assert.ok(rows.length >= 1);
  for (const [name, value] of rows) {
    const near = truth
      .filter(([n]) => n === name)
      .sort((p, q) => Math.abs(p[1] - step) - Math.abs(q[1] - step))[0];
    assert.ok(Math.abs(value - near[2]) <= 1e-6 * Math.abs(near[2]), `${name} ${value} ${near}`);
  }
  const painted = await page
    .locator('[data-card="val/accuracy"] .plot')
    .getAttribute("data-painted");
  await page.mouse.move(box.x + 80, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 44, { steps: 5 });
  await page.mouse.up();
  await eventually(async () =>
    assert.notEqual(
      await page.locator('[data-card="val/accuracy"] .plot').getAttribute("data-painted"),
      painted,
      "the other chart zooms along",
    ),
  );
  await page.locator(".runs input").first().uncheck();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await eventually(async () => assert.equal(await page.locator(".tooltip tr").count(), 1));
  await done();
});

test("of two runs with one colour the newer is grey on the page too", async () => {
  const many = join(folder, "many");
  taffrail("demo", "generate", "--root", many, "--runs", "22", "--points", "40", "--seed", "5");
  const newest = taffrail("ls", "--root", many, "-q").trim().split("\n");
  const file = join(folder, "grey.html");
  // The newest of twenty-two would wear the colour of the second oldest.
  const three = [newest[0], newest[20], newest[19]];
  taffrail("export", ...three, "--root", many, "--format", "html", "--keys", "val/*", "-o", file);
  const { page, done } = await open(pathToFileURL(file).href);
  await page.waitForSelector("body[data-ready]");
  const colors = await page
    .locator(".runs .swatch[data-run]")
    .evaluateAll((list) => list.map((e) => e.style.color));
  assert.equal(new Set(colors).size, 3);
  assert.equal(colors.filter((c) => c === "rgb(89, 97, 107)").length, 1);
  await done();
});

test("SVG and PNG of the command line are what other programs read, in the colours of the page", async () => {
  const [svg, png] = [join(folder, "a.svg"), join(folder, "a.png")];
  taffrail("export", "--root", root, "--format", "svg", "--keys", "val/loss", "-o", svg);
  taffrail("export", "--root", root, "--format", "png", "--keys", "val/loss", "-o", png);
  const strokes = await python(
    `
import sys, json, xml.etree.ElementTree as tree
json.load(sys.stdin)
root = tree.parse(${JSON.stringify(svg)}).getroot()
ns = "{http://www.w3.org/2000/svg}"
print(json.dumps([p.get("stroke") for g in root.iter(ns + "g") for p in g.iter(ns + "path")]))`,
    null,
  );
  assert.equal(new Set(strokes).size, 20);
  assert.ok(strokes.includes("#095ec3"));
  const { page, done } = await open(pathToFileURL(png).href);
  const seen = await page.evaluate(async () => {
    const image = document.querySelector("img");
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  });
  assert.equal(seen[0], 1120);
  assert.ok(readFileSync(png).length < 1e6);
  await done();
});
