// Measures the dashboard in a browser: node page.mjs '{"task": …, "url": …}' prints one JSON object.
//
// Times are taken inside the page wherever that is possible: a message between this program and the browser takes
// milliseconds of its own.
import { createInterface } from "node:readline";
import { spawn } from "node:child_process";
import { freshPage, heapMb, launch, median, p95 } from "./chromium.mjs";

const options = JSON.parse(process.argv[2]);
const browser = await launch();
const address = (url, name, project, rest = "") => `${url}#/${name}?project=${encodeURIComponent(project)}${rest}`;

/** Milliseconds from navigation until `ready` (a function of the page) is true and the frame that shows it is out. */
async function navigate(target, ready, argument, size) {
  const { context, page } = await freshPage(browser, size);
  await page.goto(target, { waitUntil: "commit" });
  const ms = await page.evaluate(
    async ([text, value]) => {
      const done = (0, eval)(`(${text})`);
      while (!done(value)) {
        if (performance.now() > 60000) throw new Error(`not ready after 60 s: ${location.href}`);
        await new Promise((r) => requestAnimationFrame(r));
      }
      await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 0)));
      return performance.now();
    },
    [ready.toString(), argument],
  );
  return { context, page, ms };
}
const paintedCards = (count) => document.querySelectorAll("[data-card] .plot[data-painted]").length >= count;
const chartsAndRuns = (count) => document.querySelectorAll("[data-card] .plot[data-painted]").length >= count && document.querySelectorAll(".run-row, [data-run]").length > 5;
const tableRows = () => document.querySelectorAll(".grid-row").length > 10 && /\d\.\d/.test(document.querySelector(".grid-row").textContent);

/** The heap and the series in shared memory, which counts to no heap. */
async function memory(page) {
  return (await heapMb(page)).mb + (await page.evaluate(() => window.__taffrail.stats.feed.held)) / 1e6;
}

async function repeat(times, target, ready, argument, size) {
  const samples = [];
  for (let i = 0; i < times; i++) {
    const { context, ms } = await navigate(target, ready, argument, size);
    samples.push(ms);
    await context.close();
  }
  return samples;
}

/** Moves the mouse over a chart; each sample runs from the event to the frame with the tooltip and crosshair. */
async function hover(page, times) {
  const box = await page.locator("[data-card] .plot[data-painted]").first().boundingBox();
  await page.evaluate(() => {
    window.__hover = [];
    addEventListener("pointermove", (event) => {
      const before = document.querySelector(".tooltip .title")?.textContent ?? "";
      const look = () =>
        requestAnimationFrame(() => {
          if ((document.querySelector(".tooltip .title")?.textContent ?? "") === before && performance.now() - event.timeStamp < 500) return look();
          const channel = new MessageChannel();
          channel.port1.onmessage = () => window.__hover.push(performance.now() - event.timeStamp);
          channel.port2.postMessage(0);
        });
      look();
    }, { capture: true });
  });
  for (let i = 0; i < times + 3; i++) {
    await page.mouse.move(box.x + 80 + ((i * 37) % Math.max(60, box.width - 160)), box.y + 40 + ((i * 13) % 60));
    await page.waitForTimeout(120);
  }
  return (await page.evaluate(() => window.__hover)).slice(3);
}

/**
 * What a hover costs the page: from its first handler to the last change of the document that it made, without the wait
 * for a frame.
 */
async function hoverWork(page, times) {
  const box = await page.locator("[data-card] .plot[data-painted]").first().boundingBox();
  await page.evaluate(() => {
    window.__work = [];
    let began = 0, ended = 0;
    new MutationObserver(() => (ended = performance.now())).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    addEventListener("pointermove", () => {
      began = performance.now();
      ended = 0;
      const channel = new MessageChannel();
      channel.port1.onmessage = () => ended && window.__work.push(ended - began);
      channel.port2.postMessage(0);
    }, { capture: true });
  });
  for (let i = 0; i < times + 5; i++) {
    await page.mouse.move(box.x + 80 + ((i * 41) % Math.max(60, box.width - 160)), box.y + 40 + ((i * 17) % 60));
    await page.waitForTimeout(80);
  }
  return (await page.evaluate(() => window.__work)).slice(5);
}

