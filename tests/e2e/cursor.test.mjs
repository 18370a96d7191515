// One cursor and one picked run: what is under the pointer in one place is marked in every other,
// in the same frame, and stays when a person moves to another page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getJson } from "./api.mjs";
import { open, painted, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

let server, address;
before(async () => {
  server = await serve(["demo"], { options: { runs: 12, points: 1000 } });
  const project = (await getJson(server.url, "projects")).projects[0].name;
  address = (page, rest = "") =>
    `${server.url}#/${page}?project=${encodeURIComponent(project)}${rest}`;
});
after(quit);

/** Charts, pictures and histograms together on one screen. */
async function together() {
  const { page, done } = await open(
    address(
      "charts",
      "&size=s&search=" +
        encodeURIComponent("^train/(loss|accuracy|kl)$|^reconstruction$|^layers/0/weight$"),
    ),
    { width: 1600, height: 1100 },
  );
  await painted(page, "train/loss");
  await painted(page, "train/accuracy");
  await page.waitForSelector('[data-media="reconstruction"] img');
  await page.waitForSelector("[data-histogram] canvas");
  await page.locator('[data-card="train/kl"]').hover({ position: { x: 60, y: 10 } });
  await page
    .locator('[data-card="train/kl"]')
    .getByRole("button", { name: /More about/ })
    .click();
  await page.getByRole("menuitem", { name: "View as table" }).click();
  await page.waitForSelector('[data-card="train/kl"] .card-table');
  await page.mouse.move(5, 5);
  await settled(page);
  return { page, done };
}

/**
 * Notes after every frame what each place shows, from the frame that is on the screen when this
 * returns.
 */
const watch = (page) =>
  page.evaluate(
    () =>
      new Promise((watching) => {
        const ink = (card) => {
          const { width, height } = document.querySelector(`[data-card="${card}"] .plot-overlay`);
          const data = document
            .querySelector(`[data-card="${card}"] .plot-overlay`)
            .getContext("2d")
            .getImageData(0, 0, width, height).data;
          let best = -1,
            most = height / 3; // the cursor is a line from top to bottom; a highlighted run is not
          for (let x = 0; x < width; x++) {
            let n = 0;
            for (let y = 0; y < height; y++) if (data[(y * width + x) * 4 + 3]) n++;
            if (n > most) ((best = x), (most = n));
          }
          return best;
        };
        const picture = () => {
          const canvas = document.querySelector("[data-histogram] canvas");
          return canvas
            .getContext("2d")
            .getImageData(0, 0, canvas.width, canvas.height)
            .data.reduce((h, v) => (Math.imul(h, 31) + v) | 0, 7);
        };
        const channel = new MessageChannel();
        const frames = (window.__frames = []);
        const still = picture();
        // A task of its own behind the frame's callbacks and their microtasks: what it sees is what
        // was painted.
        channel.port1.onmessage = () => {
          frames.push({
            tooltip: Number(
              /step ([\d,]+)/
                .exec(document.querySelector(".tooltip .title")?.textContent ?? "")?.[1]
                .replaceAll(",", "") ?? NaN,
            ),
            here: ink("train/loss"),
            chart: ink("train/accuracy"),
            slider: Number(
              document.querySelector('[data-media="reconstruction"] .scrub-cursor')?.dataset
                .cursor ?? NaN,
            ),
            images: Number(document.querySelector('[data-media="reconstruction"]').dataset.step),
            histogram: Number(document.querySelector("[data-histogram]").dataset.cursor ?? NaN),
            redrawn: picture() !== still,
            table:
              document.querySelector('[data-card="train/kl"] th[data-cursor]')?.textContent ?? "",
            row: document.querySelector(".run-row.hovered")?.dataset.run ?? "",
            tableRow:
              document.querySelector('[data-card="train/kl"] tr.hovered')?.dataset.run ?? "",
            media:
              document.querySelector('[data-media="reconstruction"] .media-cell.hovered')?.dataset
                .run ?? "",
          });
          if (window.__frames === frames) requestAnimationFrame(() => channel.port2.postMessage(0));
          watching();
        };
        requestAnimationFrame(() => channel.port2.postMessage(0));
      }),
  );
const seen = (page) =>
  page.evaluate(() => {
    const frames = window.__frames;
    window.__frames = null;
    return frames;
  });

test("10: hovering a chart moves chart, distribution, media slider and table to the step in one and the same frame", async () => {
  const { page, done } = await together();
  const box = await page.locator('[data-card="train/loss"] .plot').boundingBox();
  await watch(page);
  await page.mouse.move(box.x + 150, box.y + 40);
  await page.waitForFunction(
    () => window.__frames.some((f) => f.tooltip >= 0) && window.__frames.at(-1).tooltip >= 0,
  );
  const frames = await seen(page);
  const first = frames.find((f) => f.tooltip >= 0);
  const before = frames[frames.indexOf(first) - 1];
  assert.deepEqual(
    [before.here, before.chart, before.redrawn, before.table],
    [-1, -1, false, ""],
    "nothing is marked before",
  );
  assert.ok(Number.isNaN(before.slider) && Number.isNaN(before.histogram));
  const step = first.tooltip;
  assert.ok(step > 0 && step < 999);
  assert.ok(
    first.here > 0 && Math.abs(first.here - first.chart) <= 1,
    `the other chart's line is at ${first.chart}, this one's at ${first.here}`,
  );
  assert.equal(first.slider, step);
  assert.equal(first.images, step, "pictures are those of the step");
  assert.equal(first.histogram, step);
  assert.ok(first.redrawn, "the histogram marks it in its picture");
  assert.equal(first.table.replaceAll(",", ""), `at ${step}`);
  await done();
});

test("10: the run nearest to the pointer is marked in the run list, the table and the pictures in one frame", async () => {
  const { page, done } = await together();
  const box = await page.locator('[data-card="train/loss"] .plot').boundingBox();
  let marked;
  for (let y = 20; y < box.height - 20 && !marked; y += 10) {
    await page.mouse.move(5, 5);
    await page.waitForFunction(() => !document.querySelector(".run-row.hovered"));
    await watch(page);
    await page.mouse.move(box.x + 200, box.y + y);
    await page.waitForFunction(() => window.__frames.some((f) => f.tooltip >= 0));
    marked = (await seen(page)).find((f) => f.tooltip >= 0 && f.row);
  }
  assert.ok(marked, "some height is near a line");
  assert.equal(marked.tableRow, marked.row);
  await page.mouse.move(5, 5);
  const cell = page.locator('[data-media="reconstruction"] .media-cell').first();
  const run = await cell.getAttribute("data-run");
  await watch(page);
  await cell.hover();
  await page.waitForFunction(() => window.__frames.some((f) => f.media));
  const first = (await seen(page)).find((f) => f.media);
  assert.deepEqual([first.media, first.row, first.tableRow], [run, run, run]);
  await done();
});

test("10: hovering the slider of pictures moves the charts; its step is that of the Media page", async () => {
  const { page, done } = await together();
  const track = page.locator('[data-media="reconstruction"] .scrub-track');
  const box = await track.boundingBox();
  await watch(page);
  await page.mouse.move(box.x + box.width / 2, box.y + 10);
  await page.waitForFunction(() => window.__frames.some((f) => f.slider >= 0));
  const first = (await seen(page)).find((f) => f.slider >= 0);
  assert.ok(
    first.here > 0 && first.chart === first.here,
    "both charts mark the step of the slider",
  );
  assert.equal(first.histogram, first.slider);
  await page.mouse.click(box.x + box.width / 2, box.y + 10);
  const step = Number(await track.getAttribute("aria-valuenow"));
  assert.equal(step, first.slider);
  await page
    .getByRole("link", { name: "Media" })
    .or(page.getByRole("button", { name: "Media" }))
    .first()
    .click();
  await page.waitForSelector(`.scrubber [data-step="${step}"]`);
  await done();
});

test("10: a pinned step and a picked run are marked on the pages one moves to", async () => {
  const { page, done } = await open(
    address(
      "charts",
      "&search=" + encodeURIComponent("^train/loss$|^layers/0/weight$|^reconstruction$"),
    ),
  );
  const plot = await painted(page, "train/loss");
  await settled(page);
  const box = await plot.boundingBox();
  await page.mouse.click(box.x + 200, box.y + 6); // far from every line: pins the step
  await page.waitForSelector(".pin-strip");
  let run;
  for (let y = 30; y < box.height - 30 && !run; y += 4) {
    await page.mouse.click(box.x + 220, box.y + y);
    await page.mouse.move(5, 5);
    await page.waitForFunction(() => !document.querySelector(".tooltip"));
    run = await page.evaluate(() => document.querySelector(".run-row.hovered")?.dataset.run);
  }
  assert.ok(run, "a click on a line picks its run");
  const pin = await page.evaluate(() => window.__taffrail.view().pins.at(-1));
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForSelector(".grid-row.hovered");
  assert.equal(await page.locator(".grid-row.hovered").count(), 1);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.waitForSelector(`[data-histogram][data-cursor="${Math.round(pin)}"]`);
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await page.waitForSelector(".scrubber .scrub-pin");
  await done();
});
