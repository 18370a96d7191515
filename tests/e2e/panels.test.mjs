// Cards and frames as a person wants them: kind, axis, title and legend of a card, scatter of any
// columns, keys of colours, the width of the run list, names in the rail, t-SNE.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, open, painted, pixels, quit, recordTexts, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const count = 12;
const rate = (i) => [1e-4, 3e-4, 1e-3, 3e-3][i % 4];
const width = (i) => 32 + 8 * i;
const noise = (i) => ((i * 7919) % 101) / 101 - 0.5;
let server, address;
before(async () => {
  server = await serve(["odd"], {
    options: {
      async write(open) {
        for (let i = 0; i < count; i++) {
          const run = await open(`run-${i}`, {
            id: `run${i}`,
            start_ms: Date.UTC(2026, 0, 1 + i),
            config: [
              ["lr", rate(i)],
              ["width", width(i)],
            ],
          });
          await run.scalars(
            "loss",
            Array.from({ length: 200 }, (_, k) => 2 / (1 + k / 40) + 0.9 * noise(k + 31 * i)),
          );
          await run.scalars("val/acc", [0.1, 0.3, 0.5 + i / 100]);
          await run.scalars("test/acc", [0.5 + i / 50]);
          await run.finish();
        }
      },
    },
  });
  address = (page, view = {}, rest = "") =>
    `${server.url}#/${page}?project=odd${rest}&z=${Buffer.from(JSON.stringify(view)).toString("base64url")}`;
});
after(async () => {
  await quit();
  await server?.close();
});
const settings = (page, card) =>
  page.locator(`[data-card="${card}"]`).getByRole("button", { name: /^Settings of/ });

test("finding M07: a card takes a title, an x axis, a legend of runs and another kind of chart, and the address keeps them", async () => {
  const { page, done } = await open(address("charts", {}, "&search=acc"), { init: recordTexts });
  const card = page.locator('[data-card="val/acc"]');
  await painted(page, "val/acc");
  await settings(page, "val/acc").click();
  await page.getByLabel("title", { exact: true }).fill("how good");
  await page.getByLabel("x axis of this card").selectOption("relative");
  await page.getByLabel("legend of runs").selectOption("show");
  await page.keyboard.press("Escape");
  await eventually(async () => {
    assert.match(await card.locator(".title").textContent(), /^how good$/);
    assert.match(await card.textContent(), /over relative time/);
    // As the lines end, from top to bottom.
    assert.deepEqual(
      await card.locator(".run-legend button").allTextContents(),
      Array.from({ length: count }, (_, i) => `run-${count - 1 - i}`),
    );
  });
  await settled(page);
  const labels = await page.evaluate(() =>
    window.__texts.filter((t) => t.card === "val/acc").map((t) => t.text),
  );
  assert.ok(
    labels.some((t) => /\d ?(ms|s|m|h)\b/.test(t)),
    labels.join(" "),
  );
  // The other card of the page still has steps.
  await page.locator(".run-legend button").first().hover();
  await page.locator('.run-row.hovered[data-run="run11"]').waitFor();
  await settings(page, "val/acc").click();
  await page.getByLabel("chart", { exact: true }).selectOption("bars");
  await page.keyboard.press("Escape");
  await eventually(async () =>
    assert.equal(await card.getAttribute("data-bars"), String(count), "sorted bars"),
  );
  assert.match(await card.locator(".bar-row").first().textContent(), /^run-11.*0\.61/);
  const other = await open(page.url());
  await other.page.locator('[data-card="val/acc"][data-bars="12"]').waitFor();
  assert.match(
    await other.page.locator('[data-card="val/acc"] .title').textContent(),
    /^how good$/,
  );
  await other.done();
  await done();
});

test("finding M07: single values are sorted bars on the first page, once", async () => {
  const { page, done } = await open(address("charts"));
  await page.locator('[data-card="auto:=test/acc"] .bar-row').first().waitFor();
  const bars = await page.locator('[data-card="auto:=test/acc"] .bar-value').allTextContents();
  const values = bars.map(Number);
  assert.deepEqual(
    values,
    [...values].sort((a, b) => b - a),
  );
  assert.equal(await page.locator('[data-card="test/acc"]').count(), 0);
  await done();
  // Of groups some values are longer than others; their bars can still be compared.
  const grouped = await open(address("charts", { groupBy: ["config:lr"] }));
  const rows = grouped.page.locator('[data-card="auto:=test/acc"] .bar-row');
  await eventually(async () => assert.equal(await rows.count(), 4));
  const drawn = await rows.evaluateAll((list) =>
    list.map((row) => [
      parseFloat(row.querySelector(".bar-value").textContent),
      row.querySelector(".bar-fill").getBoundingClientRect().width,
    ]),
  );
  for (const [value, width] of drawn)
    assert.ok(Math.abs(width / drawn[0][1] - value / drawn[0][0]) < 0.01, JSON.stringify(drawn));
  await grouped.done();
});

