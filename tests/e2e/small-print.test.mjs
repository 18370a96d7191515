// Truth in small print: numbers, ticks, chips and tooltips say what is, and are whole.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, open, painted, quit, recordTexts, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

let server, address;
const packed = (state) => "&z=" + Buffer.from(JSON.stringify(state)).toString("base64url");
const falling = (n, from = 0) =>
  Array.from({ length: n }, (_, s) => from + 0.2 + 3 * Math.exp(-s / (n / 4)));
before(async () => {
  server = await serve(["odd"], {
    options: {
      write: async (open) => {
        for (let i = 0; i < 3; i++) {
          const run = await open(`run-${i}`, {
            start_ms: Date.UTC(2026, 0, 1, 20, 13) + i * 1000,
            config: [
              ["lr", [0.001, 3e-4, 0.01][i]],
              ["dropout", [0.19, 0.09, 0.19][i]],
              ["big", 1 + i],
            ],
          });
          await run.scalars("train/loss", falling(2000, i / 10));
          await run.scalars("val/loss", falling(20, i / 10), { stride: 100 });
          await run.scalars("val/accuracy", [0.1, 0.5, 0.7 + i / 10], { stride: 900 });
          await run.scalars("grad_norm", [1, 2, 3 + i]);
          await run.scalars("huge", [1e26, 2e38, 3e38 - i * 1e37]);
          await run.scalars("large", [1e15, 4e15, 9e15]);
          await run.finish();
        }
      },
    },
  });
  address = (page, rest = "", state) =>
    `${server.url}#/${page}?project=odd${rest}${state ? packed(state) : ""}`;
});
after(async () => {
  await quit();
  await server?.close();
});

const view = (page) => page.evaluate(() => window.__taffrail.view());
async function hover(page, card, x = 0.5, y = 0.5) {
  const box = await page.locator(`[data-card="${card}"] .plot`).first().boundingBox();
  const at = [box.x + 60 + (box.width - 72) * x, box.y + 8 + (box.height - 30) * y];
  await page.mouse.move(...at);
  await page.waitForSelector(".tooltip");
  return at;
}

test("finding D03: a difference is good or bad only where it is known which; a setting that differs has no arrow", async () => {
  const { page, done } = await open(
    address("compare", "&baseline=run0", { compared: ["run0", "run2"] }),
  );
  await page.waitForSelector("[data-delta]");
  await settled(page);
  const row = (name) => page.locator(".grid-row", { hasText: name });
  const tone = (name) =>
    row(name)
      .locator("[data-delta]")
      .first()
      .evaluate((e) => ["good", "bad", "muted"].find((c) => e.classList.contains(c)));
  assert.equal(await tone("grad_norm"), "muted");
  assert.equal(await tone("val/accuracy"), "good");
  assert.equal(await tone("val/loss"), "bad");
  const text = await page.locator(".grid").innerText();
  assert.ok(!/[▲▼↑↓]/.test(text), "no arrow says which way a setting went");
  assert.equal(await row("lr").first().locator(".good, .bad, .warn").count(), 0);
  await done();
});

/** What stands under (x) or beside (y) a chart, in the order of drawing. */
const labelsOf = (page, card, axis) =>
  page.evaluate(
    ([c, a]) => {
      const bottom = document.querySelector(`[data-card="${c}"] .plot-axes`).clientHeight - 21;
      return window.__texts
        .filter((t) => t.card === c && t.y > bottom === (a === "x"))
        .map((t) => t.text);
    },
    [card, axis],
  );

test("finding D11: time axes tick at whole minutes and hours", async () => {
  // 2,000 steps of a millisecond are two seconds; hours are made by zooming out.
  for (const [axis, from, span, expected] of [
    ["relative", 0, 1000, /^(0|\d+ m)$/],
    ["relative", 0, 6 * 3600, /^(0|\d+ h)$/],
    ["relative", 0, 3 * 86400, /^(0|\d+ h|\d+ d( 12 h)?)$/],
    ["wall", Date.UTC(2026, 0, 1, 20, 13) / 1000, 4 * 3600, /^(\d\d:(00|30)|01-02)$/],
  ]) {
    const { page, done } = await open(
      address("charts", `&search=val/loss&xAxis=${axis}`, {
        zoom: { "*": { x: [from, from + span], y: null } },
      }),
      { init: recordTexts },
    );
    await page.locator('[data-card="val/loss"] .plot').waitFor();
    await settled(page);
    const labels = [...new Set(await labelsOf(page, "val/loss", "x"))];
    assert.ok(labels.length >= 2, labels.join());
    for (const label of labels) assert.match(label, expected, `${axis} ${span}: ${labels}`);
    await done();
  }
});

