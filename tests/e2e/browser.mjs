// The browser of the tests: Debian's chromium, headless, no GPU. Every page fails its test on
// console errors, failed requests and on any request that leaves loopback.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { inflateSync } from "node:zlib";
import { watchLoopback } from "./loopback.mjs";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const patience = Number(process.env.TAFFRAIL_E2E_SLOW ?? 1);

let browser, outside;
export async function launch() {
  outside ??= await watchLoopback();
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...outside.flags,
    ],
  });
  return browser;
}
export const chromiumVersion = async () => (await launch()).version();
export async function quit() {
  await browser?.close();
  outside?.close();
  browser = outside = undefined;
}

const pause = (ms) => new Promise((r) => setTimeout(r, ms));

/**
 * TAFFRAIL_E2E_LAG=300: every question of a page waits up to that many milliseconds, and so does
 * its answer. What only works because loopback is fast fails then.
 */
async function delay(context, lag) {
  await context.route(/\/api\/v1\/(?!events)/, async (route) => {
    try {
      await pause(Math.random() * lag);
      const response = await route.fetch();
      await pause(Math.random() * lag);
      await route.fulfill({ response });
    } catch {
      await route.abort("aborted").catch(() => undefined); // the page is gone, or the server is
    }
  });
}

/**
 * Per page: how many questions it asked, and those without an answer yet. Not counted: streams,
 * which stay open; players, which stop reading when they have enough; shared workers' own files,
 * whose end is never told; service workers, which belong to no page.
 */
const asked = new WeakMap();
function questions(page) {
  if (!asked.has(page)) asked.set(page, { count: 0, open: new Set() });
  return asked.get(page);
}
function watchQuestions(context) {
  const endless = (request) =>
    /\/(events|assets\/live-)/.test(request.url()) || request.resourceType() === "media";
  const of = (request) =>
    request.serviceWorker() || endless(request) ? null : questions(request.frame().page());
  context.on("request", (request) => {
    const page = of(request);
    if (!page) return;
    page.count++;
    page.open.add(request);
    if (request.isNavigationRequest() && !request.frame().parentFrame()) page.document = request;
  });
  for (const end of ["requestfinished", "requestfailed"])
    context.on(end, (request) => of(request)?.open.delete(request));
  // What a document asked for and did not get before another one took its place: nobody tells its
  // end. (An address that changes behind its # is no new document.)
  context.on("page", (page) =>
    page.on("framenavigated", (frame) => {
      const state = questions(page);
      if (frame.parentFrame() || !state.document) return;
      for (const request of state.open) if (request !== state.document) state.open.delete(request);
      state.document = undefined;
    }),
  );
}

/** Every text that a canvas of the page draws, in `window.__texts`: the labels of axes. */
export const recordTexts = () => {
  window.__texts = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    window.__texts.push({ text, x, y, card: this.canvas.closest("[data-card]")?.dataset.card });
    return draw.call(this, text, x, y, ...rest);
  };
};

/**
 * A page in a fresh profile. `done()` checks what it and every other page of the profile did, and
 * closes them.
 */
export async function open(
  url,
  {
    width = 1440,
    height = 900,
    dark = false,
    touch = false,
    allow = [],
    clock = true,
    init,
    routes = {},
  } = {},
) {
  const context = await (
    await launch()
  ).newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    deviceScaleFactor: 1,
    hasTouch: touch,
    timezoneId: "UTC",
    locale: "en-GB",
    acceptDownloads: true,
  });
  context.setDefaultTimeout(60000 * patience);
  if (clock) await context.addInitScript(() => (window.__e2e = true));
  if (init) await context.addInitScript(init);
  for (const [pattern, handler] of Object.entries(routes)) await context.route(pattern, handler);
  const faults = [];
  context.on("console", (m) => {
    if (m.type() === "error" && !allow.some((a) => m.text().includes(a)))
      faults.push(`console: ${m.text()}`);
  });
  context.on("weberror", (e) =>
    faults.push(
      `exception: ${e.error().message} ${(e.error().stack ?? "").split("\n").slice(1, 4).join(" ")}`,
    ),
  );
  context.on("requestfailed", (r) => {
    const why = r.failure()?.errorText ?? "";
    if (why !== "net::ERR_ABORTED" && !allow.some((a) => r.url().includes(a) || why.includes(a)))
      faults.push(`request: ${r.url()} ${why}`);
  });
  watchQuestions(context);
  if (process.env.TAFFRAIL_E2E_LAG) await delay(context, Number(process.env.TAFFRAIL_E2E_LAG));
  const page = await context.newPage();
  const already = outside.left.length;
  await page.goto(url);
  return {
    page,
    async done() {
      await context.close();
      faults.push(...outside.left.slice(already).map((url) => `left loopback: ${url}`));
      assert.deepEqual(faults, []);
    },
  };
}

/** Waits until a check that may take a moment holds; its own message is what a failure says. */
export async function eventually(check, timeout = 60000) {
  for (const end = Date.now() + timeout; ;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((r) => setTimeout(r, 50));
    }
  }
}

/** The card of a chart once it shows a picture. */
export async function painted(page, card, more = "") {
  const selector = `[data-card="${card}"]${more} .plot[data-painted]`;
  try {
    await page.waitForSelector(selector);
  } catch (error) {
    throw new Error(
      `${card} shows no picture: ${await whatItShows(page).catch((e) => e.message)}`,
      { cause: error },
    );
  }
  return page.locator(`[data-card="${card}"]${more} .plot`).first();
}

