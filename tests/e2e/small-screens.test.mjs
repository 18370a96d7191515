// A phone in the hand, and pictures no larger than they are shown.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, open, quit, settled } from "./browser.mjs";
import { getJson } from "./api.mjs";
import { serve } from "./server.mjs";

let server, project, address;
before(async () => {
  server = await serve(["demo"], { options: { runs: 4, points: 200 } });
  project = (await getJson(server.url, "projects")).projects[0].name;
  address = (page, rest = "") =>
    `${server.url}#/${page}?project=${encodeURIComponent(project)}${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});

test("finding D15: on a phone every page can be reached, Compare shows two runs, the media track is wide", async () => {
  const { page, done } = await open(address("compare"), { width: 390, height: 844, touch: true });
  await page.waitForSelector(".grid-row");
  await settled(page);
  const reachable = async () => {
    const links = await page
      .locator(".rail a:visible")
      .evaluateAll((list) =>
        list.map((a) => [a.getAttribute("aria-label") ?? a.title, a.getBoundingClientRect()]),
      );
    assert.ok(links.length >= 10, links.map(([name]) => name).join());
    for (const [name, box] of links) {
      assert.ok(box.left >= 0 && box.right <= 390, `${name} from ${box.left} to ${box.right}`);
      assert.ok(box.width >= 32 && box.height >= 44, name);
    }
  };
  await reachable();
  const heads = await page
    .locator('[role="columnheader"]')
    .evaluateAll((list) => list.map((h) => h.getBoundingClientRect().right));
  assert.ok(heads.filter((right) => right <= 390).length >= 3, `columns end at ${heads}`);
  await page.goto(address("media"));
  const track = page.locator(".scrub-track");
  await track.waitFor();
  await eventually(async () => assert.ok((await track.boundingBox()).width >= 250));
  // The page with the longest name leaves room for the others.
  await page.goto(address("hparams"));
  await page.locator('.rail a[aria-current="page"]', { hasText: "Hyper" }).waitFor();
  await eventually(reachable);
  await done();
});

test("on a phone what is set most is whole: the filter of the table with its completions, axis and smoothing", async () => {
  const { page, done } = await open(address("table"), {
    width: 390,
    height: 844,
    touch: true,
    allow: ["400"],
  });
  await page.locator(".grid-row").first().waitFor();
  const loss = page.getByRole("columnheader", { name: "val/loss" });
  await eventually(async () => {
    const { x, width } = await loss.boundingBox();
    assert.ok(x + width <= 390, `the number people look for ends at ${x + width}`);
  });
  const field = page.getByLabel("Filter runs");
  assert.ok((await field.boundingBox()).width >= 300);
  await field.fill("val");
  const list = page.getByRole("listbox", { name: "Completions" });
  await list.waitFor();
  // Nothing lies over it, and nothing cuts it.
  const last = list.getByRole("option").last();
  const box = await last.boundingBox();
  assert.ok(
    await last.evaluate(
      (e, [x, y]) => e.contains(document.elementFromPoint(x, y)),
      [box.x + box.width / 2, box.y + box.height / 2],
    ),
  );
  await page.goto(address("charts"));
  for (const control of [page.getByLabel("x axis"), page.locator(".smoothing .button")]) {
    await control.first().waitFor();
    const { x, width } = await control.first().boundingBox();
    assert.ok(x >= 0 && x + width <= 390, `from ${x} to ${x + width}`);
  }
  await done();
});

test("finding D21: a tile asks for a picture of its own size, the whole one is asked for at full size", async () => {
  const { page, done } = await open(address("media"));
  await page.waitForSelector("img.picture");
  await settled(page);
  const asked = () =>
    page
      .locator('img.picture[src*="/image?"]')
      .evaluateAll((list) =>
        list.map((i) => [i.clientWidth, new URL(i.src).searchParams.get("width")]),
      );
  assert.ok((await asked()).length >= 4);
  for (const [shown, width] of await asked())
    assert.ok(Number(width) >= shown && Number(width) <= shown + 32, `${width} for ${shown}`);
  await page.getByText("1:1", { exact: true }).click();
  await eventually(async () => assert.ok((await asked()).every(([, width]) => width === null)));
  await done();
});

test("on a phone axes keep a distance that their names fit in, and which run is the baseline is told whole", async () => {
  const { page, done } = await open(address("hparams"), { width: 390, height: 844, touch: true });
  const plot = page.locator('canvas[aria-label^="Parallel coordinates"]');
  await plot.waitFor();
  await settled(page);
  const axes = (await plot.getAttribute("aria-label")).split(" over ")[1].split(", ").length;
  assert.ok(axes > 5, `${axes} axes`);
  await eventually(async () => assert.ok((await plot.boundingBox()).width >= 72 * axes));
  const around = page.locator(".canvas-around").first();
  assert.ok((await around.boundingBox()).width < 390, "the card scrolls, not the page");
  assert.equal(await around.getAttribute("tabindex"), "0", "by keys, too");
  await page.goto(address("compare"));
  const chip = page.locator(".grid-head .chip");
  await chip.waitFor();
  assert.equal(await chip.evaluate((c) => c.scrollWidth <= c.clientWidth), true);
  await done();
});
