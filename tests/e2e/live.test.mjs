// Live updates, lost connections, streams held back.
import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Run, Series } from "./generator/data.mjs";
import { getJson, postJson } from "./api.mjs";
import { eventually, open, painted, quit, settled } from "./browser.mjs";
import { test } from "./measured.mjs";
import { serve } from "./server.mjs";

const slow = Number(process.env.TAFFRAIL_E2E_SLOW ?? 1);
const full = process.env.TAFFRAIL_E2E_FULL === "1";
after(quit);
const running = (runs, points) => serve(["demo"], { options: { runs, points, running: true } });
const projectOf = async (server) =>
  encodeURIComponent((await getJson(server.url, "projects")).projects[0].name);
const countOf = async (page) =>
  Number(
    /(\d+) points/.exec(
      await page.locator('[data-card="train/loss"] .plot').getAttribute("aria-label"),
    )[1],
  );
const moreThan = (page, n, timeout = 20000) =>
  page.waitForFunction(
    (m) =>
      Number(
        /(\d+) points/.exec(
          document.querySelector('[data-card="train/loss"] .plot').getAttribute("aria-label"),
        )[1],
      ) > m,
    n,
    { timeout, polling: 20 },
  );
/** What arrives in several pieces is whole in the end. */
const countIs = (page, expected, why) =>
  eventually(async () => assert.equal(await countOf(page), await expected(), why));
const stored = async (server, project) => {
  let total = 0;
  for (const id of (
    await postJson(server.url, "runs:query", { project: decodeURIComponent(project) })
  ).runs.id)
    total += (await getJson(server.url, `run?run=${encodeURIComponent(id)}`)).series.find(
      (s) => s.key === "train/loss",
    ).count;
  return total;
};

test("6: new points are on the screen within a second, history is not fetched again, zoom and scroll stay", async () => {
  const server = await running(6, 1500);
  const project = await projectOf(server);
  const { page, done } = await open(`${server.url}#/charts?project=${project}&search=train/`);
  await painted(page, "train/loss");
  await settled(page);
  const first = await page.evaluate(() => ({ ...window.__taffrail.stats.feed }));
  const before = await countOf(page);
  const delays = [];
  for (let i = 0; i < 5; i++) {
    const had = await countOf(page);
    const began = Date.now();
    await server.grow(20);
    await moreThan(page, had);
    delays.push(Date.now() - began);
  }
  delays.sort((a, b) => a - b);
  assert.ok(delays[2] < 1000 * slow, `${delays} ms from write to screen`);
  await settled(page, 700);
  const after = await page.evaluate(() => ({ ...window.__taffrail.stats.feed }));
  assert.equal(after.requests, first.requests, "no chart was asked for as a whole");
  assert.ok(after.tails > first.tails);
  assert.ok(
    after.bytes - first.bytes < first.bytes,
    `${after.bytes - first.bytes} bytes of tails against ${first.bytes} at first`,
  );
  await countIs(page, () => before + 5 * 20 * 6);
  // Zoomed in, nothing moves; the chip brings the end back.
  const plot = page.locator('[data-card="train/loss"] .plot');
  await plot.scrollIntoViewIfNeeded();
  await settled(page);
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 100, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 180, box.y + 62, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => Object.keys(window.__taffrail.view().zoom).length > 0);
  await settled(page);
  await page.evaluate(() => (document.querySelector('[data-scroll="charts"]').scrollTop += 40));
  const scrolled = await page.evaluate(
    () => document.querySelector('[data-scroll="charts"]').scrollTop,
  );
  assert.ok(scrolled > 0);
  const places = () =>
    page.locator("[data-card]").evaluateAll((l) => l.map((c) => c.getBoundingClientRect().top));
  const [zoom, layout] = [
    await page.evaluate(() => JSON.stringify(window.__taffrail.view().zoom)),
    await places(),
  ];
  await server.grow(30);
  await page.waitForTimeout(1200);
  assert.equal(await page.evaluate(() => JSON.stringify(window.__taffrail.view().zoom)), zoom);
  assert.equal(
    await page.evaluate(() => document.querySelector('[data-scroll="charts"]').scrollTop),
    scrolled,
  );
  assert.deepEqual(await places(), layout, "live updates shift nothing");
  const chip = page.locator('[data-card="train/loss"] .chip.accent');
  await eventually(async () => assert.match(await chip.textContent(), /live paused/));
  await chip.click();
  await page.waitForFunction(() => Object.keys(window.__taffrail.view().zoom).length === 0);
  await done();
  await server.close();
});