test("finding M05: a scatter takes any columns as x, y, colour and size; wide ranges are log by themselves", async () => {
  const { page, done } = await open(
    address("hparams", { hparams: { mode: "scatter", scatterX: "config:lr" } }),
  );
  await page.getByLabel("log x").waitFor();
  assert.ok(await page.getByLabel("log x").isChecked(), "30 times is more than ten times");
  await page.getByLabel("y", { exact: true }).selectOption("metric:val/acc");
  assert.ok(!(await page.getByLabel("log y").isChecked()));
  await page.getByLabel("colour", { exact: true }).selectOption("config:width");
  await page.getByLabel("size", { exact: true }).selectOption("metric:test/acc");
  const key = page.locator('[data-legend="color"]');
  await eventually(async () => assert.match(await key.textContent(), /width\s*32.*120/));
  await eventually(async () =>
    assert.match(
      await page.locator('[data-legend="size"]').textContent(),
      /test\/acc\s*0\.5.*0\.72/,
    ),
  );
  // The tooltip of a dot names all four columns with what was logged.
  const canvas = page.locator(".plot-card canvas").first();
  const box = await canvas.boundingBox();
  const told = await eventually(async () => {
    for (let x = 50; x < box.width; x += 6)
      for (let y = 10; y < box.height - 30; y += 8) {
        await page.mouse.move(box.x + x, box.y + y);
        const text = await page.evaluate(
          () => document.querySelector(".plot-tip, .tooltip, [role=tooltip]")?.innerText ?? "",
        );
        if (/run-\d+/.test(text)) return text;
      }
    assert.fail("no dot under the pointer");
  });
  const i = Number(/run-(\d+)/.exec(told)[1]);
  const said = (name) => Number(new RegExp(`${name}\\s+([\\d.e-]+)`).exec(told)?.[1]);
  assert.equal(said("lr"), rate(i));
  assert.equal(said("width"), width(i));
  assert.ok(Math.abs(said("val/acc") - (0.5 + i / 100)) < 1e-4, told);
  assert.ok(Math.abs(said("test/acc") - (0.5 + i / 50)) < 1e-4, told);
  const other = await open(page.url());
  await other.page.locator('[data-legend="size"]').waitFor();
  await other.done();
  await done();
});

test("finding M05: axes of parallel coordinates are log by themselves and have ticks", async () => {
  const { page, done } = await open(address("hparams"), { init: recordTexts });
  await eventually(async () => {
    const texts = await page.evaluate(() => window.__texts.map((t) => t.text));
    assert.ok(texts.includes("lr (log)"), texts.join(" "));
    assert.ok(texts.includes("width") && !texts.includes("width (log)"));
    for (const tick of ["60", "80", "100"]) assert.ok(texts.includes(tick), `${tick}: ${texts}`);
  });
  await done();
});

test("finding M06: the run list is dragged wider, moved by keys, folded and found again", async () => {
  const { page, done } = await open(address("charts"));
  const list = page.locator(".sidebar");
  const edge = page.getByRole("separator", { name: "Width of the run list" });
  const widthOf = async () => (await list.boundingBox()).width;
  await painted(page, "auto:loss");
  const before = await widthOf();
  const at = await edge.boundingBox();
  await page.mouse.move(at.x + 4, at.y + 200);
  await page.mouse.down();
  await page.mouse.move(at.x + 104, at.y + 200, { steps: 4 });
  await page.mouse.up();
  assert.ok(Math.abs((await widthOf()) - before - 100) <= 3);
  await edge.focus();
  await page.keyboard.press("ArrowLeft");
  assert.ok(Math.abs((await widthOf()) - before - 84) <= 3);
  await page.reload();
  await painted(page, "auto:loss");
  assert.ok(Math.abs((await widthOf()) - before - 84) <= 3, "this browser keeps it");
  await page.getByRole("button", { name: "Hide the run list" }).click();
  await eventually(async () => assert.ok((await widthOf()) < 40));
  await page.getByRole("button", { name: "Show the run list" }).click();
  await page.locator(".run-row").first().waitFor();
  await done();
});

