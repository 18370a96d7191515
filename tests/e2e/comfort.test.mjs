// Small comforts: the filter completes, the list sorts, Compare takes another run, output opens
// where it matters, views are renamed, the palette finds by parts of words.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { getJson, postJson } from "./api.mjs";
import { eventually, open, painted, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const losses = [0.5, 0.1, 0.9, 0.3];
const names = ["twin", "best", "twin", "other"];
const output = Array.from({ length: 3000 }, (_, i) => ({
  text: `line ${i + 1}`,
  error: i % 750 === 7,
}));
let server, address, ids;
before(async () => {
  server = await serve(["odd"], {
    options: {
      async write(open) {
        for (const [i, name] of names.entries()) {
          const run = await open(name, {
            id: `run${i}`,
            start_ms: Date.UTC(2026, 0, 1 + i),
            config: [
              ["model", i < 3 ? "vit-b" : "resnet 50"],
              ["lr", 1e-3],
            ],
          });
          await run.scalars("val/loss", [2, 1, losses[i]]);
          await run.scalars("val/accuracy", [0.1, 0.2, 1 - losses[i]]);
          if (name === "other") await run.console(output);
          await run.finish(name === "other" ? "failed" : undefined);
        }
      },
    },
  });
  address = (page, rest = "") => `${server.url}#/${page}?project=odd${rest}`;
  ids = (await postJson(server.url, "runs:query", { project: "odd" })).runs.id.reverse();
});
after(async () => {
  await quit();
  await server?.close();
});

test("finding M03: the filter completes names and values with counts, and complains after a pause", async () => {
  const { page, done } = await open(address("charts"), { allow: ["400", "422"] });
  await painted(page, "val/loss").catch(() => painted(page, "auto:loss"));
  const field = page.getByLabel("Filter runs");
  await field.click();
  const began = Date.now();
  await page.keyboard.type("mod");
  const list = page.getByRole("listbox", { name: "Completions" });
  await list.waitFor();
  assert.deepEqual(await list.getByRole("option").first().locator("span").allTextContents(), [
    "model",
    "4",
  ]);
  const alerts = await page.getByRole("alert").count();
  if (Date.now() - began < 700) assert.equal(alerts, 0, "a word that is not finished is no error");
  await page.keyboard.press("ArrowDown");
  // Quick fingers: the next key comes before the next frame.
  const frames = await page.evaluateHandle(() => {
    const real = window.requestAnimationFrame;
    window.requestAnimationFrame = (draw) => setTimeout(() => real(draw), 300);
    return real;
  });
  await page.keyboard.press("Tab");
  assert.equal(await field.inputValue(), "model");
  await page.keyboard.type("=");
  await page.waitForTimeout(600);
  assert.equal(await field.evaluate((f) => f.selectionStart), 6, "the cursor stays at the end");
  await page.evaluate((real) => void (window.requestAnimationFrame = real), frames);
  await eventually(async () =>
    assert.deepEqual(await list.getByRole("option").locator("span").allTextContents(), [
      "vit-b",
      "3",
      "resnet 50",
      "1",
    ]),
  );
  await list.getByText("resnet 50").click();
  assert.equal(await field.inputValue(), 'model="resnet 50"');
  await eventually(async () => assert.equal(await page.locator(".run-row").count(), 1));
  await field.fill("modell=3");
  await page.getByRole("alert").filter({ hasText: "model" }).waitFor();
  await done();
});

test("finding M03: the filter of the table completes too; a click on a cell narrows it", async () => {
  const { page, done } = await open(
    address(
      "table",
      `&z=${Buffer.from(JSON.stringify({ columns: ["state", "config:model"] })).toString("base64url")}`,
    ),
    { allow: ["400", "422"] },
  );
  await page.locator(".grid-row").first().waitFor();
  const field = page.getByLabel("Filter runs");
  const matched = (n) =>
    eventually(async () =>
      assert.equal(await page.locator("[data-matched]").getAttribute("data-matched"), String(n)),
    );
  await field.click();
  const began = Date.now();
  await page.keyboard.type("mod");
  const list = page.getByRole("listbox", { name: "Completions" });
  await list.waitFor();
  const alerts = await page.getByRole("alert").count();
  if (Date.now() - began < 700) assert.equal(alerts, 0, "a word that is not finished is no error");
  await page.keyboard.press("Escape");
  await field.fill("");
  await field.press("Enter"); // at once: a click narrows what was sent
  await matched(4);
  await page.locator(".grid-row", { hasText: "twin" }).first().getByText("vit-b").click();
  await matched(3);
  assert.equal(await field.inputValue(), "model=vit-b");
  await page.locator(".grid-row").first().getByText("finished").click();
  await eventually(async () =>
    assert.equal(await field.inputValue(), "model=vit-b and state=finished"),
  );
  await matched(3);
  await field.fill("model=resnet");
  await field.press("Enter");
  await matched(0);
  await field.fill('model="resnet 50" or lr=1');
  await field.press("Enter");
  await matched(1);
  await page.locator(".grid-row").getByText("failed", { exact: true }).click();
  await eventually(async () =>
    assert.equal(await field.inputValue(), '(model="resnet 50" or lr=1) and state=failed'),
  );
  await matched(1);
  await done();
});

test("where no run is shown every page says why, and one click brings them back", async () => {
  const { page, done } = await open(address("charts", "&filter=lr%3E5"));
  for (const at of ["charts", "media", "distributions", "hparams"]) {
    await page.goto(address(at, "&filter=lr%3E5"));
    await page.getByRole("heading", { name: "No run matches the filter" }).waitFor();
    assert.equal(await page.locator("[data-card], .section-head").count(), 0, at);
  }
  assert.match(await page.locator(".page .state").innerText(), /lr>5 .*none of 4 runs/);
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await page.locator(".run-row").nth(3).waitFor();

  await page.goto(address("charts"));
  await painted(page, "auto:loss");
  await page.getByRole("checkbox", { name: "Show all listed runs" }).uncheck();
  await page.getByRole("heading", { name: "No run is shown" }).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await painted(page, "auto:loss");
  await done();
});

test("finding M06: runs of one name are numbered, and the list sorts by the metric and by name", async () => {
  const { page, done } = await open(address("charts"));
  const rows = () =>
    page.locator(".run-row .name").evaluateAll((list) => list.map((e) => e.textContent));
  await eventually(async () =>
    assert.deepEqual(await rows(), ["other", "twin #2", "best", "twin #1"]),
  );
  await page.getByLabel("Metric beside the names").selectOption("val/loss");
  await settled(page);
  await page.getByRole("button", { name: /sort by the metric/ }).click();
  await eventually(async () =>
    assert.deepEqual(await rows(), ["best", "other", "twin #1", "twin #2"]),
  );
  await page.getByRole("button", { name: /sort by name/ }).click();
  await eventually(async () =>
    assert.deepEqual(await rows(), ["best", "other", "twin #2", "twin #1"]),
  );
  await done();
});

test("finding M08: Compare takes another run on the page", async () => {
  const z = Buffer.from(JSON.stringify({ compared: ids.slice(0, 2) })).toString("base64url");
  const { page, done } = await open(address("compare", `&z=${z}`));
  await page.getByText("2 runs", { exact: true }).waitFor();
  await page.getByLabel("Add a run").selectOption(ids[3]);
  await page.getByText("3 runs", { exact: true }).waitFor();
  await page.getByRole("columnheader").filter({ hasText: "other" }).first().waitFor();
  await done();
});

test("finding M10: the output of a failed run opens at its end and can be downloaded whole", async () => {
  const { page, done } = await open(address("run", `&run=${ids[3]}&tab=logs`));
  await page.getByText("line 3000", { exact: true }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the output" }).click(),
  ]);
  const text = (await readFile(await download.path())).toString();
  assert.equal(text, output.map((line) => line.text).join("\n") + "\n");
  await done();
});