test(`6: twenty runs at 200 points a second for ${full ? 60 : 8} seconds: the bytes follow the new points, the end is what the server has`, async () => {
  const server = await running(20, 400);
  const project = await projectOf(server);
  const { page, done } = await open(`${server.url}#/charts?project=${project}&search=train/loss`);
  await painted(page, "train/loss");
  await settled(page);
  const first = await page.evaluate(() => ({ ...window.__taffrail.stats.feed }));
  const before = await countOf(page);
  const until = Date.now() + (full ? 60000 : 8000);
  while (Date.now() < until) {
    const next = Date.now() + 250;
    await server.grow(50);
    await sleep(Math.max(0, next - Date.now()));
  }
  await settled(page, 900);
  await countIs(page, () => stored(server, project), "no point twice, none lost");
  const last = await page.evaluate(() => ({ ...window.__taffrail.stats.feed }));
  assert.equal(last.requests, first.requests, "no chart was asked for as a whole");
  const perPoint = (last.bytes - first.bytes) / ((await countOf(page)) - before);
  assert.ok(perPoint < 64, `${perPoint.toFixed(0)} bytes for each new point`);
  await done();
  await server.close();
});

test("7: a server that is killed gives a banner; when it is back the page recovers within five seconds, no point twice, none lost", async () => {
  const server = await running(4, 300);
  const project = await projectOf(server);
  const { page, done } = await open(`${server.url}#/charts?project=${project}&search=train/loss`, {
    allow: [
      "ERR_CONNECTION_REFUSED",
      "ERR_CONNECTION_RESET",
      "ERR_INCOMPLETE_CHUNKED_ENCODING",
      "ERR_EMPTY_RESPONSE",
      "Failed to load resource",
    ],
  });
  await painted(page, "train/loss");
  const before = await countOf(page);
  await server.grow(10);
  await moreThan(page, before);
  await server.stop("SIGKILL");
  await page.waitForSelector(".banner");
  await eventually(async () =>
    assert.match(await page.locator(".banner").textContent(), /Disconnected/),
  );
  await server.grow(25);
  const began = Date.now();
  await server.again();
  await page.waitForSelector(".banner", { state: "detached", timeout: 20000 });
  await moreThan(page, before + 4 * 10);
  assert.ok(Date.now() - began < 5000 * slow, `${Date.now() - began} ms`);
  await server.grow(5);
  await moreThan(page, before + 4 * 35);
  await settled(page, 600);
  await countIs(page, () => stored(server, project));
  await done();
  await server.close();
});

const fronts = new Set();
after(() => Promise.all([...fronts].map((front) => front.close())));

/**
 * A proxy before the server. `cut` ends a connection instead of asking the server, `hold` asks
 * later, `pass` may answer in its place.
 */