test("finding M02: colours by value have a key, also where lines melt into a density", async () => {
  const { page, done } = await open(address("charts", {}, "&colorBy=config:width"));
  const key = page.getByRole("note", { name: "Colours by width" });
  await eventually(async () => assert.match(await key.textContent(), /32.*120/));
  await done();
  const many = await serve(["thousand"], { options: { runs: 400, points: 40 } });
  const { projects } = await (await fetch(many.url + "api/v1/projects")).json();
  const dense = await open(
    `${many.url}#/charts?project=${encodeURIComponent(projects[0].name)}&colorBy=config:lr`,
  );
  const density = dense.page.locator(".density-key").first();
  await eventually(async () => assert.match(await density.textContent(), /^1[\d,]+ lines$/));
  const most = Number(await density.getAttribute("data-densest"));
  assert.ok(most > 1 && most <= 400, String(most));
  await dense.page.getByRole("note", { name: "Colours by lr" }).waitFor();
  await dense.done();
  await many.close();
});

test("finding U07: the rail names its pages while the pointer is on it, and keeps them open", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  const word = page.locator(".rail-word", { hasText: "Hyperparameters" });
  assert.ok(!(await word.isVisible()));
  const left = (await page.locator(".sidebar").boundingBox()).x;
  await page.getByRole("navigation", { name: "Pages" }).hover();
  await word.waitFor({ state: "visible" });
  assert.equal((await page.locator(".sidebar").boundingBox()).x, left, "nothing moves");
  await page.getByRole("button", { name: "Keep the names of pages open" }).click();
  await page.mouse.move(700, 400);
  assert.ok(await word.isVisible());
  assert.ok((await page.locator(".sidebar").boundingBox()).x > left + 80);
  await page.reload();
  await word.waitFor({ state: "visible" });
  await done();
});

test("finding U01: smoothing is proposed where lines are noisy, and applied by a person alone", async () => {
  const { page, done } = await open(address("charts", {}, "&search=^loss$"));
  await painted(page, "auto:loss");
  await page.getByRole("button", { name: /^noisy/ }).click();
  await eventually(() => assert.match(page.url(), /smoothing=ema/));
  await page.getByRole("button", { name: /^noisy/ }).waitFor({ state: "detached" });
  await done();
});

test("finding U01: of more than six smoothed lines the hovered one alone shows its raw values", async () => {
  const smooth = "&search=^loss$&smoothing=ema&smoothingAmount=0.95";
  const card = "auto:loss";
  /** How many rows of pixels the later part of a picture spans. */
  const tall = (image, ink) => {
    let [least, most] = [Infinity, -Infinity];
    for (let y = 0; y < image.height; y++)
      for (let x = Math.round(image.width * 0.6); x < image.width; x++)
        if (ink(x, y)) [least, most] = [Math.min(least, y), y];
    return most - least;
  };
  const drawn = async (page) => {
    const image = await pixels(page, card);
    const colorful = ([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b) > 20;
    return tall(image, (x, y) => colorful(image.at(x, y)));
  };
  const few = await open(
    address("charts", { selection: { all: false, except: ["run1", "run4", "run7"] } }, smooth),
  );
  await painted(few.page, card);
  await settled(few.page);
  const loud = await drawn(few.page);
  await few.done();
  const { page, done } = await open(address("charts", {}, smooth));
  await painted(page, card);
  await settled(page);
  const calm = await drawn(page);
  assert.ok(calm * 2 < loud, `${calm} rows of lines, ${loud} with the raw values`);
  await page.locator('.run-row[data-run="run4"]').hover();
  const over = () =>
    page.locator(`[data-card="${card}"] canvas.plot-overlay`).evaluate((c) => {
      const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
      return { width: c.width, height: c.height, alpha: [...data].filter((_, i) => i % 4 === 3) };
    });
  await eventually(async () => {
    const { width, height, alpha } = await over();
    const hovered = tall({ width, height }, (x, y) => alpha[y * width + x] > 30);
    assert.ok(hovered > calm * 2, `${hovered} rows of the hovered line and its raw values`);
  });
  await done();
});
