// Measures the flame graph of a large profile in a browser: node flame.mjs '{"url": …, "samples": 1000000}' prints one JSON object.
import { freshPage, launch } from "../dashboard/chromium.mjs";

const { url, samples } = JSON.parse(process.argv[2]);
const browser = await launch();
const first_ms = {};
let frames = 0;
for (const tab of ["icicle", "sunburst", "flame"]) {
  const z = Buffer.from(JSON.stringify({ profile: { tab } })).toString("base64url");
  const { page } = await freshPage(browser);
  await page.goto(`${url}#/profile?z=${z}`, { waitUntil: "commit" });
  first_ms[tab] = await page.evaluate(async (whole) => {
    while (Number(document.querySelector(".flame-canvas")?.dataset.total ?? 0) !== whole) {
      if (performance.now() > 60000) throw new Error("no picture of all samples after 60 s");
      await new Promise((r) => requestAnimationFrame(r));
    }
    await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 0)));
    return performance.now();
  }, samples);
  if (tab !== "flame") continue;
  // Into the widest function under everything and out again, by the keys; each is another picture, and what counts is the time from the key until
  // it is there. Choosing the function again is not part of it.
  frames = await page.evaluate(async () => {
    const canvas = document.querySelector(".flame-canvas");
    const painted = () => new Promise((r) => requestAnimationFrame(() => setTimeout(r, 0)));
    const press = (key) =>
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const until = async (what, condition) => {
      const begin = performance.now();
      while (!condition()) {
        if (performance.now() - begin > 10000) throw new Error(`no ${what} after 10 s`);
        await new Promise((r) => setTimeout(r, 1));
      }
      await painted();
    };
    const frame = () => document.querySelector(".profile-note").dataset.frame;
    for (const way of ["in", "further in"]) {
      const before = frame();
      press("ArrowUp");
      await until(`frame ${way}`, () => frame() !== before);
    }
    const chosen = frame();
    let pictures = 0;
    let spent = 0;
    const picture = async (key, what, condition) => {
      const begin = performance.now();
      press(key);
      await until(what, condition);
      spent += performance.now() - begin;
      pictures++;
    };
    while (spent < 3000) {
      const whole = canvas.dataset.total;
      await picture("Enter", "picture of a function", () => canvas.dataset.total !== whole);
      await picture("Backspace", "whole picture", () => canvas.dataset.total === whole);
      press("ArrowUp");
      press("ArrowUp");
      await painted();
      if (frame() !== chosen) press("ArrowUp");
      await until("the function chosen again", () => frame() === chosen);
    }
    return (pictures * 1000) / spent;
  });
}
console.log(JSON.stringify({ first_ms, frames }));
await browser.close();
