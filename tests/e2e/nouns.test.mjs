// What the other files do not touch: parts of the chart engine, the pages and the states, each by
// its name.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getJson, postJson, query } from "./api.mjs";
import {
  decodePng,
  eventually,
  open,
  painted,
  pixels,
  quit,
  repaint,
  settled,
} from "./browser.mjs";
import { python, serve, truthOf } from "./server.mjs";

let server, project, address, truth;
before(async () => {
  server = await serve(["demo"], { options: { runs: 12, points: 1000 } });
  project = (await getJson(server.url, "projects")).projects[0].name;
  address = (page, rest = "") =>
    `${server.url}#/${page}?project=${encodeURIComponent(project)}${rest}`;
  truth = truthOf(server.truth);
});
after(quit);
const view = (page) => page.evaluate(() => window.__taffrail.view());
const z = (state) => "&z=" + Buffer.from(JSON.stringify(state)).toString("base64url");
const only = (...ids) => z({ selection: { all: false, except: ids } });
const inked = (page, card, layer) =>
  page.evaluate(
    ([c, l]) => {
      const canvas = document.querySelector(`[data-card="${c}"] ${l}`);
      return canvas
        .getContext("2d")
        .getImageData(0, 0, canvas.width, canvas.height)
        .data.some((v) => v !== 0);
    },
    [card, layer],
  );
const same = (a, b) => a.every((v, i) => v === b[i]);

test("worker: lines are drawn off the main thread", async () => {
  const { page, done } = await open(address("charts", "&search=train/"));
  await painted(page, "train/loss");
  await settled(page);
  assert.ok(page.workers().some((w) => w.url().includes("raster")));
  assert.ok((await page.evaluate(() => window.__taffrail.stats.raster.draws)) >= 4);
  await done();
});

test("overlay: hovering a run in the list draws it over the chart, whose bitmap stays as it is", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"));
  await painted(page, "train/loss");
  await settled(page);
  const before = await pixels(page, "train/loss");
  assert.equal(await inked(page, "train/loss", ".plot-overlay"), false);
  await page.locator('.run-row[data-run="r004"] .name').hover();
  await eventually(async () =>
    assert.equal(await inked(page, "train/loss", ".plot-overlay"), true),
  );
  const now = await pixels(page, "train/loss");
  for (let y = 0; y < before.height; y += 3)
    for (let x = 0; x < before.width; x += 3)
      assert.ok(same(before.at(x, y), now.at(x, y)), "the base is not drawn again");
  await done();
});

test("dashes: they tell train from val and test; twelve runs have twelve colours instead", async () => {
  const { page, done } = await open(address("charts", "&search=loss"));
  await painted(page, "auto:loss");
  await settled(page);
  const looks = await page
    .locator(".run-row .swatch")
    .evaluateAll((list) => list.map((e) => e.style.color));
  assert.equal(looks.length, 12);
  assert.equal(new Set(looks).size, 12, looks.join());
  const dashes = await page
    .locator('[data-card="auto:loss"] .dash-swatch path')
    .evaluateAll((list) => list.map((e) => e.getAttribute("stroke-dasharray")));
  assert.deepEqual(dashes, [null, "6 3"]);
  await done();
});

test("10: hovering a chart marks the nearest run in the list, and the images of the run are those of the step, within a frame", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"));
  const plot = await painted(page, "train/loss");
  await settled(page);
  const frame = () =>
    page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
  const box = await plot.boundingBox();
  let marked = 0;
  for (let y = 60; y < box.height - 30 && !marked; y += 20) {
    await page.mouse.move(box.x + 220, box.y + y);
    await frame();
    marked = await page.locator(".run-row.hovered").count();
  }
  assert.equal(marked, 1);
  await page.goto(address("run", "&run=r000"));
  const card = await painted(page, "auto:loss");
  await page.waitForSelector('[data-image="reconstruction"] img');
  await card.scrollIntoViewIfNeeded();
  await settled(page);
  const place = await card.boundingBox();
  await page.mouse.move(place.x + place.width * 0.6, place.y + 60);
  await frame();
  const step = Number(
    /step ([\d,]+)/
      .exec(await page.locator(".tooltip .title").textContent())[1]
      .replaceAll(",", ""),
  );
  await eventually(async () =>
    assert.equal(
      await page.locator('[data-image="reconstruction"]').getAttribute("data-step"),
      String(Math.floor(step / 100) * 100),
      `images at ${step}`,
    ),
  );
  await done();
});

