// Groups are one thing: the same labels and colours on every card and page, whole numbers, carried
// by the address.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, open, painted, quit, settled } from "./browser.mjs";
import { python, serve } from "./server.mjs";

const rates = [0.003, 0.0003, 0.01, 0.001];
const count = 12;
const loss = (i) => 0.88 + ((i * 37) % 11) / 100;
let server, address;
before(async () => {
  server = await serve(["odd"], {
    options: {
      write: async (open) => {
        for (let i = 0; i < count; i++) {
          const run = await open(`${["resnet", "vit"][i % 2]}-s${i}`, {
            start_ms: Date.UTC(2026, 0, 1 + i),
            config: [
              ["lr", rates[i % 4]],
              ["depth", i % 2 ? 4 : 2],
            ],
          });
          const falling = Array.from({ length: 50 }, (_, s) => 3 * Math.exp(-s / 10));
          await run.scalars("train/loss", [...falling, loss(i)]);
          await run.scalars("val/loss", [...falling, loss(i) + 0.01]);
          // The groups of this one begin elsewhere in the list of runs.
          if (i % 4 !== 0) await run.scalars("test/accuracy", [...falling, 0.8 + i / 100]);
          await run.finish();
        }
      },
    },
  });
  address = (page, state = {}, rest = "") =>
    `${server.url}#/${page}?project=odd${rest}&z=${Buffer.from(JSON.stringify(state)).toString("base64url")}`;
});
after(async () => {
  await quit();
  await server?.close();
});

const legend = (page, card) =>
  page
    .locator(`[data-card="${card}"] .legend[data-groups] span:has(.swatch)`)
    .evaluateAll((list) =>
      Object.fromEntries(list.map((e) => [e.textContent, e.querySelector(".swatch").style.color])),
    );
const groupRows = (page) =>
  page
    .locator(".run-row[data-group]")
    .evaluateAll((list) =>
      Object.fromEntries(
        list.map((e) => [e.dataset.group, e.querySelector(".swatch").style.color]),
      ),
    );

test("finding D02: a group has one colour on every card and in the list, and a filter moves none", async () => {
  const { page, done } = await open(
    address("charts", { groupBy: ["config:lr"] }, "&search=loss|accuracy"),
    { height: 1500 },
  );
  await painted(page, "train/loss");
  await painted(page, "test/accuracy");
  await settled(page);
  const [first, second] = [await legend(page, "train/loss"), await legend(page, "test/accuracy")];
  assert.equal(Object.keys(first).length, 4);
  assert.equal(new Set(Object.values(first)).size, 4);
  assert.equal(Object.keys(second).length, 3);
  for (const [label, color] of Object.entries(second)) assert.equal(color, first[label], label);
  const rows = await groupRows(page);
  assert.deepEqual(rows, first);
  // The runs below a group wear its colour.
  const runs = await page
    .locator(".run-row[data-run]")
    .evaluateAll((list) =>
      list.map((e) => [e.dataset.run, e.querySelector(".swatch").style.color]),
    );
  assert.equal(runs.length, count);
  for (const [id, color] of runs) {
    const lr = rates[Number(id.match(/s(\d+)/)[1]) % 4];
    assert.equal(color, first[{ 0.0003: "3e-4" }[lr] ?? String(lr)], id);
  }
  await page.getByLabel("Filter runs").fill("lr<0.002");
  await page.getByLabel("Filter runs").press("Enter");
  await eventually(async () => assert.equal(Object.keys(await groupRows(page)).length, 2));
  await settled(page);
  for (const [label, color] of Object.entries(await legend(page, "train/loss")))
    assert.equal(color, first[label], label);
  await done();
});

test("finding D01: a grouped table shows every mean ± deviation whole", async () => {
  const { page, done } = await open(address("table", {}, "&tableGroup=config:lr"));
  await page.waitForFunction(() =>
    /±/.test(document.querySelector('[role="row"].group')?.textContent ?? ""),
  );
  await settled(page);
  const cells = await page.locator(".grid-row.group .cell.number").evaluateAll((list) =>
    list
      .filter((c) => c.textContent.includes("±"))
      .map((c) => {
        const range = document.createRange();
        range.selectNodeContents(c);
        const [text, box] = [range.getBoundingClientRect(), c.getBoundingClientRect()];
        return {
          text: c.textContent,
          cut: Math.max(
            box.left - text.left,
            text.right - box.right,
            c.scrollWidth - c.clientWidth,
          ),
        };
      }),
  );
  assert.ok(cells.length >= 8, JSON.stringify(cells));
  assert.deepEqual(
    cells.filter((c) => c.cut > 0.5),
    [],
    "cells that are cut",
  );
  await done();
});