test("finding M10: only what was written to standard error, with the numbers of its lines", async () => {
  const { page, done } = await open(address("run", `&run=${ids[3]}&tab=logs`));
  await page.getByText("line 3000", { exact: true }).waitFor();
  await page.getByLabel("only errors").click();
  const wrong = output.flatMap(({ text, error }, i) => (error ? [`${i + 1}${text}`] : []));
  await eventually(async () =>
    assert.deepEqual(await page.locator(".console-line").allTextContents(), wrong),
  );
  assert.equal(await page.locator("[data-lines]").getAttribute("data-lines"), "4");
  // A search looks at these alone.
  await page.getByLabel("Search captured output").fill("line 8");
  await eventually(async () =>
    assert.equal(await page.locator("[data-matches]").getAttribute("data-matches"), "1"),
  );
  await page.getByLabel("only errors").click();
  await eventually(async () =>
    assert.equal(
      Number(await page.locator("[data-matches]").getAttribute("data-matches")),
      output.filter((line) => line.text.includes("line 8")).length,
    ),
  );
  await done();
});

test("finding M11: the palette finds a metric by parts of its words", async () => {
  const { page, done } = await open(address("charts"));
  await settled(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command" }).fill("val acc");
  await page
    .locator("#palette-list")
    .getByText(/val\/accuracy/)
    .first()
    .waitFor();
  await done();
});

test("finding M12: a saved view is overwritten and renamed", async () => {
  const { page, done } = await open(address("charts"));
  await settled(page);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByLabel("Name of the view").fill("first");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Overwrite view first" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("Search metrics").fill("accuracy");
  await settled(page);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("button", { name: "Overwrite view first" }).click();
  const views = async () => (await getJson(server.url, "views?project=odd")).views;
  await eventually(async () => assert.match((await views())[0].state, /search=accuracy/));
  await page.getByRole("button", { name: "Rename view first" }).click();
  await page.getByLabel("Rename view first").last().fill("second");
  await page.keyboard.press("Enter");
  await eventually(async () =>
    assert.deepEqual(
      (await views()).map((v) => v.name),
      ["second"],
    ),
  );
  // A name that is taken is overwritten only by who says so.
  const popover = page.getByLabel("Name of the view");
  if (!(await popover.isVisible())) await page.getByRole("button", { name: "Saved views" }).click();
  await popover.fill("second");
  await page.getByRole("button", { name: "Overwrite", exact: true }).waitFor();
  await popover.fill("third");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Rename view third" }).click();
  await page.getByLabel("Rename view third").last().fill("second");
  const kept = JSON.stringify(await views());
  await page.keyboard.press("Enter");
  await page.getByText("There is a view called second already").waitFor();
  assert.equal(JSON.stringify(await views()), kept);
  await done();
});
