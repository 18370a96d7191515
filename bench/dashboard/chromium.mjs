// The browser of the measurements: Debian's chromium, headless, everything painted by the processor.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--js-flags=--max-old-space-size=8192"],
  });

/** A page in a fresh profile, nothing cached, in a window that has finished opening: what the browser does for a new window (spare processes,
 * profile) takes both cores for a second and belongs to no page. */
export async function freshPage(browser, { width = 1440, height = 900 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: 1, reducedMotion: "reduce", timezoneId: "UTC", locale: "en-GB" });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  await page.waitForTimeout(1500);
  return { context, page };
}

/** The smallest number that 95 of 100 samples do not exceed. */
export function p95(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)];
}
export function median(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const sizeOf = (usage) => usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0);

/** Memory of JavaScript after a collection in MB: objects, what the browser keeps for them, and the bytes of typed arrays; page and workers. */
export async function heapMb(page) {
  const session = await page.context().newCDPSession(page);
  const workers = [];
  session.on("Target.attachedToTarget", ({ sessionId }) => workers.push(sessionId));
  const answers = new Map();
  session.on("Target.receivedMessageFromTarget", ({ sessionId, message }) => {
    const reply = JSON.parse(message);
    answers.get(`${sessionId} ${reply.id}`)?.(reply.result);
  });
  const ask = (sessionId, id, method) =>
    new Promise((done) => {
      answers.set(`${sessionId} ${id}`, done);
      setTimeout(() => done(null), 5000).unref();
      session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method }) }).catch(() => done(null));
    });
  await session.send("HeapProfiler.collectGarbage");
  let bytes = sizeOf(await session.send("Runtime.getHeapUsage"));
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false }).catch(() => {});
  for (const worker of workers) {
    await ask(worker, 1, "HeapProfiler.collectGarbage");
    const usage = await ask(worker, 2, "Runtime.getHeapUsage");
    bytes += usage ? sizeOf(usage) : 0;
  }
  await session.detach();
  return { mb: bytes / 1e6, workers: workers.length };
}