/** Zooms by dragging; each sample runs from the release of the button to the last, exact picture of that chart. */
async function zoom(page, times) {
  const samples = [];
  await page.evaluate(() => {
    window.__up = 0;
    addEventListener("pointerup", (event) => (window.__up = event.timeStamp), { capture: true });
  });
  for (let i = 0; i < times; i++) {
    const plot = page.locator("[data-card] .plot[data-painted]").first();
    const box = await plot.boundingBox();
    const from = box.x + 80 + ((i * 29) % 90);
    await page.mouse.move(from, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(from + 60, box.y + 42);
    await page.mouse.move(from + 120, box.y + 44);
    const waiting = page.evaluate(async () => {
      const stats = window.__taffrail.stats.feed;
      const asked = stats.requests + stats.cacheHits;
      const element = document.querySelector("[data-card] .plot[data-painted]");
      window.__up = 0;
      let last = 0, quiet = 0, painted = element.dataset.painted;
      const began = performance.now();
      while (performance.now() - began < 10000) {
        await new Promise((r) => requestAnimationFrame(r));
        if (!window.__up) continue;
        if (element.dataset.painted !== painted) (painted = element.dataset.painted), (last = performance.now());
        if (stats.pending) quiet = performance.now();
        if (last && stats.requests + stats.cacheHits > asked && performance.now() - Math.max(last, quiet) > 250) return last - window.__up;
      }
      return null;
    });
    await page.waitForTimeout(40);
    await page.mouse.up();
    const ms = await waiting;
    if (ms !== null) samples.push(ms);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 50);
    await page.waitForTimeout(500);
  }
  return samples;
}