async function proxy(server, { cut = () => false, hold = () => null, pass = () => true }) {
  const listening = createServer(async (incoming, outgoing) => {
    if (cut(incoming)) return void outgoing.destroy();
    await hold(incoming);
    const upstream = request(
      {
        port: server.port,
        path: incoming.url,
        method: incoming.method,
        headers: {
          ...incoming.headers,
          host: `127.0.0.1:${server.port}`,
          ...(incoming.headers.origin ? { origin: `http://127.0.0.1:${server.port}` } : {}),
        },
      },
      (answer) => {
        if (!pass(incoming, answer, outgoing)) return;
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.pipe(outgoing);
        outgoing.on("close", () => answer.destroy());
      },
    );
    upstream.on("error", () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  await new Promise((r) => listening.listen(0, "127.0.0.1", r));
  const front = {
    url: `http://127.0.0.1:${listening.address().port}/`,
    close() {
      fronts.delete(front);
      listening.closeAllConnections();
      return new Promise((r) => listening.close(r));
    },
  };
  fronts.add(front);
  return front;
}

test("7: behind a proxy that holds streams back the page updates by polling", async () => {
  const server = await running(4, 300);
  const project = await projectOf(server);
  // Everything passes except the body of the stream, which never arrives.
  const front = await proxy(server, {
    pass: (incoming, answer) => !incoming.url.includes("/api/v1/events") || void answer.resume(),
  });
  const { page, done } = await open(`${front.url}#/charts?project=${project}&search=train/loss`);
  await painted(page, "train/loss");
  const before = await countOf(page);
  await page.waitForSelector(".live-dot.polling", { timeout: 15000 });
  await server.grow(25);
  await moreThan(page, before);
  await done();
  await front.close();
  await server.close();
});

test("live: all tabs of a browser share one stream, and each of them hears it", async () => {
  const server = await running(3, 200);
  const project = await projectOf(server);
  let streams = 0;
  const front = await proxy(server, {
    pass(incoming) {
      if (incoming.url.includes("/api/v1/events")) streams++;
      return true;
    },
  });
  const address = `${front.url}#/charts?project=${project}&search=train/loss`;
  const { page, done } = await open(address);
  await painted(page, "train/loss");
  const others = [await page.context().newPage(), await page.context().newPage()];
  for (const other of others) {
    await other.goto(address);
    await painted(other, "train/loss");
  }
  const before = await countOf(page);
  await server.grow(15);
  for (const tab of [page, ...others]) {
    await tab.bringToFront();
    await moreThan(tab, before);
  }
  assert.equal(streams, 1);
  await done();
  await front.close();
  await server.close();
});

const brokenConnections = [
  "ERR_EMPTY_RESPONSE",
  "ERR_CONNECTION_RESET",
  "ERR_CONNECTION_CLOSED",
  "Failed to load resource",
];

test("7: connections that break while a page is loaded cost a moment, not the page", async () => {
  const server = await running(3, 200);
  const project = await projectOf(server);
  // Four times each: the browser itself asks twice, and so does the page.
  const broken = new Map();
  const front = await proxy(server, {
    cut({ url }) {
      const what = /runs:query|series:query|raster/.exec(url)?.[0];
      if (!what || (broken.get(what) ?? 0) >= 4) return false;
      broken.set(what, (broken.get(what) ?? 0) + 1);
      return true;
    },
  });
  const { page, done } = await open(`${front.url}#/charts?project=${project}&search=train/loss`, {
    allow: brokenConnections,
  });
  await painted(page, "train/loss");
  assert.deepEqual([...broken].sort(), [
    ["raster", 4],
    ["runs:query", 4],
    ["series:query", 4],
  ]);
  const before = await countOf(page);
  await server.grow(15);
  await moreThan(page, before);
  await countIs(page, () => stored(server, project));
  await done();
  await front.close();
  await server.close();
});

test("live: what a run logs after a page was loaded and before it listens is on the screen, though nothing follows", async () => {
  const server = await running(3, 200);
  const project = await projectOf(server);
  // A page that waits for its stream for four seconds asks by itself instead: on a busy machine
  // that may come first, and the page shows nothing of what is meant here.
  let heard = false;
  for (let tries = 0; tries < 12 && !heard; ++tries) {
    let listen;
    const mayListen = new Promise((done) => (listen = done));
    const front = await proxy(server, {
      hold: ({ url }) => (url.includes("/api/v1/events") ? mayListen : null),
    });
    const { page, done } = await open(`${front.url}#/charts?project=${project}&search=train/loss`);
    const asks = async () => (await page.locator(".live-dot.polling").count()) > 0;
    await painted(page, "train/loss");
    const before = await countOf(page);
    const kept = await stored(server, project);
    await server.grow(15);
    await eventually(async () => assert.equal(await stored(server, project), kept + 3 * 15));
    const shown = await countOf(page);
    if (!(await asks())) {
      assert.equal(shown, before);
      listen();
      await moreThan(page, before);
      heard = !(await asks());
      if (heard) {
        await countIs(page, () => before + 3 * 15);
      }
    }
    listen();
    await done();
    await front.close();
  }
  assert.ok(heard, "it heard of it from the stream");
  await server.close();
});

test("live: a new run appears by itself, and a new metric gets its card", async () => {
  const server = await running(3, 200);
  const project = await projectOf(server);
  const { page, done } = await open(`${server.url}#/charts?project=${project}`);
  await painted(page, "auto:loss");
  const run = new Run({
    id: "fresh",
    name: "fresh-start",
    start_ms: Date.now(),
    end_ms: Date.now(),
    state: "running",
  });
  run.series.set(
    "novel/score",
    new Series(() => Float64Array.from({ length: 50 }, (_, i) => i / 50), { start: run.start_ms }),
  );
  await server.writers[0].begin(run);
  await page.waitForSelector('.run-row[data-run="fresh"]');
  // At the end, where it moves nothing.
  await eventually(async () => {
    await page.evaluate(() =>
      document.querySelector('[data-scroll="charts"]').scrollTo({ top: 1e6 }),
    );
    assert.equal(await page.locator('[data-card="novel/score"]').count(), 1);
  });
  await painted(page, "novel/score");
  await done();
  await server.close();
});

test("live: what stands beside a name follows its run on every page, and so does who passes the filter", async () => {
  const handles = {};
  const server = await serve(["odd"], {
    options: {
      async write(open) {
        for (const name of ["grows", "ended"]) {
          handles[name] = await open(name, { id: name });
          await handles[name].scalars("val/loss", [0.9, name === "grows" ? 0.8 : 0.5]);
        }
        await handles.ended.finish();
      },
    },
  });
  const grow = async (value, step) => {
    await handles.grows.scalars("val/loss", [value], { steps: [step] });
    await server.writers[0].sync();
  };
  const address = (rest) => `${server.url}#/charts?project=odd${rest}`;
  const { page, done } = await open(address(""));
  const beside = () => page.locator('.run-row[data-run="grows"] .list-value').textContent();
  const listed = () => page.locator(".run-row").count();
  await painted(page, "val/loss");
  await eventually(async () => assert.equal(await beside(), "0.8000"));
  await grow(0.25, 2);
  await eventually(async () => assert.equal(await beside(), "0.2500"));

  await page.getByLabel("Filter runs").fill("val/loss<0.2");
  await page.getByRole("heading", { name: "No run matches the filter" }).waitFor();
  await grow(0.125, 3);
  await eventually(async () => assert.equal(await beside(), "0.1250"));
  await page.getByLabel("Filter runs").fill("state=running");
  await eventually(async () => assert.equal(await listed(), 1));
  await handles.grows.finish();
  await server.writers[0].sync();
  await eventually(async () => assert.equal(await listed(), 0));
  await done();
  await server.close();
});
