// The page of hyperparameters: brushes, importance, and axes of every kind.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getJson, postJson } from "./api.mjs";
import { eventually, open, quit, settled } from "./browser.mjs";
import { serve, truthOf } from "./server.mjs";

let server, address, list, truth, sweep, truthOfSweep;
before(async () => {
  server = await serve(["demo"]);
  const project = (await getJson(server.url, "projects")).projects[0].name;
  address = (page, rest = "") =>
    `${server.url}#/${page}?project=${encodeURIComponent(project)}${rest}`;
  list = await postJson(server.url, "runs:query", { project });
  truth = truthOf(server.truth);
  sweep = await serve(["parameters"]);
  truthOfSweep = truthOf(sweep.truth);
});
after(quit);
const view = (page) => page.evaluate(() => window.__taffrail.view());
const z = (state) => "&z=" + Buffer.from(JSON.stringify(state)).toString("base64url");

test("15: brushing two axes leaves the runs Python leaves, in the table, on the page and in the address", async () => {
  const { page, done } = await open(address("hparams"));
  await page.waitForSelector("[data-brushed]");
  await page.waitForSelector("[data-parameter]");
  await page.evaluate(() => 0);
  const brushes = { "config:lr": [0.0002, 0.002], "config:depth": [3, 6] };
  const goal = (await view(page)).hparams.goal;
  await page.goto(address("hparams", z({ hparams: { brushes, goal } })));
  await page.reload();
  await page.waitForSelector("[data-brushed]");
  const expected = await truth(
    `json.dump(sorted(r["id"] for r in runs if 0.0002 <= r["config"]["lr"] <= 0.002 and 3 <= r["config"]["depth"] <= 6), sys.stdout)`,
  );
  await page.waitForFunction(
    (n) => document.querySelector("[data-brushed]").dataset.brushed === String(n),
    expected.length,
  );
  await eventually(async () =>
    assert.deepEqual(
      (await page.locator("tr[data-run]").evaluateAll((l) => l.map((r) => r.dataset.run))).sort(),
      expected,
    ),
  );
  await page.getByRole("button", { name: "Keep only these" }).click();
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await page.waitForFunction(
    (n) => document.querySelector("[data-count]")?.dataset.count === String(n),
    expected.length,
  );
  await done();
});