const tasks = {
  async workspace({ url, project, times, cards }) {
    const samples = await repeat(times, address(url, "charts", project), paintedCards, cards, { width: 1920, height: 1500 });
    return { ms: p95(samples), median: median(samples) };
  },

  async many({ url, project, times, hovers }) {
    const charts = await repeat(times, address(url, "charts", project), chartsAndRuns, 4);
    const table = await repeat(times, address(url, "table", project), tableRows, 0);
    const { context, page } = await navigate(address(url, "charts", project), chartsAndRuns, 4);
    await page.waitForTimeout(1500);
    const hovered = await hover(page, hovers);
    const worked = await hoverWork(page, hovers);
    const zoomed = await zoom(page, hovers);
    await page.waitForTimeout(500);
    const heap = await memory(page);
    await context.close();
    return { charts_ms: p95(charts), table_ms: p95(table), hover_ms: p95(hovered), hover_median: median(hovered), hover_work_ms: p95(worked), zoom_ms: p95(zoomed), zoom_median: median(zoomed), heap_mb: heap, hovers: hovered.length, zooms: zoomed.length };
  },

  /** Each page once, until it asks for nothing more. */
  async every_page({ url, project, pages }) {
    for (const name of pages) {
      const { context, page } = await freshPage(browser);
      await page.goto(address(url, name, project), { waitUntil: "load" });
      await page.waitForTimeout(3000);
      await context.close();
    }
    return { pages: pages.length };
  },

  async series({ url, project, times }) {
    const { context, page } = await navigate(address(url, "charts", project), paintedCards, 1);
    await page.waitForTimeout(800);
    const hovered = await hover(page, times);
    const zoomed = await zoom(page, times);
    await context.close();
    return { hover_ms: p95(hovered), hover_median: median(hovered), zoom_ms: p95(zoomed), zoom_median: median(zoomed), zooms: zoomed.length };
  },

  /** The writer logs one point for each line it is sent and answers with the time just before the call. */
  async live({ url, project, times, writer }) {
    const child = spawn(writer[0], writer.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const log = async () => {
      child.stdin.write("\n");
      return Number((await lines.next()).value);
    };
    for (let i = 0; i < 50; i++) await log();
    await new Promise((r) => setTimeout(r, 1500));
    const { context, page } = await navigate(address(url, "charts", project), paintedCards, 1);
    await page.waitForTimeout(1500);
    const samples = [];
    for (let i = 0; i < times; i++) {
      const seen = page.evaluate(async () => {
        const element = document.querySelector("[data-card] .plot[data-painted]");
        const first = element.getAttribute("aria-label");
        const began = performance.now();
        // The label changes when the point arrives, the picture when it is drawn.
        let painted = element.dataset.painted;
        while (element.getAttribute("aria-label") === first) {
          painted = element.dataset.painted;
          await new Promise((r) => requestAnimationFrame(r));
          if (performance.now() - began > 10000) return null;
        }
        while (element.dataset.painted === painted && performance.now() - began < 10000) await new Promise((r) => requestAnimationFrame(r));
        return performance.timeOrigin + performance.now();
      });
      await page.waitForTimeout(30 + ((i * 61) % 250));
      const at = await log();
      const shown = await seen;
      if (shown !== null) samples.push(shown - at);
      await page.waitForTimeout(300);
    }
    await context.close();
    child.stdin.end();
    return { ms: p95(samples), median: median(samples), samples: samples.length };
  },

  /** What moves by itself while a run starts and brings metrics: the cumulative layout shift of the charts page. */
  async shift({ url, project, seconds, writer }) {
    const { context, page } = await freshPage(browser, { width: 1440, height: 900 });
    await page.addInitScript(() => {
      window.__shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__shift += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(address(url, "charts", project));
    await page.waitForSelector("[data-card] .plot[data-painted]");
    const child = spawn(writer[0], writer.slice(1), { stdio: ["ignore", "ignore", "inherit"] });
    await page.waitForTimeout(seconds * 1000);
    const late = await page.evaluate(() => document.body.textContent.includes("arrived"));
    const cls = await page.evaluate(() => window.__shift);
    child.kill();
    await context.close();
    if (!late) throw new Error("the run that arrives is not on the page");
    return { cls };
  },

  /** Bytes of pictures that a wall of tiles asks for. */
  async tiles({ url, project, count }) {
    const { context, page } = await freshPage(browser, { width: 2000, height: 1400 });
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    const asked = new Map();
    let bytes = 0;
    session.on("Network.responseReceived", ({ requestId, response, type }) => type === "Image" && asked.set(requestId, response.url));
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => asked.has(requestId) && (bytes += encodedDataLength));
    await page.goto(address(url, "media", project));
    await page.waitForSelector("img");
    const loaded = () => page.evaluate(() => [...document.querySelectorAll("img")].filter((i) => i.complete && i.naturalWidth).map((i) => i.src));
    const seen = new Set();
    for (let turn = 0; turn < 400 && seen.size < count; turn++) {
      for (const src of await loaded()) seen.add(src);
      await page.mouse.move(1200, 700);
      await page.mouse.wheel(0, 500);
      await page.waitForTimeout(100);
    }
    await context.close();
    if (seen.size < count) throw new Error(`${seen.size} of ${count} tiles`);
    return { bytes, tiles: seen.size };
  },

  /** Bytes of a first visit as they travel, without the API. */
  async weight({ url, project }) {
    const { context, page } = await freshPage(browser);
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    const names = new Map();
    let bytes = 0;
    session.on("Network.responseReceived", ({ requestId, response }) => names.set(requestId, response.url));
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (!(names.get(requestId) ?? "/api/").includes("/api/")) bytes += encodedDataLength;
    });
    await page.goto(address(url, "charts", project));
    await page.waitForSelector("[data-card] .plot[data-painted]");
    await page.waitForTimeout(1000);
    await context.close();
    return { kb: bytes / 1000 };
  },

  /** First chart, zoom and heap on a TensorBoard logdir. */
  async logdir({ url, project, zooms }) {
    const { context, page, ms } = await navigate(address(url, "charts", project), paintedCards, 1);
    await page.waitForTimeout(2000);
    const zoomed = await zoom(page, zooms);
    const heap = await memory(page);
    await context.close();
    return { first_ms: ms, zoom_ms: median(zoomed), heap_mb: heap };
  },
};

const result = await tasks[options.task](options);
await browser.close();
console.log(JSON.stringify(result));
