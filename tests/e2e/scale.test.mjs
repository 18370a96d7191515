// Many points, many runs, many metrics: cost is bound by pixels.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getJson, postJson } from "./api.mjs";
import { open, painted, pixels, quit, repaint, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

// Budgets are for a quiet machine; TAFFRAIL_E2E_SLOW stretches them where builds run beside the tests.
const slow = Number(process.env.TAFFRAIL_E2E_SLOW ?? 1);
const full = process.env.TAFFRAIL_E2E_FULL === "1";
const points = full ? 1e7 : 2e6;
let big, many, sweep;
before(async () => {
  big = await serve(["big"], { options: { points } });
});
after(async () => {
  await quit();
  await Promise.all([big?.close(), many?.close(), sweep?.close()]);
});

test("1: one outlier among millions of points is on the screen, its tooltip is exact, zooming in shows every raw point", async () => {
  const project = (await getJson(big.url, "projects")).projects[0].name;
  const at = Math.floor(points * 0.6180339);
  const address = `${big.url}#/charts?project=${encodeURIComponent(project)}&q=noise`;
  const { page, done } = await open(address);
  const plot = await painted(page, "noise");
  await settled(page);
  const image = await pixels(page, "noise");
  const x = Math.floor((at / points) * image.width);
  let top = image.height;
  for (let y = 0; y < image.height; y++) for (let dx = -1; dx <= 1; dx++) if (Math.max(...image.at(x + dx, y).map((v) => 255 - v)) > 40) top = Math.min(top, y);
  assert.ok(top < image.height * 0.15, `the spike reaches row ${top} of ${image.height}`);
  const zoom = Buffer.from(JSON.stringify({ zoom: { "*": { x: [at - 5, at + 5], y: null } } })).toString("base64url");
  await page.goto(`${address}&z=${zoom}`);
  await page.reload();
  await painted(page, "noise");
  await settled(page);
  assert.match(await page.locator('[data-card="noise"] .plot').getAttribute("aria-label"), /11 points/);
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 52 + (box.width - 64) / 2, box.y + 14);
  await page.waitForSelector(".tooltip [data-exact]");
  assert.equal(await page.locator(".tooltip [data-exact]").first().getAttribute("data-exact"), "9.87654321");
  await done();
});

test("1: a constant series stays constant under smoothing", async () => {
  const { points: found } = await postJson(big.url, "series:points", { series: [{ run: (await postJson(big.url, "runs:query", {})).runs.id[0], key: "constant" }], x: { axis: "step" }, at: 500, smoothing: { method: "ema", amount: 0.97 } });
  assert.equal(found[0].smooth, 0.3);
});

test("zooming into millions of points moves few bytes, however long the series is", async () => {
  const project = (await getJson(big.url, "projects")).projects[0].name;
  const { page, done } = await open(`${big.url}#/charts?project=${encodeURIComponent(project)}&q=noise`);
  const plot = await painted(page, "noise");
  await settled(page);
  const box = await plot.boundingBox();
  const bytes = () => page.evaluate(() => window.__taffrail.stats.feed.bytes);
  const before = await bytes();
  await repaint(page, "noise", async () => {
    await page.mouse.move(box.x + 120, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 220, box.y + 62, { steps: 3 });
    await page.mouse.up();
  });
  assert.ok((await bytes()) - before < 64_000, `${(await bytes()) - before} bytes`);
  await done();
});

test("4: a thousand runs: table, charts, hover and zoom within budget, heap below 150 MB", async () => {
  sweep = await serve(["thousand"], { options: { points: full ? 10000 : 1000 } });
  const project = (await getJson(sweep.url, "projects")).projects[0].name;
  const address = (name) => `${sweep.url}#/${name}?project=${encodeURIComponent(project)}`;
  const { page, done } = await open(address("charts"));
  await painted(page, "train/loss");
  await settled(page);
  assert.match(await page.locator('[data-card="train/loss"]').textContent(), /density of 1,000 lines/);
  const plot = page.locator('[data-card="train/loss"] .plot');
  const box = await plot.boundingBox();
  // Script time of a hover, measured in the page: from the event to the next frame's end.
  const hover = await page.evaluate(async ([x, y]) => {
    const target = document.querySelector('[data-card="train/loss"] .plot');
    const times = [];
    for (let i = 0; i < 25; i++) {
      const began = performance.now();
      target.dispatchEvent(new PointerEvent("pointermove", { clientX: x + 60 + i * 5, clientY: y + 80 + (i % 5) * 9, bubbles: true, pointerType: "mouse" }));
      await new Promise((r) => requestAnimationFrame(r));
      const script = performance.now();
      await new Promise((r) => setTimeout(r, 0));
      times.push(performance.now() - began);
      void script;
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.9)];
  }, [box.x, box.y]);
  assert.ok(hover < 50 * slow, `hover ${hover.toFixed(1)} ms`);
  const rows = await page.locator(".tooltip tr").count();
  assert.ok(rows > 0 && rows <= 7);
  const heap = async () => {
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Runtime.getHeapUsage")).usedSize / 1e6;
  };
  assert.ok((await heap()) < 150, `heap ${await heap()} MB`);
  await page.goto(address("table"));
  await page.waitForFunction(() => document.querySelectorAll(".grid-row").length > 10);
  assert.ok((await page.locator(".grid-row").count()) < 120, "only rows in sight are mounted");
  assert.equal(await page.locator("[data-matched]").getAttribute("data-matched"), "1000");
  assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 4000);
  await done();
});

test("5: five thousand metrics: few cards are mounted, search answers at once, scrolling stays smooth", async () => {
  many = await serve(["many"]);
  const project = (await getJson(many.url, "projects")).projects[0].name;
  const { page, done } = await open(`${many.url}#/charts?project=${encodeURIComponent(project)}`);
  await page.waitForSelector(".plot[data-painted]");
  assert.ok((await page.locator("[data-card]").count()) <= 40);
  const search = page.locator("#metric-search");
  const began = Date.now();
  await search.fill("metric_4999");
  await search.press("Enter");
  await page.waitForFunction(() => [...document.querySelectorAll("[data-card]")].some((c) => c.dataset.card.includes("metric_4999")));
  assert.ok(Date.now() - began < 400 * slow, `${Date.now() - began} ms to the result`);
  await search.fill("");
  await search.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("[data-card]").length > 5);
  const worst = await page.evaluate(async () => {
    const box = document.querySelector('[data-scroll="charts"]');
    const frames = [];
    let last = performance.now();
    for (let y = 0; y < Math.min(box.scrollHeight, 60000); y += 400) {
      box.scrollTop = y;
      await new Promise((r) => requestAnimationFrame(r));
      frames.push(performance.now() - last);
      last = performance.now();
    }
    frames.sort((a, b) => a - b);
    return { p95: frames[Math.floor(frames.length * 0.95)], cards: document.querySelectorAll("[data-card]").length };
  });
  assert.ok(worst.p95 < 60 * slow, `frames of ${worst.p95.toFixed(0)} ms`);
  assert.ok(worst.cards <= 40, `${worst.cards} cards`);
  await done();
});
