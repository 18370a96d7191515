// Odd but legal numbers on the charts: nothing is blank, nothing hangs, every digit counts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, open, painted, pixels, quit, recordTexts, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const base = 2n ** 53n + 1n;
let server, address, counting;
before(async () => {
  server = await serve(["odd"], {
    options: {
      async write(open) {
        const run = await open("odd numbers");
        await run.scalars(
          "fine",
          Array.from({ length: 100 }, (_, i) => Math.sin(i / 10)),
        );
        await run.scalars("huge", [1, 10, 1e5, 1e20, 1e38, 1e39]);
        await run.scalars("widest", [-1.7e308, 0, 1.7e308]);
        await run.scalars(
          "time",
          Array.from({ length: 1000 }, (_, i) => 1794810000 + i),
        );
        await run.scalars(
          "tokens",
          Array.from({ length: 1000 }, (_, i) => 2e10 + 512 * i),
        );
        await run.scalars(
          "denormal",
          Array.from({ length: 1000 }, (_, i) => (i + 1) * 5e-324),
        );
        await run.scalars(
          "negative",
          Array.from({ length: 50 }, (_, i) => -1 - i),
        );
        await run.scalars(
          "nothing",
          Array.from({ length: 50 }, () => NaN),
        );
        await run.scalars(
          "long",
          Array.from({ length: 20000 }, (_, i) => i % 7),
        );
        await run.scalars("late", [10, 11, 12, 13], {
          steps: [base, base + 2n, base + 4n, base + 6n],
        });
        await run.finish();
        const ranked = { id: "ranked", world_size: 2 };
        const ramp = (from) => Array.from({ length: 100 }, (_, i) => from + i);
        for (const rank of [0, 1]) {
          const writer = await open("ranked", { ...ranked, rank });
          await writer.scalars("shared", ramp(1000 * rank));
          if (rank === 0) await writer.scalars("alone", ramp(0));
          await writer.finish();
        }
        const back = await open("back");
        await back.scalars("restarted", [...ramp(0), 500], { steps: [...ramp(0), 0] });
        const order = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_000);
        await back.scalars("shuffled", order, { steps: order });
        await back.finish();
        counting = await open("counting", { live: true });
        await counting.scalars("counter", ramp(0));
      },
    },
  });
  address = (rest = "") => `${server.url}#/charts?project=odd${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});

/**
 * The rows that a chart's one line covers in each column: [top, bottom], or null where it is not.
 */
async function lineOf(page, card) {
  const { width, height, at } = await pixels(page, card);
  const ground = at(0, 0).join();
  const inked = (x, y) => {
    const p = at(x, y);
    // the grid is grey, the line is not
    return p.join() !== ground && Math.max(...p) - Math.min(...p) > 40;
  };
  return Array.from({ length: width }, (_, x) => {
    const rows = Array.from({ length: height }, (_, y) => y).filter((y) => inked(x, y));
    return rows.length ? [rows[0], rows[rows.length - 1]] : null;
  });
}

const shown = async (page, card) => {
  await painted(page, card);
  await settled(page);
  return lineOf(page, card);
};

test("finding O05: a value beyond single precision is drawn, and every other chart of the tab too", async () => {
  const { page, done } = await open(address("&search=^(huge|fine|widest)$"));
  for (const card of ["fine", "huge", "widest"]) {
    const line = (await shown(page, card)).filter(Boolean);
    assert.ok(line.length > 100, `${card} is drawn over ${line.length} columns`);
  }
  const huge = (await lineOf(page, "huge")).filter(Boolean);
  const { height } = await pixels(page, "huge");
  assert.ok(huge[huge.length - 1][0] < height * 0.2, "1e39 is at the top");
  assert.ok(huge[0][1] > height * 0.8, "and 1 at the foot");
  assert.equal(await page.evaluate(() => window.__taffrail.stats.raster.ended), 0);
  await done();
});

test("finding O05: a picture that never ends is given up in words, and the other charts are drawn", async () => {
  // A worker whose logarithm never returns: only the chart with a log axis asks for one.
  const hang = async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: "Math.log10 = () => { for (;;); };\n" + (await response.text()),
    });
  };
  const z = Buffer.from(JSON.stringify({ panels: { fine: { y_scale: "log" } } })).toString(
    "base64url",
  );
  const { page, done } = await open(address(`&search=^(fine|long)$&z=${z}`), {
    routes: { "**/assets/raster-*.js": hang },
  });
  await page.waitForFunction(
    () =>
      document.querySelector('[data-card="fine"] .plot-note')?.textContent.includes("was ended"),
    null,
    { timeout: 60000 },
  );
  await painted(page, "long");
  assert.ok((await lineOf(page, "long")).filter(Boolean).length > 100);
  await done();
});

test("finding O11: large plain numbers and the smallest ones are straight lines, with whole labels", async () => {
  const { page, done } = await open(address("&search=^(time|tokens|denormal)$"), {
    init: recordTexts,
  });
  for (const card of ["time", "tokens", "denormal"]) {
    const line = (await shown(page, card)).filter(Boolean);
    const middles = line.map(([a, b]) => (a + b) / 2);
    assert.ok(
      new Set(middles).size > 60,
      `${card} takes ${new Set(middles).size} heights, no stairs`,
    );
    // Against the straight line between its ends.
    const n = middles.length - 1;
    const worst = Math.max(
      ...middles.map((y, i) => Math.abs(y - (middles[0] + ((middles[n] - middles[0]) * i) / n))),
    );
    assert.ok(worst <= 3, `${card} leaves the straight line by ${worst} pixels`);
    const cut = await page.evaluate((c) => {
      const axes = document.querySelector(`[data-card="${c}"] .plot-axes`);
      const first = axes.getContext("2d").getImageData(0, 0, 1, axes.height).data;
      return first.some((v) => v > 0);
    }, card);
    assert.equal(cut, false, `${card}: no label is cut at the left edge`);
  }
  const texts = await page.evaluate(() =>
    window.__texts.filter((t) => t.card === "time").map((t) => t.text),
  );
  assert.ok(texts.filter((t) => /^1,794,81\d,\d00$/.test(t)).length > 2, texts.join(" "));
  await done();
});

test("finding O19: a log axis with nothing to show says so and invents no labels", async () => {
  const { page, done } = await open(address("&search=^(negative|nothing)$&yScale=log"), {
    init: recordTexts,
  });
  const note = (card) => page.locator(`[data-card="${card}"] .plot-note`);
  await eventually(async () =>
    assert.equal(
      await note("negative").textContent(),
      "No value is above 0, and a log axis can show nothing else.",
    ),
  );
  await eventually(async () =>
    assert.equal(await note("nothing").textContent(), "Every value is NaN or infinite."),
  );
  await settled(page);
  await page.evaluate(() => (window.__texts.length = 0));
  await page.setViewportSize({ width: 1300, height: 900 });
  await settled(page);
  const labels = await page.evaluate(() =>
    window.__texts.filter((t) => t.card === "negative").map((t) => t.text),
  );
  assert.ok(
    labels.length > 0 && labels.every((t) => Number(t) >= 0 && Number.isInteger(Number(t))),
    `only steps: ${labels}`,
  );
  await done();
});

test("finding O19: labels of a log x axis are 1, 100, 10k", async () => {
  const { page, done } = await open(address("&search=^long$&xScale=log"), { init: recordTexts });
  await painted(page, "long");
  await settled(page);
  const labels = new Set(
    await page.evaluate(() => window.__texts.filter((t) => t.card === "long").map((t) => t.text)),
  );
  for (const wanted of ["1", "100", "10k"]) assert.ok(labels.has(wanted), [...labels].join(" "));
  assert.ok(![...labels].some((t) => /^0\.\d+k$|\.000k$/.test(t)), [...labels].join(" "));
  await done();
});

/**
 * Hovers a chart at shares of its width and height; the tooltip's title and rows once they are
 * exact.
 */
async function hover(page, card, x, y) {
  const plot = page.locator(`[data-card="${card}"] .plot`).first();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 60 + (box.width - 72) * x, box.y + 8 + (box.height - 30) * y);
  return eventually(async () => {
    const tip = page.locator(".tooltip");
    const exact = await tip
      .locator("[data-exact]")
      .evaluateAll((all) => all.map((e) => e.dataset.exact));
    assert.ok(exact.length > 0, "exact values came");
    return {
      title: await tip.locator(".title").innerText(),
      rows: await tip.locator("tr").evaluateAll((all) => all.map((r) => r.innerText)),
      exact: exact.map(Number),
    };
  }, 20000);
}

test("finding O07: a key that two ranks logged is a line each, and the tooltip names the rank", async () => {
  const { page, done } = await open(address("&search=^(shared|alone)$"));
  await painted(page, "shared");
  await settled(page);
  assert.match(
    await page.locator('[data-card="shared"] .plot').getAttribute("aria-label"),
    /: 2 series, 200 points/,
  );
  assert.match(
    await page.locator('[data-card="alone"] .plot').getAttribute("aria-label"),
    /: 1 series, 100 points/,
  );
  const { title, rows, exact } = await hover(page, "shared", 0.5, 0.1);
  const step = Number(/\d+/.exec(title)[0]);
  assert.match(rows[0], /ranked · rank 1/);
  assert.equal(exact[0], 1000 + step);
  assert.match(rows[1], /ranked · rank 0/);
  assert.equal(exact[1], step);
  await done();
});

test("finding O07: chosen on the page, ranks are their mean and how far they spread", async () => {
  const { page, done } = await open(address("&search=^shared$"));
  await painted(page, "shared");
  await page.getByRole("button", { name: "Axes and drawing" }).click();
  await page
    .getByRole("group", { name: "Ranks" })
    .getByRole("button", { name: "mean ± std" })
    .click();
  await page.keyboard.press("Escape");
  await eventually(async () =>
    assert.match(
      await page.locator('[data-card="shared"] .plot').getAttribute("aria-label"),
      /: 1 series, 200 points/,
    ),
  );
  await settled(page);
  const plot = await page.locator('[data-card="shared"] .plot').boundingBox();
  await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
  const row = page.locator(".tooltip tr").first();
  await eventually(async () =>
    assert.match(await row.innerText(), /ranked · mean of 2 ranks\s+5\d\d\s+± 707/),
  );
  await done();
});

test("finding O06: steps that go back are all on the chart, from the smallest to the largest", async () => {
  const { page, done } = await open(address("&search=^(restarted|shuffled)$"), {
    init: recordTexts,
  });
  const line = (await shown(page, "restarted")).filter(Boolean);
  assert.ok(line.length > 200, `${line.length} columns`);
  const labels = await page.evaluate(() =>
    window.__texts.filter((t) => t.card === "restarted").map((t) => t.text),
  );
  assert.ok(labels.includes("60") || labels.includes("75"), labels.join(" "));
  const shuffled = (await shown(page, "shuffled")).filter(Boolean);
  const middles = shuffled.map(([a, b]) => (a + b) / 2);
  const n = middles.length - 1;
  assert.ok(n > 200 && middles[0] > middles[n] + 100, "it rises over the whole width");
  assert.ok(
    Math.max(
      ...middles.map((y, i) => Math.abs(y - (middles[0] + ((middles[n] - middles[0]) * i) / n))),
    ) <= 4,
  );
  await done();
});

test("finding O06: a counter that begins anew while the page is open brings its points", async () => {
  const { page, done } = await open(address("&search=^counter$"));
  await painted(page, "counter");
  const label = () => page.locator('[data-card="counter"] .plot').getAttribute("aria-label");
  await eventually(async () => assert.match(await label(), /, 100 points/));
  await counting.scalars("counter", [7, 8, 9], { steps: [100, 0, 1] });
  await server.writers[0].sync();
  await eventually(async () => assert.match(await label(), /, 103 points/), 20000);
  await done();
});

test("finding O20: the tooltip gives steps beyond 2^53 to the last digit", async () => {
  const { page, done } = await open(address("&search=^late$"));
  await painted(page, "late");
  await settled(page);
  for (const [x, i] of [
    [0.01, 0],
    [0.99, 3],
  ]) {
    const { title, exact } = await hover(page, "late", x, 0.5);
    await eventually(async () =>
      assert.equal(
        (await page.locator(".tooltip .title").innerText()).replace(/\D/g, ""),
        String(base + 2n * BigInt(i)),
      ),
    );
    assert.ok(title.startsWith("step"));
    assert.equal(exact[0], 10 + i);
  }
  await done();
});
