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
  // Into a function three levels deep, another one each time, and out again, by the keys; each is another picture, and what counts is the time from the key
  // until it is there. Choosing the function is not part of it.
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
    const go = async (key) => {
      const before = frame();
      press(key);
      await painted();
      return frame() !== before;
    };
    const choose = async (number) => {
      while (await go("ArrowDown")); // to the root
      const levels = frame() === "everything" ? 3 : 2;
      for (let i = 0; i < levels; i++) if (!(await go("ArrowUp"))) throw new Error("not deep enough");
      for (let i = 0; i < number; i++) if (!(await go("ArrowRight"))) throw new Error("too few functions");
    };
    let pictures = 0;
    let spent = 0;
    const picture = async (key) => {
      const before = canvas.dataset.total;
      const begin = performance.now();
      press(key);
      await until(`picture after ${key}`, () => canvas.dataset.total !== before);
      return performance.now() - begin;
    };
    const whole = canvas.dataset.total;
    for (let number = 0; number < 30; number++) {
      await choose(number);
      spent += await picture("Enter");
      spent += await picture("Backspace");
      pictures += 2;
      while (canvas.dataset.total !== whole) await picture("Backspace");
    }
    return (pictures * 1000) / spent;
  });
}
console.log(JSON.stringify({ first_ms, frames }));
await browser.close();