test("finding D18: values beyond 1e15 have ticks that read as numbers, each another one", async () => {
  const { page, done } = await open(address("charts", "&search=^(huge|large)$"), {
    init: recordTexts,
  });
  await painted(page, "huge");
  await painted(page, "large");
  await settled(page);
  for (const card of ["huge", "large"]) {
    const marks = await labelsOf(page, card, "y");
    const last = marks.slice(marks.lastIndexOf(marks[0]));
    assert.ok(last.length >= 2, marks.join());
    assert.equal(new Set(last).size, last.length, last.join());
    for (const text of last) assert.match(text, /^(0|-?\d(\.\d+)?e\d+|-?[\d,]+)$/, text);
  }
  await done();
});

test("finding D12: over epochs, what was logged without one is drawn over steps and says so", async () => {
  const { page, done } = await open(address("charts", "&search=grad_norm&xAxis=epoch"));
  await painted(page, "grad_norm");
  await eventually(async () =>
    assert.match(await page.locator('[data-card="grad_norm"]').innerText(), /over step/),
  );
  await settled(page);
  assert.match(
    await page.locator('[data-card="grad_norm"] .plot').getAttribute("aria-label"),
    /3 series, 9 points/,
  );
  assert.ok(!/x ≤ 0/.test(await page.locator('[data-card="grad_norm"]').innerText()));
  await done();
});

test("finding D13: the chip of a zoom is whole with its ×, and the small print stands behind one mark", async () => {
  const { page, done } = await open(
    address("charts", "&search=train/loss&size=s", { zoom: { "*": { x: [10, 900], y: null } } }),
    { width: 760 }, // one narrow card beside the list
  );
  await painted(page, "train/loss");
  await settled(page);
  const card = page.locator('[data-card="train/loss"]').first();
  const cut = await card.locator(".chip.accent").evaluate((chip) => {
    const inner = chip.querySelector("svg").getBoundingClientRect();
    const outer = chip.getBoundingClientRect();
    const head = chip.closest(".card-head").getBoundingClientRect();
    return Math.max(
      chip.scrollWidth - chip.clientWidth,
      inner.right - outer.right,
      outer.right - head.right,
    );
  });
  assert.ok(cut <= 0, `cut by ${cut} pixels`);
  assert.ok(!/binned/.test(await card.innerText()), "no chip about bins");
  assert.match(await card.locator("[data-notes]").getAttribute("data-notes"), /^binned/);
  await card.locator(".chip.accent").click();
  await eventually(async () => assert.deepEqual((await view(page)).zoom, {}));
  await done();
  const grouped = await open(address("charts", "&search=grad_norm", { groupBy: ["*"] }));
  await painted(grouped.page, "grad_norm");
  await settled(grouped.page);
  assert.ok(!/→/.test(await grouped.page.locator('[data-card="grad_norm"]').innerText()));
  await grouped.done();
});

test("finding D14: zoom, Escape and scrolling take the tooltip away", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  await settled(page);
  const gone = () =>
    eventually(async () => assert.equal(await page.locator(".tooltip").count(), 0), 3000);
  const [x, y] = await hover(page, "auto:loss", 0.3);
  await page.mouse.down();
  await page.mouse.move(x + 80, y + 2, { steps: 4 });
  await page.mouse.up();
  await gone();
  await page.evaluate(() => document.activeElement?.blur());
  await hover(page, "auto:loss", 0.6);
  await page.keyboard.press("Escape");
  await gone();
  // From the large view, with the cursor at rest.
  await page.locator('[data-card="auto:loss"]').hover();
  await page.locator('[data-card="auto:loss"]').getByRole("button", { name: "Show large" }).click();
  await page.waitForSelector(".full-card .plot[data-painted]");
  await settled(page);
  const large = await page.locator(".full-card .plot").boundingBox();
  await page.mouse.move(large.x + large.width / 2, large.y + large.height / 2);
  await page.waitForSelector(".tooltip");
  await page.evaluate(() => document.activeElement?.blur());
  for (let i = 0; i < 2 && (await page.locator(".full-card").count()); i++)
    await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".full-card"));
  await gone();
  await hover(page, "auto:loss", 0.4);
  await page.mouse.wheel(0, 300);
  await gone();
  await done();
});

