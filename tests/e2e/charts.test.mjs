// The chart engine and the charts page in a real browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { getJson, parseCsv, postJson, rawSeries } from "./api.mjs";
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
import { serve } from "./server.mjs";

let server, project, address;
before(async () => {
  server = await serve(["demo"]);
  project = (await getJson(server.url, "projects")).projects[0].name;
  address = (page, rest = "") =>
    `${server.url}#/${page}?project=${encodeURIComponent(project)}${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});

const view = (page) => page.evaluate(() => window.__taffrail.view());
const distance = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));

test("first view: losses first, train and validation of the same name in one card", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  await settled(page);
  const first = await page.locator("[data-card]").first().getAttribute("aria-label");
  assert.match(first, /loss/);
  await done();
});

test("12: eight visible runs have eight colours that stay apart, also for deutan eyes; a change of theme keeps the slots", async () => {
  const { page, done } = await open(address("charts", "&search=val/loss&yScale=log"));
  await painted(page, "val/loss");
  await settled(page);
  const ids = (
    await page.locator(".run-row").evaluateAll((rows) => rows.map((r) => r.dataset.run))
  ).slice(0, 8);
  const shown = (await postJson(server.url, "runs:query", { project })).runs.id;
  await page.evaluate(([keep]) => keep, [ids]);
  for (const id of shown.filter((i) => !ids.includes(i)))
    await page.locator(`.run-row[data-run="${id}"] input`).click();
  await settled(page);
  const colors = async () =>
    page
      .locator(".run-row:not(.off) .swatch, .run-row:not(.off) .dash-swatch path")
      .evaluateAll((list) =>
        list.map((e) => (e.tagName === "path" ? e.getAttribute("stroke") : e.style.color)),
      );
  const rgb = (text) =>
    text.startsWith("#")
      ? [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16))
      : text.match(/\d+/g).map(Number);
  const light = (await colors()).map(rgb);
  assert.equal(light.length, 8);
  // Machado's matrix for deuteranopia, on linear light; distance in OKLab ×100.
  const linear = (c) =>
    c.map((v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const deutan = ([r, g, b]) =>
    [
      0.367322 * r + 0.860646 * g - 0.227968 * b,
      0.280085 * r + 0.672501 * g + 0.047413 * b,
      -0.01182 * r + 0.04294 * g + 0.968881 * b,
    ].map((v) => Math.max(0, Math.min(1, v)));
  const lab = ([r, g, b]) => {
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b),
      m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b),
      s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
  };
  const apart = (list, f) =>
    Math.min(
      ...list.flatMap((a, i) =>
        list
          .slice(i + 1)
          .map(
            (b) => 100 * Math.hypot(...lab(f(linear(a))).map((v, k) => v - lab(f(linear(b)))[k])),
          ),
      ),
    );
  // In another space than the one that the palette was chosen in, see web/tests/palette.test.ts.
  assert.ok(apart(light, (c) => c) >= 6, `normal vision ${apart(light, (c) => c)}`);
  assert.ok(apart(light, deutan) >= 4, `deutan ${apart(light, deutan)}`);
  // The colours are also what is drawn.
  const image = await pixels(page, "val/loss");
  let drawn = 0;
  for (const c of light) {
    let found = false;
    for (let y = 0; y < image.height && !found; y++)
      for (let x = 0; x < image.width && !found; x++) found = distance(image.at(x, y), c) <= 6;
    if (found) drawn++;
  }
  assert.ok(drawn >= 7, `${drawn} of 8 colours are on the chart (one may lie under the others)`);
  const order = await page
    .locator(".run-row:not(.off)")
    .evaluateAll((rows) => rows.map((r) => r.dataset.run));
  await page.getByRole("button", { name: "Dark theme" }).click();
  await settled(page);
  const dark = (await colors()).map(rgb);
  await eventually(async () =>
    assert.deepEqual(
      await page
        .locator(".run-row:not(.off)")
        .evaluateAll((rows) => rows.map((r) => r.dataset.run)),
      order,
    ),
  );
  assert.ok(apart(dark, (c) => c) >= 6, `dark, normal vision ${apart(dark, (c) => c)}`);
  assert.ok(apart(dark, deutan) >= 4, `dark, deutan ${apart(dark, deutan)}`);
  const source = await readFile(new URL("../../web/src/viz/palette.ts", import.meta.url), "utf8");
  const palette = (name) =>
    source
      .slice(source.indexOf(`${name}Palette = [`))
      .match(/#[0-9a-f]{6}/g)
      .slice(0, 20)
      .map(rgb);
  const slot = (c, p) => p.findIndex((q) => distance(c, q) === 0);
  assert.deepEqual(
    dark.map((c) => slot(c, palette("dark"))),
    light.map((c) => slot(c, palette("light"))),
  );
  await page.getByRole("button", { name: "Light theme" }).click();
  await done();
});

test("hiding a run keeps the colours of the others", async () => {
  const { page, done } = await open(address("charts", "&search=val/loss"));
  await painted(page, "val/loss");
  const colors = () =>
    page
      .locator(".run-row:not(.off)")
      .evaluateAll((rows) =>
        Object.fromEntries(
          rows.map((r) => [
            r.dataset.run,
            r.querySelector(".swatch")?.style.color ??
              r.querySelector("path").getAttribute("stroke"),
          ]),
        ),
      );
  const before = await colors();
  const hidden = Object.keys(before)[2];
  await repaint(page, "val/loss", () =>
    page.locator(`.run-row[data-run="${hidden}"] input`).click(),
  );
  const after = await colors();
  assert.equal(after[hidden], undefined);
  for (const [id, color] of Object.entries(after)) assert.equal(color, before[id]);
  await done();
});

test("10: hovering one chart moves the cursor of every other chart to the same step within a frame", async () => {
  const { page, done } = await open(address("charts", "&search=loss|accuracy"));
  const plot = await painted(page, "train/loss");
  await painted(page, "val/loss");
  await settled(page);
  const box = await plot.boundingBox();
  const blank = (card) =>
    page.evaluate((c) => {
      const o = document.querySelector(`[data-card="${c}"] .plot-overlay`);
      return o
        .getContext("2d")
        .getImageData(0, 0, o.width, o.height)
        .data.every((v) => v === 0);
    }, card);
  assert.ok(await blank("val/loss"));
  await page.mouse.move(box.x + 200, box.y + 100);
  await page.waitForSelector(".tooltip");
  await page.evaluate(
    () => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))),
  );
  assert.ok(!(await blank("val/loss")), "the other chart shows the cursor");
  const title = await page.locator(".tooltip .title").textContent();
  assert.match(title, /^step [\d,]+/);
  const hovered = await page.locator(".run-row.hovered").count();
  assert.ok(hovered <= 1);
  await done();
});

test("the tooltip gives exact values, nearest runs first, at most seven", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"));
  const plot = await painted(page, "train/loss");
  await settled(page);
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 220, box.y + 150);
  await page.waitForSelector(".tooltip [data-exact]");
  const rows = await page.locator(".tooltip tr").evaluateAll((list) =>
    list.map((r) => ({
      name: r.children[1].textContent,
      exact: r.querySelector("[data-exact]")?.dataset.exact,
    })),
  );
  assert.ok(rows.length >= 1 && rows.length <= 7);
  const reply = await postJson(server.url, "runs:query", { project });
  const run = reply.runs.id[reply.runs.name.indexOf(rows[0].name)];
  const raw = await rawSeries(server.url, run, "train/loss");
  assert.ok(
    raw.values.some((v) => String(v) === rows[0].exact),
    `${rows[0].exact} is a logged value of ${rows[0].name}`,
  );
  await page.keyboard.press("Tab");
  await done();
});

test("box zoom, pan, wheel, keyboard, double click; back and forward through zooms", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"));
  const plot = await painted(page, "train/loss");
  await settled(page);
  const box = await plot.boundingBox();
  const x = async () => (await view(page)).zoom["*"]?.x ?? null;
  const drag = async (a, b, dy = 2) => {
    await page.mouse.move(box.x + a, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + b, box.y + 60 + dy, { steps: 4 });
    await page.mouse.up();
  };
  await repaint(page, "train/loss", () => drag(150, 300));
  const first = await x();
  assert.ok(first && first[1] > first[0]);
  await page.keyboard.down("Shift");
  await repaint(page, "train/loss", () => drag(200, 260));
  await page.keyboard.up("Shift");
  const panned = await x();
  assert.ok(panned[0] < first[0], "dragging to the right shows earlier steps");
  assert.ok(
    Math.abs(panned[1] - panned[0] - (first[1] - first[0])) < 1e-6 * first[1],
    "panning keeps the width",
  );
  await plot.focus();
  await repaint(page, "train/loss", async () => {
    await page.mouse.move(box.x + 200, box.y + 80);
    await page.mouse.wheel(0, -200);
  });
  const wheeled = await x();
  assert.ok(wheeled[1] - wheeled[0] < panned[1] - panned[0], "the wheel zooms in");
  await plot.focus();
  await repaint(page, "train/loss", () => page.keyboard.press("["));
  assert.deepEqual(await x(), panned);
  await repaint(page, "train/loss", () => page.keyboard.press("]"));
  assert.deepEqual(await x(), wheeled);
  await repaint(page, "train/loss", () => drag(150, 300, 60));
  assert.ok((await view(page)).zoom["train/loss"].y, "a tall box zooms y too");
  await repaint(page, "train/loss", () => page.mouse.dblclick(box.x + 200, box.y + 90));
  assert.deepEqual((await view(page)).zoom, {});
  await done();
});

test("zoomed to a few points, every raw point is a dot", async () => {
  const run = (await postJson(server.url, "runs:query", { project, limit: 1 })).runs.id[0];
  const { page, done } = await open(address("charts", "&search=train/loss"));
  await painted(page, "train/loss");
  await page.evaluate(() => 0);
  const zoom = Buffer.from(
    JSON.stringify({
      zoom: { "*": { x: [100, 110], y: null } },
      selection: { all: false, except: [run] },
    }),
  ).toString("base64url");
  await page.goto(address("charts", `&search=train/loss&z=${zoom}`));
  await page.reload();
  await painted(page, "train/loss");
  await settled(page);
  const label = await page.locator('[data-card="train/loss"] .plot').getAttribute("aria-label");
  assert.match(label, /11 points/);
  await done();
});

test("pins: a clicked step and a second one give values and their difference; a range gives statistics", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"));
  const plot = await painted(page, "train/loss");
  await settled(page);
  const box = await plot.boundingBox();
  await page.mouse.click(box.x + 120, box.y + 12);
  await page.waitForSelector(".pin-strip td.number");
  await page.mouse.click(box.x + 260, box.y + 12);
  await page.waitForFunction(
    () =>
      document.querySelectorAll(".pin-strip .chip.accent").length === 2 &&
      document.querySelector('.pin-strip[aria-busy="false"]') &&
      document.querySelectorAll(".pin-strip tbody tr:first-child td.number").length >= 8,
  );
  const { pins } = await view(page);
  const cells = await page.locator(".pin-strip tbody tr").first().locator("td").allTextContents();
  const reply = await postJson(server.url, "runs:query", { project });
  const run = reply.runs.id[reply.runs.name.indexOf(cells[0])];
  const points = await Promise.all(
    pins.map((at) =>
      postJson(server.url, "series:points", {
        series: [{ run, key: "train/loss" }],
        x: { axis: "step" },
        at,
      }),
    ),
  );
  const [a, b] = points.map((p) => p.points[0].value);
  assert.ok(Math.abs(Number(cells[1]) - a) < 1e-5 && Math.abs(Number(cells[2]) - b) < 1e-5);
  assert.ok(Math.abs(Number(cells[3]) - (b - a)) < 1e-3 * Math.abs(b - a) + 1e-6);
  // What stands below each other has the same decimals.
  const columns = await page
    .locator(".pin-strip tbody tr")
    .evaluateAll((rows) =>
      rows.map((r) =>
        [...r.querySelectorAll("td.number")]
          .slice(0, 6)
          .map((c) => /^-?[\d,]+\.(\d+)$/.exec(c.firstChild.textContent)?.[1].length),
      ),
    );
  for (const i of columns[0].keys()) {
    const decimals = new Set(columns.map((row) => row[i]).filter((n) => n !== undefined));
    assert.ok(decimals.size <= 1, `column ${i}: ${columns.map((row) => row[i])}`);
  }
  // A run without a point there says where its nearest one is.
  for (const [i, name] of reply.runs.name.entries()) {
    const {
      points: [near],
    } = await postJson(server.url, "series:points", {
      series: [{ run: reply.runs.id[i], key: "train/loss" }],
      x: { axis: "step" },
      at: pins[1],
    });
    const shown = await page
      .locator(".pin-strip tbody tr")
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator("td")
      .nth(2)
      .textContent();
    assert.equal(
      shown.includes("@"),
      near !== null && near.x !== Math.round(pins[1]),
      `${name}: ${shown}`,
    );
  }
  // Along the ruler.
  await page.mouse.move(box.x + 100, box.y + box.height - 8);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + box.height - 8, { steps: 4 });
  await page.mouse.up();
  assert.ok((await view(page)).range);
  await page.getByRole("button", { name: "Remove all pins" }).click();
  await eventually(async () => assert.equal(await page.locator(".pin-strip").count(), 0));
  await done();
});

test("axes: log and symlog, every kind of x, any metric as x", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"));
  await painted(page, "train/loss");
  for (const x of ["relative", "wall", "epoch", "samples", "metric:train/accuracy", "step"]) {
    await repaint(page, "train/loss", () =>
      page.getByLabel("x axis", { exact: true }).selectOption(x),
    ).catch((e) => assert.fail(`${x}: ${e.message}`));
    await eventually(async () =>
      assert.ok(!(await page.locator('[data-card="train/loss"] .card-note').count()), x),
    );
  }
  await page.getByRole("button", { name: "Axes and drawing" }).click();
  for (const axis of ["x scale", "y scale"]) {
    for (const kind of ["log", "symlog", "linear"]) {
      await repaint(page, "train/loss", () =>
        page.getByRole("group", { name: axis }).getByText(kind, { exact: true }).click(),
      );
    }
  }
  await done();
});

test("NaN and infinities stand on the rails, a lone point between NaN is a dot", async () => {
  const reply = await postJson(server.url, "runs:query", { project });
  let run;
  for (const id of reply.runs.id) {
    const detail = await getJson(server.url, `run?run=${encodeURIComponent(id)}`);
    if (detail.series.find((s) => s.key === "train/loss")?.nan_count) run = id;
  }
  assert.ok(run, "a demo run has NaN");
  const raw = await rawSeries(server.url, run, "train/loss");
  const at = raw.steps[raw.values.findIndex((v) => Number.isNaN(v))];
  const z = Buffer.from(JSON.stringify({ selection: { all: false, except: [run] } })).toString(
    "base64url",
  );
  const { page, done } = await open(address("charts", `&search=train/loss&z=${z}`));
  await painted(page, "train/loss");
  await settled(page);
  const image = await pixels(page, "train/loss");
  const x = Math.round((at / Math.max(...raw.steps)) * image.width);
  let ink = 0;
  for (let dx = -4; dx <= 4; dx++)
    for (let y = image.height - 7; y < image.height - 1; y++)
      if (
        distance(image.at(Math.min(image.width - 1, Math.max(0, x + dx)), y), [255, 255, 255]) > 60
      )
        ink++;
  assert.ok(ink > 6, `a triangle at step ${at} (${ink} pixels)`);
  await done();
});

test("older attempts are drawn faint and can be switched off", async () => {
  const reply = await postJson(server.url, "runs:query", { project });
  const run = reply.runs.id[reply.runs.attempts.findIndex((n) => n > 1)];
  assert.ok(run, "a run of the test data was resumed");
  const z = Buffer.from(JSON.stringify({ selection: { all: false, except: [run] } })).toString(
    "base64url",
  );
  const { page, done } = await open(address("charts", `&search=train/loss&z=${z}`));
  await painted(page, "train/loss");
  await settled(page);
  const before = await pixels(page, "train/loss");
  await page.getByRole("button", { name: "Axes and drawing" }).click();
  await repaint(page, "train/loss", () => page.getByText("older attempts, faint").click());
  const after = await pixels(page, "train/loss");
  let changed = 0;
  for (let y = 0; y < before.height; y++)
    for (let x = 0; x < before.width; x++)
      if (distance(before.at(x, y), after.at(x, y)) > 10) changed++;
  assert.ok(changed > 50, `${changed} pixels`);
  await done();
});

test("groups: mean and band with the number of runs in the tooltip", async () => {
  const { page, done } = await open(address("charts", "&search=val/loss"));
  const plot = await painted(page, "val/loss");
  await page.getByRole("button", { name: "Group runs" }).click();
  await repaint(page, "val/loss", () => page.getByLabel("Group by").selectOption("*"));
  await page.keyboard.press("Escape");
  await settled(page);
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 200, box.y + 100);
  await page.waitForSelector(".tooltip");
  await eventually(async () =>
    assert.match(await page.locator(".tooltip").textContent(), /all runs.*n=\d+/),
  );
  await done();
});

test("expressions make a panel of their own", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  await page.getByRole("button", { name: "Add panel" }).click();
  await page.getByLabel(/Metrics, separated/).fill("${train/loss} - ${train/accuracy}");
  await page.getByRole("button", { name: "Add panel" }).last().click();
  const card = page.locator('[aria-label="${train/loss} - ${train/accuracy}"]').first();
  await card.locator(".plot[data-painted]").waitFor();
  await eventually(async () =>
    assert.match(await card.locator(".plot").getAttribute("aria-label"), /[1-9]\d* series/),
  );
  await done();
});

test("smoothing slider, pin, drag layout, card size, large view, view as table", async () => {
  const { page, done } = await open(address("charts", "&search=train/"));
  await painted(page, "train/accuracy");
  await page.getByRole("button", { name: "Smoothing" }).click();
  await repaint(page, "train/accuracy", () => page.getByLabel("amount", { exact: true }).fill("5"));
  assert.ok((await view(page)).smoothingAmount > 0.9);
  await page.keyboard.press("Escape");
  const titles = () =>
    page.locator('[data-card^="train/"]').evaluateAll((l) => l.map((c) => c.dataset.card));
  const before = await titles();
  await page
    .locator(`[data-card="${before[1]}"] .title`)
    .dragTo(page.locator(`[data-card="${before[0]}"]`));
  assert.deepEqual((await titles()).slice(0, 2), [before[1], before[0]]);
  await page.locator(`[data-card="${before[0]}"]`).hover();
  await page
    .locator(`[data-card="${before[0]}"]`)
    .getByRole("button", { name: "Pin to the top" })
    .click();
  assert.deepEqual((await view(page)).pinnedMetrics, [before[0]]);
  await page.locator(`[data-card="${before[0]}"]`).hover();
  await page
    .locator(`[data-card="${before[0]}"]`)
    .getByRole("button", { name: "Show large" })
    .click();
  await page.waitForSelector(".full-card .plot[data-painted]");
  await page.keyboard.press("Escape");
  await eventually(async () => assert.equal(await page.locator(".full-card").count(), 0));
  await page.locator(`[data-card="${before[1]}"]`).hover();
  await page
    .locator(`[data-card="${before[1]}"]`)
    .getByRole("button", { name: /More about/ })
    .click();
  await page.getByRole("menuitem", { name: "View as table" }).click();
  const { matched } = await postJson(server.url, "runs:query", { project });
  await eventually(async () =>
    assert.equal(await page.locator(`[data-card="${before[1]}"] tbody tr`).count(), matched),
  );
  await done();
});

test("saved views bring everything back", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss&xScale=log"));
  await painted(page, "train/loss");
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByLabel("Name of the view").fill("log x");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "log x", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#metric-search").fill("accuracy");
  await page.waitForFunction(() => window.__taffrail.view().search === "accuracy");
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("button", { name: "log x", exact: true }).click();
  await page.waitForFunction(
    () =>
      window.__taffrail.view().search === "train/loss" && window.__taffrail.view().xScale === "log",
  );
  await page.getByRole("button", { name: "Delete view log x" }).click();
  await done();
});

test("20: a chart leaves as CSV of the raw points, as SVG with a legend below 300 kB, as PNG at twice the size", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"), {
    allow: ["ERR_INTERNET_DISCONNECTED", "Failed to load resource"],
  });
  await painted(page, "train/loss");
  const save = async (name) => {
    await page.locator('[data-card="train/loss"]').hover();
    await page
      .locator('[data-card="train/loss"]')
      .getByRole("button", { name: /More about/ })
      .click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: new RegExp(name) }).click(),
    ]);
    return readFile(await download.path());
  };
  const csv = parseCsv((await save("CSV")).toString());
  const names = (await postJson(server.url, "runs:query", { project })).runs;
  const raw = await rawSeries(server.url, names.id[0], "train/loss");
  const column = csv[0].indexOf("value");
  const mine = csv.slice(1).filter((r) => r[csv[0].indexOf("run")] === names.id[0]);
  assert.equal(mine.length, raw.values.length);
  mine.forEach((r, i) =>
    assert.ok(
      Number(r[column]) === raw.values[i] || (r[column] === "NaN" && Number.isNaN(raw.values[i])),
    ),
  );
  const odd = csv
    .slice(1)
    .filter((r) => r[csv[0].indexOf("run")] === "r001")
    .map((r) => r[column]);
  assert.equal(odd.filter((v) => v === "NaN").length, 4, "NaN leaves as NaN");
  assert.equal(odd.filter((v) => v === "Infinity").length, 1, "and infinity as infinity");
  const svg = (await save("SVG")).toString();
  assert.ok(svg.length < 300_000, `${svg.length} bytes`);
  const parsed = await page.evaluate((text) => {
    const doc = new DOMParser().parseFromString(text, "image/svg+xml");
    return {
      broken: doc.querySelector("parsererror") !== null,
      text: doc.documentElement.textContent,
      paths: doc.querySelectorAll("path").length,
    };
  }, svg);
  assert.ok(!parsed.broken && parsed.paths > 5);
  assert.ok(parsed.text.includes(names.name[0]), "the legend names the runs");
  const png = decodePng(await save("PNG"));
  assert.equal(png.width, 1600);
  // What is on the screen needs no server to leave it.
  await page.context().setOffline(true);
  assert.ok((await save("SVG")).length > 1000);
  await page.context().setOffline(false);
  await done();
});

test("a panel can have its own rule for runs and its own y axis", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"));
  await painted(page, "train/loss");
  await page.locator('[data-card="train/loss"]').hover();
  await page.getByRole("button", { name: "Settings of train/loss" }).click();
  await repaint(page, "train/loss", () =>
    page.getByLabel("y axis", { exact: true }).selectOption("log"),
  );
  await page.getByLabel("only runs").fill("tag:ablation");
  await page.keyboard.press("Tab");
  const expected = (await postJson(server.url, "runs:query", { project, filter: "tag:ablation" }))
    .matched;
  await page.waitForFunction(
    (n) =>
      document
        .querySelector('[data-card="train/loss"] .plot')
        .getAttribute("aria-label")
        .includes(`: ${n} series`),
    expected,
  );
  await done();
});