test("15: a brush drawn with the mouse filters, a click on the axis clears it", async () => {
  const { page, done } = await open(address("hparams"));
  await page.waitForSelector("[data-parameter]");
  const canvas = page.locator(".plot-card canvas").first();
  await settled(page);
  const box = await canvas.boundingBox();
  const x = box.x + box.width - 56;
  await page.mouse.move(x, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(x, box.y + 290, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(
    (n) => Number(document.querySelector("[data-brushed]").dataset.brushed) < n,
    list.total,
  );
  assert.equal(Object.keys((await view(page)).hparams.brushes).length, 1);
  await page.mouse.click(x, box.y + 100);
  await page.waitForFunction(
    (n) => Number(document.querySelector("[data-brushed]").dataset.brushed) === n,
    list.total,
  );
  for (const mode of ["Scatter", "Matrix", "Parallel"]) {
    await page.getByRole("group", { name: "View" }).getByText(mode).click();
    await page.waitForSelector(".plot-card canvas");
  }
  await done();
});

test("15: the parameter that drives the goal ranks first", async () => {
  const thousand = await serve(["thousand"], { options: { runs: 150, points: 20 } });
  const name = (await getJson(thousand.url, "projects")).projects[0].name;
  const { page, done } = await open(`${thousand.url}#/hparams?project=${encodeURIComponent(name)}`);
  await page.waitForSelector("[data-parameter]");
  await eventually(async () =>
    assert.equal(
      await page.locator("[data-parameter]").first().getAttribute("data-parameter"),
      "config:lr",
    ),
  );
  await eventually(async () =>
    assert.ok(
      Number(await page.locator("[data-parameter]").first().getAttribute("data-share")) > 0.6,
    ),
  );
  await done();
  await thousand.close();
});

/** The sweep with parameters of every kind: the page, and places on its plot by axis. */
async function parameters(rest = "") {
  const { page, done } = await open(`${sweep.url}#/hparams?project=parameters${rest}`);
  await page.waitForSelector("[data-parameter]");
  await settled(page);
  const canvas = page.locator(".plot-card canvas").first();
  const box = await canvas.boundingBox();
  const label = () => canvas.getAttribute("aria-label");
  const titles = (await label())
    .replace(/.* over /, "")
    .split(", ")
    .map((t) => t.replace(/ \(.*/, ""));
  const x = (name) => box.x + 56 + ((box.width - 112) * titles.indexOf(name)) / (titles.length - 1);
  // Values span from 44 below the top to 54 above the bottom when some are missing; the tick of
  // those without stands at 14.
  const [top, bottom] = [box.y + 44, box.y + box.height - 54];
  const missing = box.y + box.height - 14;
  const left = async () =>
    (await page.locator("tr[data-run]").evaluateAll((l) => l.map((r) => r.dataset.run))).sort();
  const drag = async (name, from, to) => {
    await page.mouse.move(x(name), from);
    await page.mouse.down();
    await page.mouse.move(x(name), (from + to) / 2);
    await page.mouse.move(x(name), to);
    await page.mouse.up();
  };
  return { page, done, label, x, top, bottom, missing, left, drag };
}
const brushed = (page, n) =>
  page.waitForFunction(
    (count) => document.querySelector("[data-brushed]").dataset.brushed === String(count),
    n,
  );

test("15: a categorical axis has a place for each word, and a brush around one leaves its runs", async () => {
  const { page, done, top, bottom, left, drag, label } = await parameters();
  assert.match(await label(), /optimizer \(words\)/);
  // adam, lion, sgd from the bottom: each has a third of the axis.
  const third = (bottom - top) / 3;
  for (const [i, word] of ["adam", "lion", "sgd"].entries()) {
    await drag("optimizer", bottom - i * third - 4, bottom - (i + 1) * third + 4);
    const expected = await truthOfSweep(
      `json.dump(sorted(r["id"] for r in runs if r["config"]["optimizer"] == data), sys.stdout)`,
      word,
    );
    await brushed(page, expected.length);
    assert.deepEqual(await left(), expected, word);
  }
  await page.getByRole("group", { name: "View" }).getByText("Scatter").click();
  await page.getByLabel("x", { exact: true }).selectOption("config:optimizer");
  await page.waitForSelector('canvas[aria-label^="Scatter of val/loss over optimizer"]');
  await done();
});

test("15: runs without a value have their own tick, are listed as missing, and can be brushed by it", async () => {
  const { page, done, x, missing, left, label } = await parameters();
  for (const name of ["warmup", "augment"]) {
    assert.match(await label(), new RegExp(`${name}( \\(words\\))? \\(some missing\\)`));
    const expected = await truthOfSweep(
      `json.dump(sorted(r["id"] for r in runs if data not in r["config"]), sys.stdout)`,
      name,
    );
    await page.mouse.click(x(name), missing);
    await brushed(page, expected.length);
    assert.deepEqual(await left(), expected);
    assert.equal((await view(page)).hparams.brushes[`config:${name}`], "missing");
    const words = await page
      .locator("tr[data-run]")
      .evaluateAll((rows) => rows.map((r) => r.textContent.includes("missing")));
    assert.ok(words.every(Boolean));
    await page.mouse.click(x(name), missing);
    await brushed(page, 12);
  }
  assert.doesNotMatch(
    await label(),
    /rate [^,]*missing/,
    "only axes that lack values have the tick",
  );
  await page.getByRole("group", { name: "View" }).getByText("Scatter").click();
  await page.getByLabel("x", { exact: true }).selectOption("config:warmup");
  await page.getByText("4 runs lack a value").waitFor();
  await done();
});

test("15: values over decades take a log axis by themselves; it can be switched off and on", async () => {
  const { page, done, label, top, bottom, drag } = await parameters();
  assert.match(await label(), /rate \(log\)/);
  assert.doesNotMatch(await label(), /width \(log\)/);
  const middle = async () => {
    await drag("rate", top, (top + bottom) / 2);
    const [low, high] = (await view(page)).hparams.brushes["config:rate"];
    assert.ok(Math.abs(high - 0.1) < 0.001);
    return low;
  };
  // Half way down a log axis stands the geometric mean, on a linear one the arithmetic.
  const [from, to] = [1e-6, 1e-1];
  let low = await middle();
  assert.ok(Math.abs(Math.log(low / Math.sqrt(from * to))) < 0.1, `${low}`);
  const toggle = async () => {
    await page.getByRole("button", { name: "Axes" }).click();
    await page.locator(".popover .row", { hasText: "rate" }).getByText("log").click();
    await eventually(async () =>
      assert.equal(
        await page.locator(".popover .row", { hasText: "optimizer" }).getByText("log").count(),
        0,
        "words have no logarithm",
      ),
    );
    await page.keyboard.press("Escape");
  };
  await toggle();
  await page.waitForSelector('canvas[aria-label*="rate,"]');
  low = await middle();
  assert.ok(Math.abs(low - (from + to) / 2) < 0.002, `${low}`);
  await toggle();
  await page.waitForSelector('canvas[aria-label*="rate (log)"]');
  await done();
});