test("of a setting a grouped table tells the values, as they were written", async () => {
  const { page, done } = await open(
    address("table", { groupBy: ["config:depth"], columns: ["metric:val/loss", "config:lr"] }),
  );
  await eventually(async () =>
    assert.deepEqual(
      (
        await page
          .locator(".grid-row.group")
          .evaluateAll((l) => l.map((r) => r.children[2].textContent))
      ).sort(),
      ["0.003, 0.01", "3e-4, 0.001"],
    ),
  );
  await done();
});

test("finding U08: groups go along to Table, Compare and Hyperparameters and into the address, with their colours", async () => {
  const { page, done } = await open(address("charts", {}, "&search=loss"));
  await painted(page, "train/loss");
  await page.getByRole("button", { name: "Group runs" }).click();
  await page.getByLabel("Group by").selectOption("config:lr");
  await page.keyboard.press("Escape");
  await eventually(async () => assert.equal(Object.keys(await groupRows(page)).length, 4));
  const own = await groupRows(page);
  const chip = page.locator(".group-chip");
  assert.match(await chip.textContent(), /grouped by lr/);
  // What the list says of a group is what Python says of its runs.
  const said = Object.fromEntries(
    await page
      .locator(".run-row[data-group]")
      .evaluateAll((list) =>
        list.map((e) => [e.dataset.group, e.querySelector(".list-value").textContent]),
      ),
  );
  const expected = await python(
    "import json, sys, statistics as s\nprint(json.dumps([[k, s.mean(v), s.stdev(v)] for k, v in json.load(sys.stdin)]))",
    rates.map((lr, k) => [
      lr === 0.0003 ? "3e-4" : String(lr),
      [k, k + 4, k + 8].map((i) => loss(i) + 0.01),
    ]),
  );
  for (const [label, mean, std] of expected) {
    const [a, b] = said[label].split("±").map(Number);
    assert.ok(
      Math.abs(a - mean) < 1e-4 && Math.abs(b - std) < 0.05 * std,
      `${label} ${said[label]}`,
    );
  }
  for (const name of ["Table", "Compare", "Hyperparameters"]) {
    await page.getByRole("link", { name }).or(page.getByRole("button", { name })).first().click();
    await page.waitForSelector(`[data-page]`);
    await settled(page);
    assert.match(await chip.first().textContent(), /grouped by lr/, name);
    if (name === "Table") {
      await page.waitForSelector(".grid-row.group");
      const rows = await page
        .locator(".grid-row.group [data-group]")
        .evaluateAll((list) =>
          Object.fromEntries(
            list.map((e) => [e.dataset.group, e.querySelector(".swatch").style.color]),
          ),
        );
      assert.deepEqual(rows, own);
    }
    if (name === "Hyperparameters") assert.deepEqual(await groupRows(page), own);
  }
  const there = await open(page.url());
  await eventually(async () => assert.deepEqual(await groupRows(there.page), own));
  await there.page.getByRole("button", { name: "Take the groups apart" }).click();
  await eventually(async () => assert.deepEqual(await groupRows(there.page), {}));
  await there.done();
  await done();
});

test("finding M09: groups by several keys and by a piece of the name; a group can be closed", async () => {
  const { page, done } = await open(
    address("charts", { groupBy: ["config:depth", "name~^[a-z]+"] }, "&search=val/loss"),
  );
  await painted(page, "val/loss");
  await settled(page);
  assert.deepEqual(Object.keys(await groupRows(page)), ["2 · resnet", "4 · vit"]);
  assert.deepEqual(await legend(page, "val/loss"), await groupRows(page));
  assert.equal(await page.locator(".run-row[data-run]").count(), count);
  await page.locator('.run-row[data-group="4 · vit"] .name').click();
  await eventually(async () =>
    assert.equal(await page.locator(".run-row[data-run]").count(), count / 2),
  );
  await done();
});