/** How far a page came, for the message of a test that waited for more. */
async function whatItShows(page) {
  const shown = page.evaluate(async () => {
    const frame = await Promise.race([
      new Promise((r) => requestAnimationFrame(() => r(true))),
      new Promise((r) => setTimeout(() => r(false), 2000)),
    ]);
    return JSON.stringify({
      frame,
      visible: document.visibilityState,
      stats: window.__taffrail?.stats,
      cards: [...document.querySelectorAll("[data-card]")].map((c) => c.dataset.card),
      text: document.body.innerText.replace(/\s+/g, " ").slice(0, 300),
      requests: performance
        .getEntriesByType("resource")
        .slice(-12)
        .map(
          (e) =>
            `${e.name.replace(location.origin, "")} ${e.responseStatus} ${Math.round(e.startTime)}+${Math.round(e.duration)}`,
        ),
    });
  });
  return Promise.race([
    shown,
    new Promise((r) => setTimeout(() => r("it answers no question"), 5000).unref()),
  ]);
}

/** Waits until a chart was painted again after `action`. */
export async function repaint(page, card, action) {
  const plot = page.locator(`[data-card="${card}"] .plot`).first();
  const before = Number((await plot.getAttribute("data-painted")) ?? 0);
  await action();
  await page.waitForFunction(
    ([c, b]) =>
      Number(document.querySelector(`[data-card="${c}"] .plot`)?.dataset.painted ?? 0) > b,
    [card, before],
  );
  await settled(page);
}

/**
 * Until every question is answered and no picture is pending. Counts only time in which frames
 * come: sizes and effects wait for one, and a busy machine can leave a page without any for longer
 * than the quiet asked for.
 */
export async function settled(page, quiet = 250) {
  const state = questions(page);
  await eventually(async () => {
    await answered(page);
    const { count } = state;
    await page.evaluate(async (wait) => {
      const stats = window.__taffrail.stats;
      let last = "";
      let since = performance.now();
      for (let frames = 0; performance.now() - since < wait || frames < 4; frames++) {
        const now = JSON.stringify([
          stats.feed.requests,
          stats.feed.bytes,
          stats.feed.tails,
          stats.raster.draws,
          stats.raster.pending,
        ]);
        if (now !== last) {
          last = now;
          since = performance.now();
          frames = 0;
        }
        await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 20)));
      }
    }, quiet);
    assert.equal(state.count, count, "the page keeps asking");
  }, 60000 * patience);
}

/** Until no question of the page is without an answer. */
export const answered = (page) =>
  eventually(
    () =>
      assert.deepEqual(
        [...questions(page).open].map((r) => r.url()),
        [],
        "no answer to these",
      ),
    60000 * patience,
  );

/** Pixels of a chart's base bitmap: {width, height, at(x, y) → [r, g, b]}. */
export async function pixels(page, card) {
  const { width, height, data } = await page.evaluate((c) => {
    const base = document.querySelector(`[data-card="${c}"] .plot-base`);
    const copy = new OffscreenCanvas(base.width, base.height);
    const context = copy.getContext("2d");
    context.drawImage(base, 0, 0);
    const image = context.getImageData(0, 0, base.width, base.height);
    let text = "";
    for (let i = 0; i < image.data.length; i += 8192)
      text += String.fromCharCode(...image.data.subarray(i, i + 8192));
    return { width: base.width, height: base.height, data: btoa(text) };
  }, card);
  const bytes = Buffer.from(data, "base64");
  return {
    width,
    height,
    at: (x, y) => [
      bytes[(y * width + x) * 4],
      bytes[(y * width + x) * 4 + 1],
      bytes[(y * width + x) * 4 + 2],
    ],
  };
}

/** Decodes a PNG of 8 bits a channel to {width, height, channels, data}. */
export function decodePng(buffer) {
  let at = 8;
  const parts = [];
  let width = 0,
    height = 0,
    channels = 4;
  while (at < buffer.length) {
    const length = buffer.readUInt32BE(at);
    const type = buffer.toString("latin1", at + 4, at + 8);
    if (type === "IHDR")
      ((width = buffer.readUInt32BE(at + 8)),
        (height = buffer.readUInt32BE(at + 12)),
        (channels = { 0: 1, 2: 3, 4: 2, 6: 4 }[buffer[at + 17]]));
    if (type === "IDAT") parts.push(buffer.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const data = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const v = raw[y * (stride + 1) + 1 + x];
      const a = x >= channels ? data[y * stride + x - channels] : 0;
      const b = y ? data[(y - 1) * stride + x] : 0;
      const c = x >= channels && y ? data[(y - 1) * stride + x - channels] : 0;
      const p = a + b - c;
      const paeth =
        Math.abs(p - a) <= Math.abs(p - b) && Math.abs(p - a) <= Math.abs(p - c)
          ? a
          : Math.abs(p - b) <= Math.abs(p - c)
            ? b
            : c;
      data[y * stride + x] = (v + [0, a, b, (a + b) >> 1, paeth][filter]) & 255;
    }
  }
  return { width, height, channels, data };
}

/** Share of pixels that differ noticeably between two screenshots. */
export function difference(first, second) {
  const a = decodePng(first),
    b = decodePng(second);
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let i = 0; i < a.width * a.height; i++) {
    let d = 0;
    for (let k = 0; k < 3; k++)
      d = Math.max(d, Math.abs(a.data[i * a.channels + k] - b.data[i * b.channels + k]));
    if (d > 8) count++;
  }
  return count / (a.width * a.height);
}
