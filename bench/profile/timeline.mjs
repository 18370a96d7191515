// Measures the timeline of a large trace in a browser: node timeline.mjs '{"url": …, "pans": 40}' prints one JSON object.
import { freshPage, heapMb, launch, median, p95 } from "../dashboard/chromium.mjs";

const { url, pans } = JSON.parse(process.argv[2]);
const browser = await launch();
const z = Buffer.from(JSON.stringify({ profile: { tab: "timeline" } })).toString("base64url");
const { page } = await freshPage(browser);
await page.goto(`${url}#/profile?z=${z}`, { waitUntil: "commit" });
const first = await page.evaluate(async () => {
  while (!(Number(document.querySelector(".timeline-canvas")?.dataset.slices ?? 0) > 0)) {
    if (performance.now() > 60000) throw new Error("no timeline after 60 s");
    await new Promise((r) => requestAnimationFrame(r));
  }
  await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 0)));
  return performance.now();
});
// In the middle of the trace, where a screen shows a hundredth of it; each pan goes where nothing was fetched before in turn.
const moved = await page.evaluate(async (times) => {
  const canvas = document.querySelector(".timeline-canvas");
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const rest = () => new Promise((r) => setTimeout(r, 400));
  for (let i = 0; i < 13; i++) press("w");
  await rest();
  const samples = [];
  for (let i = 0; i < times; i++) {
    const before = canvas.dataset.from;
    const begin = performance.now();
    press("d");
    while (canvas.dataset.from === before && performance.now() - begin < 1000) await new Promise((r) => requestAnimationFrame(r));
    await new Promise((r) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = r;
      channel.port2.postMessage(0);
    });
    samples.push(performance.now() - begin);
    if (i % 4 === 3) await rest();
  }
  // A long drag: how many frames come in two seconds of it.
  let frames = 0;
  const begin = performance.now();
  while (performance.now() - begin < 2000) {
    const painted = canvas.dataset.painted;
    press(frames % 120 < 60 ? "d" : "a");
    await new Promise((r) => requestAnimationFrame(r));
    if (canvas.dataset.painted !== painted) frames++;
  }
  return { samples, frames: frames / 2 };
}, pans);
const heap = (await heapMb(page)).mb;
console.log(JSON.stringify({ first_ms: first, pan_ms: p95(moved.samples), pan_median_ms: median(moved.samples), frames: moved.frames, heap_mb: heap }));
await browser.close();