test("finding D16: the sort mark is whole beside a long title, and the first click brings the best to the top", async () => {
  const { page, done } = await open(address("table"));
  await page.waitForSelector(".grid-row");
  await settled(page);
  await page.getByRole("columnheader", { name: "val/accuracy" }).click();
  await eventually(async () =>
    assert.match(await page.locator(".grid-row").first().innerText(), /run-2/),
  );
  const head = page.locator('[role="columnheader"][aria-sort]');
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  const cut = await head.evaluate((e) => {
    const mark = [...e.querySelectorAll("span")].find((s) => s.textContent === "↓");
    const [a, b] = [mark.getBoundingClientRect(), e.getBoundingClientRect()];
    return Math.max(a.right - b.right, mark.scrollWidth - mark.clientWidth, a.width ? 0 : 99);
  });
  assert.ok(cut <= 0, `cut by ${cut}`);
  await page.getByRole("columnheader", { name: "val/loss" }).click();
  await eventually(async () =>
    assert.match(await page.locator(".grid-row").first().innerText(), /run-0/),
  );
  await done();
});

test("finding D17: an unknown metric in an expression is named with the nearest one, a malformed one at its place", async () => {
  const { page, done } = await open(address("charts"), { allow: ["400"] });
  await painted(page, "auto:loss");
  await page.getByRole("button", { name: "Add panel" }).click();
  const field = page.getByLabel(/Metrics, separated/);
  const alert = page.locator('.popover [role="alert"], dialog [role="alert"], form [role="alert"]');
  await field.fill("${val/losss} - 1");
  await field.press("Enter");
  await eventually(async () =>
    assert.match(await alert.innerText(), /no metric called val\/losss.*did you mean val\/loss\?/),
  );
  await field.fill("${val/loss} + * 2");
  await field.press("Enter");
  await eventually(async () => assert.match(await alert.innerText(), /⟨here⟩/));
  assert.deepEqual((await view(page)).extra, []);
  await done();
  // One that is in an address already says it on its card.
  const old = await open(
    address("charts", "", { extra: [{ id: "own:1", keys: [], expression: "${val/losss} - 1" }] }),
  );
  await eventually(async () =>
    assert.match(
      await old.page.locator('[data-card="own:1"]').innerText(),
      /no metric called val\/losss/,
    ),
  );
  await old.done();
});

test("finding D19: a pin stands where the cursor said", async () => {
  const { page, done } = await open(address("charts", "&search=val/accuracy"));
  await painted(page, "val/accuracy");
  await settled(page);
  // Beside the point at step 900, and away from every line.
  const box = await page.locator('[data-card="val/accuracy"] .plot').first().boundingBox();
  await page.mouse.move(box.x + 60 + (box.width - 72) * 0.48, box.y + 14);
  await page.waitForSelector(".tooltip");
  const said = Number((await page.locator(".tooltip .title").innerText()).replace(/[^\d]/g, ""));
  assert.equal(said, 900);
  await page.mouse.down();
  await page.mouse.up();
  await eventually(async () => assert.deepEqual((await view(page)).pins, [900]));
  await done();
});

test("finding D20: the theme is each browser's own", async () => {
  const one = await open(address("charts"));
  await painted(one.page, "auto:loss");
  await one.page.getByRole("button", { name: "Dark theme" }).click();
  await settled(one.page);
  const theme = (page) => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(one.page), "dark");
  const two = await open(address("charts"));
  await painted(two.page, "auto:loss");
  await settled(two.page);
  assert.equal(await theme(two.page), "light");
  await two.done();
  await one.page.reload();
  await painted(one.page, "auto:loss");
  assert.equal(await theme(one.page), "dark", "and lasts there");
  await one.done();
});

