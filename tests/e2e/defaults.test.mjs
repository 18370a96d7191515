// What a stranger sees first: cards and columns that the visible runs fill, in an order that data
// does not change.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, open, painted, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const count = 10;
let server, address, writer;
const falling = (n = 60) => Array.from({ length: n }, (_, s) => 3 * Math.exp(-s / 20));
/** One run whose metrics nobody else has, all of them called losses. */
async function vae(run, n) {
  for (const key of ["vae/loss", "vae/kl_loss", "vae/reconstruction_loss", "beta/loss", "a/loss"])
    await run.scalars(key, falling(n));
}
before(async () => {
  server = await serve(["odd"], {
    options: {
      write: async (open) => {
        for (let i = 0; i < count; i++) {
          const run = await open(`plain-${i}`, {
            start_ms: Date.UTC(2026, 0, 1 + i),
            config: [["lr", i / 100]],
          });
          for (const key of ["train/loss", "val/loss", "train/accuracy", "val/accuracy"])
            await run.scalars(key, falling());
          await run.scalars("time/step", falling());
          await run.scalars("final/score", [0.5 + ((i * 7) % count) / 100], { first: 60 });
          await run.finish();
        }
        const odd = await open("vae-digits", { start_ms: Date.UTC(2026, 0, 20) });
        await vae(odd, 60);
        await odd.finish();
      },
    },
  });
  [writer] = server.writers;
  address = (page, rest = "") => `${server.url}#/${page}?project=odd${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});

const cardsIn = (page) =>
  page.locator("[data-card]").evaluateAll((list) => list.map((c) => c.dataset.card));
const headings = (page) => page.locator(".section-head button[aria-expanded]").allTextContents();

test("finding D05: losses of one run do not push out what all runs have; what no visible run has is hidden and counted", async () => {
  const { page, done } = await open(address("charts"), { height: 3000 });
  await painted(page, "auto:accuracy");
  await settled(page);
  assert.deepEqual((await cardsIn(page)).slice(0, 2), ["auto:loss", "auto:accuracy"]);
  await page.getByLabel("Filter runs").fill('name != "vae-digits"');
  await page.getByLabel("Filter runs").press("Enter");
  await eventually(async () =>
    assert.match(await page.locator(".hidden-cards").textContent(), /^5 hidden/),
  );
  await settled(page);
  assert.deepEqual(
    (await cardsIn(page)).filter((id) => /vae|beta|^a\//.test(id)),
    [],
  );
  for (const note of await page.locator("[data-card] .card-note").allTextContents())
    assert.equal(note, "", "an empty card");
  await page.locator(".hidden-cards").click();
  await page.locator('[data-card="vae/loss"]').waitFor();
  // The machine and its times come last.
  assert.deepEqual((await headings(page)).map((t) => t.replace(/\d+$/, "")).at(-1), "time/");
  await done();
  const table = await open(address("table"));
  await table.page.waitForSelector(".grid-row");
  await settled(table.page);
  const titles = await table.page.locator('[role="columnheader"]').allTextContents();
  for (const key of ["val/loss", "val/accuracy", "train/loss", "train/accuracy"])
    assert.ok(titles.slice(0, 9).includes(key), `${key} in ${titles.slice(0, 9)}`);
  await table.done();
});

test("finding D06: a run that brings new metrics moves nothing that is on show", async () => {
  const { page, done } = await open(address("charts"), {
    init: () => {
      window.__shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (!entry.hadRecentInput) window.__shift += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    },
  });
  await painted(page, "auto:loss");
  await settled(page, 800);
  await page.evaluate(() => (window.__shift = 0));
  const before = (await headings(page)).map((t) => t.trim());
  const places = () =>
    page
      .locator("[data-card]")
      .evaluateAll((list) => Object.fromEntries(list.map((c) => [c.dataset.card, c.style.top])));
  const held = await places();
  const run = await writer.open("live-one", { start_ms: Date.UTC(2026, 1, 1), live: true });
  for (const key of ["aaa/loss", "train/aaa", "loss"]) await run.scalars(key, falling(30));
  await writer.sync();
  await eventually(async () => assert.match((await headings(page)).at(-1), /^new/), 20000);
  await settled(page, 800);
  assert.deepEqual((await headings(page)).map((t) => t.trim()).slice(0, before.length), before);
  const now = await places();
  for (const [card, top] of Object.entries(held)) assert.equal(now[card], top, card);
  const shift = await page.evaluate(() => window.__shift);
  assert.ok(shift <= 0.02, `layout shift ${shift}`);
  // In order after the next look.
  await page.reload();
  await painted(page, "auto:loss");
  await settled(page);
  assert.ok(!(await headings(page)).some((t) => t.startsWith("new")));
  await run.finish();
  await done();
});

test("finding D10: pinning the loss card pins that card, and the others stay", async () => {
  const { page, done } = await open(address("charts"), { height: 1600 });
  await painted(page, "auto:loss");
  await settled(page);
  const overview = async () =>
    (await cardsIn(page)).filter((id) => id.startsWith("auto:") || id.startsWith("pin:"));
  const before = await overview();
  await page.locator('[data-card="auto:loss"]').hover();
  await page
    .locator('[data-card="auto:loss"]')
    .getByRole("button", { name: "Pin to the top" })
    .click();
  await settled(page);
  const now = await overview();
  assert.equal(now.length, before.length, now.join());
  assert.equal(now[0], "pin:train/loss\nval/loss");
  assert.deepEqual(now.slice(1), before.slice(1));
  const titles = await page.locator("[data-card] .card-head .title").allTextContents();
  assert.equal(titles[0], "loss");
  await done();
});

test("single values are sorted bars, best first, that open their run", async () => {
  const { page, done } = await open(address("charts", "&search=final"));
  const bars = page.locator('[data-card="auto:final/score"] .bar-row');
  await eventually(async () => assert.ok((await bars.count()) >= 8));
  const values = (
    await page.locator('[data-card="auto:final/score"] .bar-value').allTextContents()
  ).map(Number);
  assert.deepEqual(
    values,
    values.slice().sort((a, b) => b - a),
  );
  assert.equal(values[0], 0.59);
  const name = await bars.first().locator(".bar-label").textContent();
  await bars.first().click();
  await eventually(async () =>
    assert.match(await page.locator("#main").innerText(), new RegExp(name)),
  );
  await done();
});