test("10: hovering one distribution moves the cursor in every other one", async () => {
  const { page, done } = await open(address("distributions"));
  await page.waitForSelector("[data-histogram] canvas");
  await page.getByRole("group", { name: "Form" }).getByText("heat", { exact: true }).click();
  await settled(page);
  const pictures = () =>
    page
      .locator("[data-histogram] canvas")
      .evaluateAll((l) => l.slice(0, 2).map((c) => c.toDataURL()));
  const [, other] = await pictures();
  const first = await page.locator("[data-histogram] canvas").first().boundingBox();
  await page.mouse.move(first.x + first.width / 2, first.y + 70);
  await eventually(async () =>
    assert.notEqual(
      (await pictures())[1],
      other,
      "the second histogram shows the cursor of the first",
    ),
  );
  await done();
});

test("crosshair: the value in the tooltip is the generated one, bit for bit", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss" + only("r004")));
  const plot = await painted(page, "train/loss");
  await settled(page);
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 250, box.y + 100);
  await page.waitForSelector(".tooltip [data-exact]");
  const exact = Number(
    await page.locator(".tooltip [data-exact]").first().getAttribute("data-exact"),
  );
  const at = await truth(
    `
s = series("r004", "train/loss")
json.dump([int(i) for i in s.index[s == data]], sys.stdout)`,
    exact,
  );
  assert.equal(at.length, 1, `${exact} was logged once`);
  await done();
});

test("smoothing: each of the five methods draws the line Python computes from the raw points", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss" + only("r004")));
  await painted(page, "train/loss");
  await page.getByRole("button", { name: "Smoothing" }).click();
  const pictures = new Set();
  for (const method of ["ema", "time_ema", "gaussian", "mean", "median"]) {
    await repaint(page, "train/loss", () =>
      page.getByLabel("Smoothing method").selectOption(method),
    );
    await page.getByLabel("amount", { exact: true }).fill("5");
    await settled(page);
    assert.equal((await view(page)).smoothing, method);
    pictures.add(
      await page.evaluate(() => {
        const c = document.querySelector('[data-card="train/loss"] .plot-base');
        const o = new OffscreenCanvas(c.width, c.height).getContext("2d");
        o.drawImage(c, 0, 0);
        return o
          .getImageData(0, 0, c.width, c.height)
          .data.reduce((h, v) => (Math.imul(h, 31) + v) | 0, 7);
      }),
    );
  }
  assert.equal(pictures.size, 5);
  const { series } = await query(server.url, {
    runs: ["r004"],
    keys: ["train/loss"],
    x: { axis: "step" },
    width: 4000,
    raw_limit: 1e6,
    smoothing: { method: "mean", amount: 21 },
  });
  const expected = await truth(`
s = series("r004", "train/loss")
json.dump(s.rolling(21, center=True, min_periods=1).mean().tolist(), sys.stdout)`);
  expected.forEach((v, i) =>
    assert.ok(
      Math.abs(series[0].smooth[i] - v) < 1e-5,
      `point ${i}: ${series[0].smooth[i]} for ${v}`,
    ),
  );
  await done();
});

test("groups: mean and median with every band, and the legend names the groups", async () => {
  const { page, done } = await open(address("charts", "&search=val/loss"));
  await painted(page, "val/loss");
  await page.getByRole("button", { name: "Group runs" }).click();
  await repaint(page, "val/loss", () => page.getByLabel("Group by").selectOption("group"));
  await eventually(async () =>
    assert.equal(
      await page.locator('[data-card="val/loss"] [data-groups]').getAttribute("data-groups"),
      "3",
    ),
  );
  for (const center of ["median", "mean"]) {
    await repaint(page, "val/loss", () =>
      page.getByLabel("Line", { exact: true }).selectOption(center),
    );
    for (const band of ["sem", "ci95", "minmax", "std"])
      await repaint(page, "val/loss", () =>
        page.getByLabel("Band", { exact: true }).selectOption(band),
      );
  }
  await done();
});