test("finding U04: the tooltip has five digits that line up, metrics as columns, a header for smoothed and raw, and stands beside its card", async () => {
  const { page, done } = await open(address("charts", "&smoothing=ema"));
  await painted(page, "auto:loss");
  await settled(page);
  await hover(page, "auto:loss", 0.4);
  await page.waitForSelector(".tooltip [data-exact]");
  const heads = await page.locator(".tooltip thead tr").allInnerTexts();
  assert.match(heads[0], /train\s+val/);
  assert.match(heads[1], /smoothed\s+raw\s+smoothed\s+raw/);
  // Another step than that of the title is told, once for all rows; the same one never.
  const [step] = /[\d,]+/.exec(await page.locator(".tooltip .title").innerText());
  const said = await page.locator(".tooltip .extra").allInnerTexts();
  assert.ok(!said.some((text) => text.endsWith(`@ ${step}`)), said.join());
  assert.ok(said.filter((text) => text.includes("@")).length <= 1, said.join());
  assert.equal(
    await page.locator(".tooltip").evaluate((t) => t.scrollWidth - t.clientWidth),
    0,
    "nothing of it is cut",
  );
  const rows = await page
    .locator(".tooltip tbody tr")
    .evaluateAll((list) =>
      list.map((r) => [...r.querySelectorAll("td.value")].map((c) => c.textContent)),
    );
  assert.equal(rows.length, 3);
  for (let c = 0; c < rows[0].length; c++) {
    const decimals = new Set(rows.map((r) => r[c].split(".")[1]?.length ?? 0));
    assert.equal(decimals.size, 1, rows.map((r) => r[c]).join());
    for (const r of rows) assert.ok(r[c].replace(/\D/g, "").replace(/^0+/, "").length <= 5, r[c]);
  }
  const [tip, card] = [
    await page.locator(".tooltip").boundingBox(),
    await page.locator('[data-card="auto:loss"]').boundingBox(),
  ];
  assert.ok(tip.x >= card.x + card.width || tip.x + tip.width <= card.x, "it covers its card");
  await done();
});

test("the tooltip of the large view stays in it", async () => {
  const { page, done } = await open(address("charts", "&full=auto:loss"));
  const card = page.locator(".full-card");
  await card.locator(".plot[data-painted]").waitFor();
  await settled(page);
  const plot = await card.locator(".plot").boundingBox();
  for (const share of [0.3, 0.9]) {
    await page.mouse.move(plot.x + plot.width * share, plot.y + plot.height * 0.8);
    const tip = page.locator(".tooltip");
    await tip.waitFor();
    const [at, around] = [await tip.boundingBox(), await card.boundingBox()];
    assert.ok(at.x >= around.x && at.x + at.width <= around.x + around.width, JSON.stringify(at));
  }
  await done();
});

test("the tooltip of a card that is smoothed in its own way tells what its line shows", async () => {
  const smoothed = async (rest, state) => {
    const { page, done } = await open(address("charts", `&search=val/loss${rest}`, state));
    await painted(page, "val/loss");
    await settled(page);
    await hover(page, "val/loss", 0.4);
    await page.waitForSelector(".tooltip [data-exact]");
    const text = await page.locator(".tooltip tbody").innerText();
    await done();
    return text;
  };
  const panels = { "val/loss": { smoothing: { method: "mean", amount: 5 } } };
  assert.equal(
    await smoothed("&smoothing=ema", { panels }),
    await smoothed("&smoothing=mean&smoothingAmount=5"),
  );
});

test("finding U05: settings are written as they were, the same everywhere", async () => {
  const { page, done } = await open(address("table"));
  await page.waitForSelector(".grid-row");
  await settled(page);
  const column = await page
    .locator('[role="columnheader"]', { hasText: /^lr$/ })
    .getAttribute("aria-colindex");
  const shown = await page.locator(`.grid-row [aria-colindex="${column}"]`).allInnerTexts();
  assert.deepEqual(shown.sort(), ["0.001", "0.01", "3e-4"]);
  await page.goto(address("charts", "&search=val/loss", { groupBy: ["config:lr"] }));
  await painted(page, "val/loss");
  await eventually(async () =>
    assert.deepEqual(
      (await page.locator('[data-card="val/loss"] .legend[data-groups] span').allInnerTexts())
        .filter(Boolean)
        .sort(),
      shown,
    ),
  );
  await done();
});
