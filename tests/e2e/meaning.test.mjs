// What a program said of its metrics, and what an answer says of itself: axes, summaries, goals,
// hidden metrics, estimates, damage.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { getJson } from "./api.mjs";
import { eventually, open, painted, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const state = (value) => "&z=" + Buffer.from(JSON.stringify(value)).toString("base64url");
const long = 600_000; // more than the server reads for a statistic

let server, address;
before(async () => {
  server = await serve(["odd"], {
    options: {
      async write(open) {
        for (const [name, cost, quality] of [
          ["meant one", [5, 4, 3, 2, 1, 2, 3, 4, 5, 6], [1, 9, 4]],
          ["meant two", [6, 5, 4, 3, 2, 3, 4, 5, 6, 5], [1, 12, 4]],
        ]) {
          const run = await open(name, { project: "meant", config: [["width", cost[0]]] });
          await run.define("val/*", { step: "epoch", summary: "min", goal: "minimize" });
          await run.define("quality", { summary: "max", goal: "maximize" });
          await run.define("debug/*", { hidden: true });
          await run.define("epoch", { hidden: true });
          await run.scalars(
            "epoch",
            Array.from({ length: 100 }, (_, i) => (i + 1) / 10),
          );
          await run.scalars("val/cost", cost, { first: 9, stride: 10 });
          await run.scalars("quality", quality);
          await run.scalars("debug/grad", [1, 2, 3]);
          const histogram = { kind: "histogram", edges: [0, 1, 2], counts: [1, 2], min: 0, max: 2 };
          for (const key of ["debug/grad", "shown"]) {
            await run.value(`${key} words`, { kind: "text", text: "words" });
            await run.value(`${key} weights`, { ...histogram, sum: 4, sum_squares: 6 });
            await run.value(`${key} graph`, {
              kind: "graph",
              nodes: [{ name: key, op: "Op", inputs: [] }],
            });
          }
          await run.finish();
        }
        const endless = await open("endless", { project: "long" });
        await endless.scalars(
          "wave",
          Float64Array.from({ length: long }, (_, i) => Math.sin(i / 1000)),
        );
        await endless.scalars("short", [1, 2, 3, 4]);
        await endless.finish();
        const broken = await open("broken", { project: "damaged" });
        for (let part = 0; part < 40; part++)
          await broken.scalars(
            "train/loss",
            Array.from({ length: 500 }, (_, i) => part + i / 500),
            { first: part * 500 },
          );
        await broken.finish();
      },
    },
  });
  address = (page, project, rest = "") => `${server.url}#/${page}?project=${project}${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});

/** The x axes that a page asked the charts of each metric with, newest last. */
function axesAsked(page) {
  const asked = new Map();
  page.on("request", (request) => {
    if (!request.url().includes("series:query")) return;
    for (const { keys, x } of JSON.parse(request.postData()).charts)
      asked.set(keys.join(), [...(asked.get(keys.join()) ?? []), x]);
  });
  return asked;
}
const runId = async (name) => (await getJson(server.url, `run?run=${name.replace(" ", "")}`)).id;

test("finding R04: a metric is drawn over the axis it was defined with, the others over steps", async () => {
  const { page, done } = await open("about:blank");
  const asked = axesAsked(page);
  await page.goto(address("charts", "meant"));
  const cost = await painted(page, "val/cost");
  await painted(page, "quality");
  await settled(page);
  // As a declared goal it also stands in the overview.
  assert.deepEqual(
    new Set(asked.get("val/cost").map((x) => `${x.axis} ${x.metric}`)),
    new Set(["metric epoch"]),
  );
  assert.ok(asked.get("quality").every((x) => x.axis === "step"));
  assert.equal(
    await page.locator('[data-card="val/cost"] .card-head').getByText("over epoch").count(),
    1,
  );
  assert.equal(await page.locator('[data-card="quality"] .card-head').getByText("over").count(), 0);
  const box = await cost.boundingBox();
  await page.mouse.move(box.x + box.width - 20, box.y + 60);
  await eventually(async () =>
    assert.match(await page.locator(".tooltip .title").innerText(), /^epoch (9|10)/),
  );

  // A range of epochs is no range of steps: the zoom is shared along one axis only.
  await page.mouse.move(box.x + 100, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 52, { steps: 3 });
  await page.mouse.up();
  await eventually(async () => assert.ok(asked.get("val/cost").at(-1).to < 10));
  await settled(page);
  assert.equal(asked.get("quality").at(-1).to, undefined);

  // Pins stand on the axis of the card that was clicked, and say which.
  await page.mouse.click(box.x + 150, box.y + 12);
  await eventually(async () =>
    assert.match(await page.locator(".pin-strip .chip.accent").innerText(), /^epoch /),
  );
  const quality = await (await painted(page, "quality")).boundingBox();
  await page.mouse.click(quality.x + 150, quality.y + 12);
  await eventually(async () =>
    assert.deepEqual(
      (await page.locator(".pin-strip .chip.accent").allInnerTexts()).map((t) => t.split(" ")[0]),
      ["step"],
    ),
  );

  // What a person chooses goes before the definition, and the address keeps it.
  await page.getByLabel("x axis", { exact: true }).selectOption("step");
  await eventually(async () => assert.equal(asked.get("val/cost").at(-1).axis, "step"));
  assert.equal(await page.getByText("over epoch").count(), 0);
  assert.match(page.url(), /[?&]xAxis=step/);
  await page.getByLabel("x axis", { exact: true }).selectOption("auto");
  await eventually(async () => assert.ok((await page.getByText("over epoch").count()) >= 1));
  await done();
});

test("finding R04: hidden metrics are in no list of any page, and there for who names them", async () => {
  const { page, done } = await open(address("charts", "meant"));
  await painted(page, "quality");
  assert.deepEqual(
    (await page.locator("[data-card]").evaluateAll((all) => all.map((e) => e.dataset.card))).filter(
      (id) => /debug|epoch/.test(id),
    ),
    [],
  );
  await page.keyboard.press("Control+k");
  await page.keyboard.type("grad");
  await eventually(async () =>
    assert.equal(await page.locator(".palette").getByText("debug/grad").count(), 0),
  );
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Colour runs" }).click();
  const offered = await page.getByLabel("Colour by").locator("option").allInnerTexts();
  assert.ok(offered.includes("quality") && !offered.includes("debug/grad"), offered.join());
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Add panel" }).click();
  await page.fill("#panel-text", "debug/grad");
  await page.getByRole("button", { name: "Add panel" }).last().click();
  await page.waitForSelector('[data-card^="own:"] .plot[data-painted]');

  const one = await runId("meant one");
  for (const [place, present] of [
    [address("table", "meant"), "quality"],
    [address("compare", "meant"), "quality"],
    [address("hparams", "meant"), "quality"],
    [address("run", "meant", `&run=${one}`), "quality"],
    [address("run", "meant", `&run=${one}&tab=charts`), "quality"],
    [address("run", "meant", `&run=${one}&tab=media`), "shown words"],
    [address("media", "meant"), "shown words"],
    [address("distributions", "meant"), "shown weights"],
    [address("graph", "meant"), "shown"],
  ]) {
    await page.goto(place);
    await eventually(async () =>
      assert.match(await page.locator("#main").innerText(), new RegExp(present), place),
    );
    await settled(page);
    assert.doesNotMatch(await page.locator("#main").innerText(), /debug\/grad/, place);
  }
  await page.goto(address("table", "meant"));
  await page.getByRole("button", { name: "Columns" }).click();
  assert.equal(await page.getByText("debug/grad").count(), 0);
  await page.getByLabel("Search columns").fill("debug/grad");
  await page.getByLabel("debug/grad").click();
  await eventually(async () =>
    assert.equal(await page.getByRole("columnheader", { name: /debug\/grad/ }).count(), 1),
  );
  await done();
});

test("finding R04: summaries and goals decide what tables, comparisons and the page of a run show as best", async () => {
  const { page, done } = await open(address("table", "meant"));
  const cell = (run, column) =>
    page
      .getByRole("row", { name: new RegExp(run) })
      .getByRole("gridcell")
      .nth(column - 1);
  const columnOf = async (name) =>
    (await page.getByRole("columnheader").allInnerTexts()).findIndex((text) =>
      text.startsWith(name),
    );
  await eventually(async () =>
    assert.ok(
      (await columnOf("val/cost")) > 0 && (await columnOf("quality")) > 0,
      "metrics with a goal are shown",
    ),
  );
  const cost = await columnOf("val/cost");
  const quality = await columnOf("quality");
  await eventually(async () =>
    assert.deepEqual(
      [await cell("meant one", cost).innerText(), await cell("meant two", cost).innerText()].map(
        (t) => t.trim(),
      ),
      ["★ 1", "2"],
    ),
  );
  assert.deepEqual(
    [
      await cell("meant one", quality).innerText(),
      await cell("meant two", quality).innerText(),
    ].map((t) => t.trim()),
    ["9", "★ 12"],
  );
  await page.getByRole("columnheader").nth(quality).click();
  await eventually(async () =>
    assert.match(await page.getByRole("columnheader").nth(quality).innerText(), /↓/),
  );
  await page.getByRole("columnheader").nth(cost).click();
  await eventually(async () =>
    assert.match(await page.getByRole("columnheader").nth(cost).innerText(), /↑/),
  );

  await page.goto(address("compare", "meant", `&baseline=${await runId("meant one")}`));
  const tone = (name) =>
    page
      .getByRole("row", { name: new RegExp(name) })
      .locator("[data-delta]")
      .getAttribute("class");
  await eventually(async () =>
    assert.deepEqual([await tone("val/cost"), await tone("quality")], ["small bad", "small good"]),
  );

  await page.goto(address("run", "meant", `&run=${await runId("meant one")}`));
  const row = (name) =>
    page.locator(".plain-table.names tr", { hasText: name }).locator("td").allInnerTexts();
  await eventually(async () =>
    assert.deepEqual(await row("val/cost"), ["val/cost", "1", "6", "★ 1", "6", "10"]),
  );
  assert.deepEqual(await row("quality"), ["quality", "9", "4", "1", "★ 9", "3"]);

  await page.goto(address("hparams", "meant"));
  await eventually(async () =>
    assert.match(
      await page.getByLabel("Goal", { exact: true }).inputValue(),
      /metric:(val\/cost|quality)/,
    ),
  );
  await done();
});

test("statistics of a long series say which numbers are estimates", async () => {
  const { page, done } = await open(
    address("charts", "long", state({ range: [1000, long - 1000] })),
  );
  const mark = async (card) => {
    const box = await (await painted(page, card)).boundingBox();
    await page.mouse.move(box.x + 80, box.y + box.height - 8);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 30, box.y + box.height - 8, { steps: 4 });
    await page.mouse.up();
    await page.waitForSelector('.pin-strip[aria-busy="false"] tbody td.number');
    return page.locator(".pin-strip tbody tr").first().locator("td.number").allInnerTexts();
  };
  const [min, max, mean, deviation, slope] = await mark("wave");
  assert.ok(
    [min, max, mean].every((text) => !text.includes("≈")) &&
      [deviation, slope].every((text) => text.startsWith("≈ ")),
    [min, max, mean, deviation, slope].join(" | "),
  );
  assert.match(
    await page.locator(".pin-strip [data-estimated]").innerText(),
    /Standard deviation and slope of one run are estimated .*other numbers are exact/,
  );
  const exact = await mark("short");
  assert.ok(
    exact.every((text) => !text.includes("≈")),
    exact.join(" | "),
  );
  assert.equal(await page.locator(".pin-strip [data-estimated]").count(), 0);
  await done();
});

test("finding R03: a download that lacks what is damaged says so, with the run and the reason", async () => {
  await server.stop();
  const folder = join(server.folder, "odd");
  const log = readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .find((path) => /broken/.test(path) && /\.tlog$/.test(path));
  const bytes = readFileSync(log);
  bytes[Math.floor(bytes.length / 2)] ^= 0x40;
  writeFileSync(log, bytes);
  await server.again();
  const { page, done } = await open(address("charts", "damaged"));
  await painted(page, "train/loss");
  const save = async () => {
    await page.getByRole("button", { name: "Export and share" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: /as CSV/ }).click(),
    ]);
    return (
      readFileSync(await file.path(), "utf8")
        .trim()
        .split("\n").length - 1
    );
  };
  const rows = await save();
  assert.ok(rows > 0 && rows < 20_000, `${rows} rows`);
  const words = page.locator(".toast.warn");
  assert.match(
    await words.innerText(),
    /is not complete: one run is damaged, and the file holds only what can be read of it\. broken \(.*\.tlog: .+\)/,
  );
  await words.getByRole("button", { name: "Dismiss" }).click();
  await eventually(async () => assert.equal(await words.count(), 0));

  await page.goto(address("charts", "meant"));
  await painted(page, "quality");
  await save();
  assert.equal(
    await page.locator(".toast.warn").count(),
    0,
    "what is whole is saved without a word",
  );
  await done();
});