test("Charts: sections by prefix, search by regular expression, link to the view", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  const expected = await truth(
    // Single values stand in the overview alone.
    `json.dump(sorted({k.split("/")[0] for r in runs for k in r["series"] if "/" in k and len(series(r["id"], k)) > 1}), sys.stdout)`,
  );
  await page.locator("#metric-search").fill("^(train|val)/loss$");
  await page.waitForFunction(
    () =>
      document.querySelectorAll("[data-card]").length >= 2 &&
      [...document.querySelectorAll("[data-card]")].every((c) => /loss/.test(c.dataset.card)),
  );
  const cards = await page
    .locator("[data-card]")
    .evaluateAll((l) => l.map((c) => c.dataset.card).filter((c) => !c.startsWith("auto:")));
  assert.deepEqual([...new Set(cards)].sort(), ["train/loss", "val/loss"]);
  await page.locator("#metric-search").fill("");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".section-head")].some((h) => h.textContent.includes("val")),
  );
  // Sections are made as they come into sight: scrolled through until each has been seen.
  await page.waitForFunction(
    async (wanted) => {
      const box = document.querySelector('[data-scroll="charts"]');
      const seen = (window.sectionsSeen ??= new Set());
      for (let y = 0; y < box.scrollHeight; y += 400) {
        box.scrollTop = y;
        await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
        document
          .querySelectorAll(".section-head")
          .forEach((h) => seen.add(h.textContent.match(/^[\w]+/)?.[0]));
      }
      return wanted.every((name) => seen.has(name));
    },
    expected.filter((n) => n !== "system"),
    { polling: 200 },
  );
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Export and share" }).click();
  await page.getByRole("menuitem", { name: "Copy link to this view" }).click();
  await page.waitForSelector(".toast");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
  await done();
});

test("Table: only rows and columns in sight are mounted, and every one can be reached", async () => {
  const { page, done } = await open(address("table"), { width: 900, height: 420 });
  await page.waitForSelector(".grid-row");
  const total = Number(await page.locator("[aria-colcount]").getAttribute("aria-colcount"));
  await settled(page);
  const mounted = await page.locator('[role="columnheader"]').count();
  assert.ok(mounted < total, `${mounted} of ${total} columns are mounted`);
  const names = await page.evaluate(async () => {
    const box = document.querySelector('[role="grid"]').closest(".grid, .page") ?? document.body;
    const scroller = [...box.querySelectorAll("*"), box].find(
      (e) => e.scrollWidth > e.clientWidth + 50 && getComputedStyle(e).overflowX !== "visible",
    );
    const seen = new Set();
    for (let x = 0; x <= scroller.scrollWidth; x += 150) {
      scroller.scrollLeft = x;
      await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
      document
        .querySelectorAll('[role="columnheader"]')
        .forEach((h) => seen.add(h.getAttribute("aria-colindex") ?? h.textContent));
    }
    return seen.size;
  });
  assert.equal(names, total);
  await done();
});

test("Compare: the code diff shows the changed line, the package diff the changed version", async () => {
  const { page, done } = await open(
    address("compare", z({ compared: ["r000", "r002"] }) + "&baseline=r000"),
  );
  await page.waitForSelector(".diff .plus");
  const expected = await truth(
    `json.dump(["lr = " + next(l for l in by_id["r002"]["environment"]["git/diff"].splitlines() if l.startswith("+    lr")).split(" = ")[1]], sys.stdout)`,
  );
  await eventually(async () =>
    assert.ok(
      (await page.locator(".diff .plus").allTextContents()).some((l) => l.includes(expected[0])),
      expected[0],
    ),
  );
  await page.goto(address("compare", z({ compared: ["r002", "r003"] }) + "&baseline=r002"));
  await page.reload();
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".diff .plus")].some((l) =>
      l.textContent.includes("torch 2.4.0"),
    ),
  );
  await done();
});

