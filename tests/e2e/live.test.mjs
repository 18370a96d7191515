// Live updates, lost connections, streams held back.
import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { after, test } from "node:test";
import { getJson, postJson } from "./api.mjs";
import { open, painted, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const servers = [];
after(async () => {
  await quit();
  await Promise.all(servers.map((s) => s.close()));
});
const start = async (...args) => {
  const server = await serve(...args);
  servers.push(server);
  return server;
};
const projectOf = async (server) => encodeURIComponent((await getJson(server.url, "projects")).projects[0].name);
const label = (page) => page.locator('[data-card="train/loss"] .plot').getAttribute("aria-label");
const countOf = async (page) => Number(/(\d+) points/.exec(await label(page))[1]);

test("6: new points are on the screen within a second, history is not fetched again, zoom and scroll stay", async () => {
  const server = await start(["demo"], { options: { runs: 6, points: 1500 } });
  const project = await projectOf(server);
  const { page, done } = await open(`${server.url}#/charts?project=${project}&q=train/`);
  await painted(page, "train/loss");
  await settled(page);
  const first = await page.evaluate(() => ({ ...window.__taffrail.stats.feed }));
  const before = await countOf(page);
  const began = Date.now();
  server.grow(20);
  await page.waitForFunction((n) => Number(/(\d+) points/.exec(document.querySelector('[data-card="train/loss"] .plot').getAttribute("aria-label"))[1]) > n, before);
  const delay = Date.now() - began;
  assert.ok(delay < 1000 * Number(process.env.TAFFRAIL_E2E_SLOW ?? 1), `${delay} ms from write to screen`);
  for (let i = 0; i < 8; i++) {
    server.grow(10);
    await page.waitForTimeout(300);
  }
  await settled(page, 700);
  const after = await page.evaluate(() => ({ ...window.__taffrail.stats.feed }));
  assert.equal(after.requests, first.requests, "no chart was asked for as a whole");
  assert.ok(after.tails > first.tails);
  assert.ok(after.bytes - first.bytes < first.bytes, `${after.bytes - first.bytes} bytes of tails against ${first.bytes} at first`);
  assert.equal((await countOf(page)) > before + 80, true);
  // Zoomed in, nothing moves; the chip brings the end back.
  const plot = page.locator('[data-card="train/loss"] .plot');
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 100, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 180, box.y + 62, { steps: 3 });
  await page.mouse.up();
  await settled(page);
  await page.evaluate(() => (document.querySelector('[data-scroll="charts"]').scrollTop = 120));
  const scrolled = await page.evaluate(() => document.querySelector('[data-scroll="charts"]').scrollTop);
  assert.ok(scrolled > 0);
  const zoom = await page.evaluate(() => JSON.stringify(window.__taffrail.view().zoom));
  server.grow(30);
  await page.waitForTimeout(1200);
  assert.equal(await page.evaluate(() => JSON.stringify(window.__taffrail.view().zoom)), zoom);
  assert.equal(await page.evaluate(() => document.querySelector('[data-scroll="charts"]').scrollTop), scrolled);
  const chip = page.locator('[data-card="train/loss"] .chip.accent');
  assert.match(await chip.textContent(), /zoomed/);
  await chip.click();
  await page.waitForFunction(() => Object.keys(window.__taffrail.view().zoom).length === 0);
  await done();
});

test("6: what the live chart shows in the end is what the server has", async () => {
  const server = await start(["demo"], { options: { runs: 4, points: 300 } });
  const project = await projectOf(server);
  const { page, done } = await open(`${server.url}#/charts?project=${project}&q=train/loss`);
  await painted(page, "train/loss");
  await settled(page);
  for (let i = 0; i < 12; i++) {
    server.grow(37);
    await page.waitForTimeout(280);
  }
  await settled(page, 900);
  const shown = await countOf(page);
  const runs = (await postJson(server.url, "runs:query", { project: decodeURIComponent(project) })).runs.id;
  let total = 0;
  for (const id of runs) total += (await getJson(server.url, `run?run=${encodeURIComponent(id)}`)).series.find((s) => s.key === "train/loss").count;
  assert.equal(shown, total);
  await done();
});

test("7: a server that goes away gives a banner; when it is back the page recovers by itself", async () => {
  const first = await serve(["demo"], { options: { runs: 4, points: 300 } });
  const project = await projectOf(first);
  const { page, done } = await open(`${first.url}#/charts?project=${project}&q=train/loss`, { allow: ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "Failed to load resource"] });
  await painted(page, "train/loss");
  const before = await countOf(page);
  await first.close();
  await page.waitForSelector(".banner");
  assert.match(await page.locator(".banner").textContent(), /Disconnected/);
  const second = await start(["demo"], { options: { runs: 4, points: 300 }, port: first.port });
  await page.waitForSelector(".banner", { state: "detached", timeout: 15000 });
  await settled(page);
  assert.equal(await countOf(page), before, "no point twice, none lost");
  second.grow(25);
  await page.waitForFunction((n) => Number(/(\d+) points/.exec(document.querySelector('[data-card="train/loss"] .plot').getAttribute("aria-label"))[1]) > n, before);
  await done();
});

test("7: behind a proxy that holds streams back the page updates by polling", async () => {
  const server = await start(["demo"], { options: { runs: 4, points: 300 } });
  const project = await projectOf(server);
  // Everything passes except the body of the stream, which never arrives.
  const proxy = createServer((incoming, outgoing) => {
    const upstream = request({ port: server.port, path: incoming.url, method: incoming.method, headers: { ...incoming.headers, host: `127.0.0.1:${server.port}`, ...(incoming.headers.origin ? { origin: `http://127.0.0.1:${server.port}` } : {}) } }, (answer) => {
      if (incoming.url.includes("/api/v1/events")) return void answer.resume();
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  await new Promise((r) => proxy.listen(0, "127.0.0.1", r));
  const { page, done } = await open(`http://127.0.0.1:${proxy.address().port}/#/charts?project=${project}&q=train/loss`);
  await painted(page, "train/loss");
  const before = await countOf(page);
  await page.waitForSelector(".live-dot.polling", { timeout: 15000 });
  server.grow(25);
  await page.waitForFunction((n) => Number(/(\d+) points/.exec(document.querySelector('[data-card="train/loss"] .plot').getAttribute("aria-label"))[1]) > n, before, { timeout: 15000 });
  await done();
  proxy.closeAllConnections();
  await new Promise((r) => proxy.close(r));
});
