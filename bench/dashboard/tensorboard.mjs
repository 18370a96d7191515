// Measures PyPI's TensorBoard in the same browser: node tensorboard.mjs '{"url": …, "cap_s": 120}' prints one JSON object.
//
// Its charts are drawn on a canvas that cannot be read, so pictures of the page say when a curve is there. Its times are
// taken when such a picture begins, which is in its favour. With more than forty runs none is ticked at first; ticking
// all is a click on the head of the list.
import { freshPage, heapMb, launch } from "./chromium.mjs";
import { decodePng } from "../../tests/e2e/browser.mjs";

const { url, cap_s } = JSON.parse(process.argv[2]);
// The first chart counts up to the cap; a page that is later still gives its heap and its zoom.
const patience_s = 3 * cap_s;
const browser = await launch();
const { page } = await freshPage(browser);
page.setDefaultTimeout(patience_s * 1000);
const left = (began) => Math.max(1, patience_s * 1000 - (Date.now() - began));

const chart = "scalar-card line-chart, scalar-card tb-scalar-card-line-chart, scalar-card .chart-container";

/** Coloured pixels of the charts in sight. `only` picks one of them; else the first that has a curve, or the first. */
async function colored(only = null) {
  const boxes = await page.locator(chart).evaluateAll((list) => list.map((e) => e.getBoundingClientRect()).map((r) => ({ x: r.x, y: r.y, width: r.width, height: r.height })));
  const seen = boxes.map((box, index) => ({ ...box, index })).filter((b) => b.width > 100 && b.y + 60 < 900 && b.y > 0);
  const at = Date.now();
  if (!seen.length) return { count: -1, at, picture: null, index: 0 };
  const image = decodePng(await page.screenshot({ timeout: patience_s * 1000 }));
  const look = (box) => {
    const [left, top] = [Math.round(box.x + 60), Math.round(box.y + 10)];
    const [right, bottom] = [Math.min(image.width, Math.round(box.x + box.width - 30)), Math.min(image.height, Math.round(box.y + Math.min(box.height, 200) - 30))];
    let count = 0;
    const picture = [];
    for (let y = top; y < bottom; y++)
      for (let x = left; x < right; x++) {
        const i = (y * image.width + x) * image.channels;
        const [r, g, b] = [image.data[i], image.data[i + 1], image.data[i + 2]];
        if (Math.max(r, g, b) - Math.min(r, g, b) > 40) count++;
        picture.push(r, g, b);
      }
    return { count, at, picture: Buffer.from(picture), index: box.index, box };
  };
  const found = seen.map(look);
  return found.find((one) => (only === null ? one.count > 50 : one.index === only)) ?? found[0];
}

const began = Date.now();
const result = { first_ms: cap_s * 1000, first_capped: true, zoom_ms: null, heap_mb: null };
try {
  await page.goto(url + "#timeseries", { waitUntil: "commit", timeout: left(began) });
  const all = page.locator('runs-data-table input[type="checkbox"], tb-data-table-header-cell input[type="checkbox"], th mat-checkbox input, .run-selector input[type="checkbox"]').first();
  await all.waitFor({ state: "attached", timeout: left(began) });
  if (!(await all.isChecked())) await all.click({ force: true, timeout: left(began) });
  let drawn = false;
  while (!drawn && Date.now() - began < patience_s * 1000) {
    const now = await colored();
    drawn = now.count > 50;
    if (drawn) {
      result.first_ms = Math.min(cap_s * 1000, now.at - began);
      result.first_capped = now.at - began > cap_s * 1000;
    } else await page.waitForTimeout(250);
  }
  if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT, timeout: 60000 }).catch(() => {});
  result.heap_mb = (await heapMb(page)).mb;
  if (drawn) {
    let before = await colored();
    const { index } = before;
    for (let still = 0; still < 3; ) {
      await page.waitForTimeout(1000);
      const now = await colored(index);
      still = Buffer.compare(now.picture, before.picture) === 0 ? still + 1 : 0;
      before = now;
    }
    const { box } = before;
    await page.mouse.move(box.x + 90, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + 150, box.y + 60);
    await page.mouse.move(box.x + 210, box.y + 80);
    const up = Date.now();
    await page.mouse.up();
    let last = before, changed = null;
    for (let still = 0; Date.now() - up < cap_s * 1000 && (changed === null || still < 4); ) {
      const now = await colored(index);
      if (Buffer.compare(now.picture, last.picture) !== 0) (changed = now.at), (still = 0), (last = now);
      else still++;
      await page.waitForTimeout(50);
    }
    result.zoom_ms = changed === null ? null : Math.max(1, changed - up);
  }
} catch (error) {
  result.note = String(error.message).split("\n")[0];
}
console.log(JSON.stringify(result));
await browser.close();