test("Run detail: attempts and ranks are named, the system tab draws, a file downloads with its bytes", async () => {
  const { page, done } = await open(address("run", "&run=r005"));
  await page.getByText("2 attempts").waitFor();
  await page.getByRole("tab", { name: "System" }).click();
  await page.waitForSelector(".plot-card canvas");
  await page.getByRole("tab", { name: "Files" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "config.json" }).first().click(),
  ]);
  const text = await (await import("node:fs/promises")).readFile(await download.path(), "utf8");
  assert.deepEqual(JSON.parse(text), await truth(`json.dump(by_id["r005"]["config"], sys.stdout)`));
  await page.goto(address("run", "&run=r004"));
  await page.getByText("2 ranks").waitFor();
  await done();
});

test("Media: the mean difference of two pictures is that of their pixels", async () => {
  const { page, done } = await open(
    address(
      "media",
      z({ media: { kind: "image" }, selection: { all: false, except: ["r000", "r004"] } }) +
        "&baseline=r000",
    ),
  );
  await page.waitForSelector(".media-cell img");
  await page.getByText(/difference to/).click();
  const cell = page.locator('.media-cell[data-key="samples"] .difference').first();
  await cell.locator("figcaption", { hasText: /mean/ }).waitFor();
  const shown = Number(
    /mean \|Δ\| ([\d.e+-]+) of 255/.exec(await cell.locator("figcaption").textContent())[1],
  );
  const step = Number(await page.locator("[data-step]").last().getAttribute("data-step"));
  const pixelsOf = async (run) => {
    const { series } = await postJson(server.url, "entries:index", {
      runs: [run],
      keys: ["samples"],
    });
    const index = series[0].step.findLastIndex((s) => s <= step);
    const { data, channels } = decodePng(
      Buffer.from(
        await (
          await fetch(`${server.url}api/v1/image?run=${run}&key=samples&index=${index}&item=0`)
        ).arrayBuffer(),
      ),
    );
    return Array.from({ length: data.length / channels }, (_, i) => data[i * channels]);
  };
  const expected = await python(
    "import json,sys,numpy as np; a,b=json.load(sys.stdin); json.dump(float(np.abs(np.array(a,float)-np.array(b,float)).mean()),sys.stdout)",
    [await pixelsOf("r000"), await pixelsOf("r004")],
  );
  assert.ok(Math.abs(shown - expected) < 0.01 * expected, `${shown} for ${expected}`);
  await done();
});

test("Hyperparameters: categorical parameters rank beside numbers; the correlation is Python's", async () => {
  const { page, done } = await open(address("hparams"));
  await page.waitForSelector("[data-parameter]");
  await settled(page);
  const axes = await page
    .locator("[data-parameter]")
    .evaluateAll((l) => l.map((e) => e.dataset.parameter));
  assert.ok(axes.includes("config:model") && axes.includes("config:lr"));
  const row = page.locator('[data-parameter="config:dropout"]');
  const goal = (await view(page)).hparams.goal || "metric:val/loss";
  const shown = Number((await row.locator("td").last().textContent()).replace("−", "-"));
  const expected = await truth(
    `
f = pd.DataFrame([(r["config"]["dropout"], last(r["id"], data)) for r in runs], columns=["a", "b"])
json.dump([float(f.a.corr(f.b)), float(f.a.rank().corr(f.b.rank()))], sys.stdout)`,
    goal.replace("metric:", ""),
  );
  assert.ok(
    expected.some((e) => Math.abs(e - shown) < 0.006),
    `${shown} for Pearson and Spearman ${expected}`,
  );
  await done();
});

test("Graph: shapes stand on the edges, and a node tells its own", async () => {
  const { page, done } = await open(address("graph", "&run=r000"));
  await page.waitForSelector("[data-node]");
  const expected = await truth(
    `n = next(n for n in entries("r000", "graph")[-1]["value"]["nodes"] if n["name"] == "input"); json.dump("×".join(map(str, n["shape"])), sys.stdout)`,
  );
  await page.locator("svg text", { hasText: expected }).first().waitFor();
  await page.locator('.graph-node[aria-label*="input"]').first().click();
  await page.waitForFunction(
    (s) => document.querySelector("[data-page=graph]").textContent.includes(s),
    expected,
  );
  await done();
});

test("Figures: scatter, line, bar, heat map and histogram are ours; another kind is its stored picture or a download", async () => {
  const { page, done } = await open(`${(await figures()).url}#/media?project=figures`);
  await page.waitForSelector('.media-cell[data-key="histogram"] canvas');
  const drawn = () =>
    page
      .locator(".media-cell")
      .evaluateAll((cells) =>
        Object.fromEntries(
          cells.map((c) => [
            c.dataset.key,
            c.querySelector("canvas")
              ? "canvas"
              : c.querySelector("img")
                ? "img"
                : c.querySelector("a[download], .media-note button.link")
                  ? "download"
                  : "none",
          ]),
        ),
      );
  await eventually(async () =>
    assert.deepEqual(await drawn(), {
      scatter: "canvas",
      line: "canvas",
      bar: "canvas",
      heatmap: "canvas",
      histogram: "canvas",
      sunburst: "img",
      treemap: "download",
    }),
  );
  await done();
});
let figureServer;
const figures = async () => (figureServer ??= await serve(["figures"]));

test("states: loading keeps the shape of the page, a part that fails says so and can be tried again, a cut says how much there is", async () => {
  const { page, done } = await open("about:blank", { allow: ["503"] });
  let fail = true,
    release;
  const held = new Promise((r) => (release = r));
  await page.route(/series:query/, async (route) => {
    await held;
    await (fail
      ? route.fulfill({
          status: 503,
          contentType: "application/json",
          body: JSON.stringify({
            error: { code: "unavailable", message: "the disk does not answer", request_id: "e2e" },
          }),
        })
      : route.continue());
  });
  await page.goto(address("charts", "&search=train/loss"));
  await page.waitForSelector('[data-card="train/loss"] .skeleton');
  const before = await page.locator('[data-card="train/loss"]').boundingBox();
  release();
  await page
    .locator('[data-card="train/loss"] [role="alert"]', { hasText: "the disk does not answer" })
    .waitFor();
  fail = false;
  await page.locator('[data-card="train/loss"]').getByRole("button", { name: "Try again" }).click();
  await painted(page, "train/loss");
  assert.deepEqual(
    await page.locator('[data-card="train/loss"]').boundingBox(),
    before,
    "nothing moved",
  );
  await eventually(async () =>
    assert.match(
      await page.locator('[data-card="train/loss"] [data-notes]').getAttribute("data-notes"),
      /binned [\d.]+k → [\d,]+/,
    ),
  );
  await page.goto(address("distributions"));
  await page.getByText(/the first 6 of \d+ runs/).waitFor();
  await done();
});

test("selection: runs hidden on the charts are hidden on every page", async () => {
  const { page, done } = await open(address("charts", "&search=val/loss" + only("r000", "r001")));
  await painted(page, "val/loss");
  await eventually(async () =>
    assert.match(
      await page.locator('[data-card="val/loss"] .plot').getAttribute("aria-label"),
      /2 series/,
    ),
  );
  for (const [key, name] of [
    ["h", "distributions"],
    ["m", "media"],
    ["y", "hparams"],
    ["s", "system"],
  ]) {
    await page.locator("#main").focus();
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.waitForSelector(`[data-page="${name}"] [data-count="2"]`);
  }
  await done();
});

test("no page links to one that does not exist", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  const links = await page
    .locator("nav a, nav button")
    .evaluateAll((l) => l.map((e) => e.getAttribute("aria-label") ?? e.textContent));
  assert.ok(links.length >= 10);
  for (const l of links) assert.doesNotMatch(l, /report/i);
  await done();
});

test("TensorBoard: a log folder is shown as it is", async () => {
  const logs = await serve(["tensorboard"]);
  const { page, done } = await open(logs.url);
  await page.waitForSelector(".plot[data-painted]");
  await eventually(async () =>
    assert.match(await page.locator("[data-count]").textContent(), /4 of 4 runs/),
  );
  // Its records are years old although its files are new, and event files do not say how a run
  // ended.
  assert.deepEqual((await postJson(logs.url, "runs:query", {})).runs.state, [
    "idle",
    "idle",
    "idle",
    "idle",
  ]);
  await eventually(async () =>
    assert.match(
      await page.locator(".run-row .state-dot").first().getAttribute("title"),
      /^idle: nothing new/,
    ),
  );
  await done();
  await logs.close();
});
