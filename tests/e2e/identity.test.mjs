// Who is who: a run's colour, whatever is filtered, deleted, reloaded or looked at from elsewhere;
// what a dash means.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getJson, postJson } from "./api.mjs";
import { eventually, open, painted, pixels, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const count = 26;
let server, address;
before(async () => {
  server = await serve(["odd"], {
    options: {
      write: async (open) => {
        for (let i = 0; i < count; i++) {
          const run = await open(`run-${String(i).padStart(2, "0")}`, {
            start_ms: Date.UTC(2026, 0, 1 + i),
            config: [["lr", i % 3 ? 1e-2 : 1e-4]],
            tags: i % 2 ? ["good"] : [],
          });
          const falling = (from) =>
            Array.from({ length: 60 }, (_, s) => from + i / 10 + 3 * Math.exp(-s / 20));
          await run.scalars("train/loss", falling(0));
          await run.scalars("val/loss", falling(0.05));
          await run.scalars("test/score", [0.5 + i / 100]);
          await run.scalars(
            "system/cpu",
            Array.from({ length: 400 }, (_, s) => 50 + 30 * Math.sin(s / 15)),
          );
          await run.finish();
        }
      },
    },
  });
  address = (page, rest = "") => `${server.url}#/${page}?project=odd${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});

const rgb = (text) =>
  text.startsWith("#")
    ? [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16))
    : text.match(/\d+/g).map(Number);

const grey = "rgb(89, 97, 107)";

/** Colour of every run that the list shows, by id. */
const colors = (page, row = ".run-row:not(.off)") =>
  page
    .locator(row)
    .evaluateAll((rows) =>
      Object.fromEntries(
        rows.map((r) => [
          r.dataset.run,
          r.querySelector(".swatch")?.style.color ??
            r.querySelector(".dash-swatch path").getAttribute("stroke"),
        ]),
      ),
    );

const ids = async () => (await postJson(server.url, "runs:query", { project: "odd" })).runs.id;

test("finding D07: a filter, a reload and another browser leave every colour where it was", async () => {
  const { page, done } = await open(address("charts", "&search=val/loss"));
  await painted(page, "val/loss");
  await settled(page);
  const before = await colors(page);
  assert.ok(Object.keys(before).length >= 20);
  for (const filter of ["lr<1e-3 and tag:good", "lr<1e-3", "tag:good"]) {
    await page.getByLabel("Filter runs").fill(filter);
    await page.getByLabel("Filter runs").press("Enter");
    await settled(page);
    const now = await colors(page);
    await eventually(async () => assert.ok(Object.keys(await colors(page)).length < count / 2 + 1));
    for (const [id, color] of Object.entries(now))
      if (before[id] !== grey) assert.equal(color, before[id], `${filter} ${id}`);
  }
  const address_ = page.url();
  await page.reload();
  await painted(page, "val/loss");
  await settled(page);
  for (const [id, color] of Object.entries(await colors(page)))
    if (before[id] !== grey) assert.equal(color, before[id]);
  const other = await open(address_);
  await painted(other.page, "val/loss");
  await settled(other.page);
  const there = await colors(other.page);
  assert.ok(Object.keys(there).length > 4);
  for (const [id, color] of Object.entries(there))
    if (before[id] !== grey) assert.equal(color, before[id]);
  await other.done();
  // And what is drawn is what the list says.
  const image = await pixels(page, "val/loss");
  const drawn = (c) => {
    for (let y = 0; y < image.height; y++)
      for (let x = 0; x < image.width; x++)
        if (image.at(x, y).every((v, k) => Math.abs(v - c[k]) <= 6)) return true;
    return false;
  };
  const shown = Object.entries(there).map(([id, c]) => [id, rgb(c)]);
  assert.deepEqual(
    shown.filter(([, c]) => !drawn(c)).map(([id]) => id),
    [],
    "colours that are not in the chart",
  );
  await done();
});

test("finding D08: twenty runs have twenty colours; a deleted run takes its own with it", async () => {
  const { page, done } = await open(address("charts", "&search=val/loss"), { height: 1400 });
  await painted(page, "val/loss");
  await settled(page);
  const before = await colors(page);
  const oldest = (await ids()).reverse();
  assert.equal(oldest.length, count);
  assert.equal(new Set(oldest.slice(0, 20).map((id) => before[id])).size, 20);
  for (const id of oldest.slice(20)) assert.equal(before[id], grey);
  await postJson(server.url, "edits", { edits: [{ runs: [oldest[3]], deleted: true }] });
  await page.locator(`.run-row[data-run="${oldest[3]}"]`).waitFor({ state: "detached" });
  await settled(page);
  const now = await colors(page);
  assert.equal(Object.keys(now).length, count - 1);
  for (const [id, color] of Object.entries(now))
    if (before[id] !== grey) assert.equal(color, before[id]);
  await postJson(server.url, "edits", { edits: [{ runs: [oldest[3]], deleted: false }] });
  await page.locator(`.run-row[data-run="${oldest[3]}"]`).waitFor();
  await done();
});

test("beyond twenty runs the newer are grey, below the others, and hovered in their own colour", async () => {
  const { page, done } = await open(address("charts", "&search=val/loss"), { height: 1400 });
  await painted(page, "val/loss");
  await settled(page);
  const oldest = (await ids()).reverse();
  const own = await colors(page);
  const row = (id) => page.locator(`.run-row[data-run="${id}"]`);
  assert.equal(Object.values(own).filter((c) => c === grey).length, count - 20);
  assert.match(await page.locator(".grey-note").textContent(), /^6 runs are grey/);
  const has = async (color) => {
    const image = await pixels(page, "val/loss");
    for (let y = 0; y < image.height; y++)
      for (let x = 0; x < image.width; x++)
        if (image.at(x, y).every((v, k) => Math.abs(v - color[k]) <= 6)) return true;
    return false;
  };
  // The overlay of the hovered run is a picture of its own: the list says what it wears.
  await row(oldest[22]).hover();
  await eventually(async () =>
    assert.equal((await colors(page))[oldest[22]], own[oldest[2]], "the colour of its slot"),
  );
  const drawn = await page
    .locator('[data-card="val/loss"] canvas.plot-overlay')
    .evaluate((c, want) => {
      const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] > 200 && want.every((v, k) => Math.abs(v - data[i + k]) <= 6)) return true;
      return false;
    }, rgb(own[oldest[2]]));
  assert.ok(drawn, "the hovered line is in full colour");
  await page.mouse.move(700, 10);
  await eventually(async () => assert.equal((await colors(page))[oldest[22]], grey));
  // So is its row of the tooltip, where the pointer is near a grey line.
  const plot = await page.locator('[data-card="val/loss"] .plot').boundingBox();
  const seen = new Set();
  for (let i = 0; i < 80; i++) {
    await page.mouse.move(plot.x + plot.width * 0.5, plot.y + plot.height * (0.02 + i * 0.012));
    const hovered = page.locator(".run-row.hovered");
    if ((await hovered.count()) !== 1) continue;
    const id = await hovered.getAttribute("data-run");
    const swatch = page.locator(".tooltip tbody tr").first().locator(".swatch");
    const [here, there] = [swatch, hovered.locator(".swatch").first()].map((e) =>
      e.evaluate((s) => getComputedStyle(s).color),
    );
    assert.equal(await here, await there, id);
    if (own[id] === grey) seen.add(id);
  }
  assert.ok(seen.size > 0, "a grey line was hovered");
  await page.mouse.move(700, 10);
  // More than two dozen lines let a quarter of the ground through.
  const faint = rgb(own[oldest[0]]).map((v) => Math.round(v * 0.75 + 255 * 0.25));
  assert.ok(await has(faint), "the first run is drawn in its colour");
  // Fewer runs: the colour is back.
  await page.getByLabel("Filter runs").fill("lr<1e-3");
  await page.getByLabel("Filter runs").press("Enter");
  await eventually(async () => assert.equal((await colors(page))[oldest[21]], own[oldest[1]]));
  assert.equal(await page.locator(".grey-note").count(), 0);
  await done();
});

test("of two runs with one colour the newer is grey, however few are visible, on every page", async () => {
  const oldest = (await ids()).reverse();
  const [first, other, second] = [oldest[1], oldest[5], oldest[21]];
  const three = (page) =>
    address(
      page,
      `&search=loss|score&baseline=${first}&z=` +
        Buffer.from(
          JSON.stringify({
            selection: { all: false, except: [first, other, second] },
            compared: [first, other, second],
          }),
        ).toString("base64url"),
    );
  const { page, done } = await open(three("charts"), { height: 1400 });
  await painted(page, "auto:loss");
  await settled(page);
  const own = await colors(page);
  assert.equal(own[second], grey);
  assert.equal(new Set([own[first], own[other], grey]).size, 3);
  assert.match(await page.locator(".grey-note").textContent(), /^1 run is grey/);
  const bars = () =>
    page
      .locator("[data-bars] .bar-row")
      .evaluateAll((list) => list.map((e) => e.querySelector(".swatch").style.color));
  const bestFirst = [grey, own[other], own[first]];
  await eventually(async () => assert.deepEqual(await bars(), bestFirst));
  await page.goto(three("compare"));
  const heads = page.locator('[role="columnheader"] .swatch');
  await eventually(async () =>
    assert.deepEqual(await heads.evaluateAll((list) => list.map((e) => e.style.color)), [
      own[first],
      own[other],
      grey,
    ]),
  );
  await eventually(async () => assert.deepEqual(await bars(), bestFirst));
  await page.goto(three("charts"));
  await painted(page, "auto:loss");
  // The older one goes: the colour is back, and nobody else's moves.
  await page.locator(`.run-row[data-run="${first}"] input`).click();
  await eventually(async () => {
    const now = await colors(page);
    assert.equal(now[second], own[first]);
    assert.equal(now[other], own[other]);
  });
  assert.equal(await page.locator(".grey-note").count(), 0);
  await done();
});

test("beyond twenty groups no two have one colour either", async () => {
  const state = Buffer.from(JSON.stringify({ groupBy: ["name"] })).toString("base64url");
  const { page, done } = await open(address("charts", `&search=val/loss&z=${state}`), {
    height: 2200,
  });
  await painted(page, "val/loss");
  await settled(page);
  const worn = Object.values(
    await page
      .locator(".run-row[data-group]")
      .evaluateAll((list) =>
        Object.fromEntries(
          list.map((e) => [e.dataset.group, e.querySelector(".swatch").style.color]),
        ),
      ),
  );
  assert.equal(worn.length, count);
  assert.equal(worn.filter((c) => c === grey).length, count - 20);
  assert.equal(new Set(worn).size, 21);
  assert.match(await page.locator(".grey-note").textContent(), /^6 groups are grey/);
  await done();
});

test("beyond twenty values that colours stand for no two have one colour either", async () => {
  const { page, done } = await open(address("charts", "&search=val/loss&colorBy=name"), {
    height: 1400,
  });
  await painted(page, "val/loss");
  await settled(page);
  const oldest = (await ids()).reverse();
  const key = page.getByRole("note", { name: "Colours by name" });
  await eventually(async () => assert.match(await key.textContent(), /run-00.*run-19and 6 more$/));
  const own = await colors(page);
  assert.deepEqual(
    oldest.map((id) => own[id] === grey),
    oldest.map((_, i) => i >= 20),
  );
  assert.equal(new Set(Object.values(own)).size, 21);
  assert.equal(
    new Set(await key.locator(".swatch").evaluateAll((list) => list.map((e) => e.style.color)))
      .size,
    20,
  );
  assert.match(await page.locator(".grey-note").textContent(), /^6 values are grey/);
  await page.locator(`.run-row[data-run="${oldest[22]}"]`).hover();
  await eventually(async () => assert.equal((await colors(page))[oldest[22]], own[oldest[2]]));
  await page.mouse.move(700, 10);
  // Fewer values: the colour is back, and nobody else's moves.
  await page.getByLabel("Filter runs").fill("lr<1e-3");
  await page.getByLabel("Filter runs").press("Enter");
  await eventually(async () => {
    const now = await colors(page);
    assert.equal(now[oldest[21]], own[oldest[1]]);
    assert.equal(now[oldest[3]], own[oldest[3]]);
  });
  assert.equal(await page.locator(".grey-note").count(), 0);
  await done();
});

test("finding D04: in a card of train and val the dash is val, the colour is the run, and no run has a dash of its own", async () => {
  const three = (await ids()).reverse().filter((_, i) => [1, 9, 17].includes(i));
  const state = Buffer.from(JSON.stringify({ selection: { all: false, except: three } })).toString(
    "base64url",
  );
  const { page, done } = await open(address("charts", `&z=${state}`), { height: 1400 });
  await painted(page, "auto:loss");
  await settled(page);
  const own = await colors(page);
  assert.equal(new Set(Object.values(own)).size, 3, JSON.stringify(own));
  assert.equal(await page.locator(".run-row .dash-swatch").count(), 0);
  const legend = await page
    .locator('[data-card="auto:loss"] .legend span')
    .evaluateAll((list) =>
      list
        .filter((e) => e.textContent)
        .map((e) => [
          e.textContent,
          e.querySelector(".dash-swatch path")?.getAttribute("stroke-dasharray") ?? null,
        ]),
    );
  assert.deepEqual(legend, [
    ["train", null],
    ["val", "6 3"],
  ]);
  // Each colour is drawn twice, and half of it with gaps.
  const image = await pixels(page, "auto:loss");
  for (const color of Object.values(own).map(rgb)) {
    let columns = 0;
    for (let x = 0; x < image.width; x++)
      for (let y = 0; y < image.height; y++)
        if (image.at(x, y).every((v, k) => Math.abs(v - color[k]) <= 6)) {
          columns++;
          break;
        }
    assert.ok(columns > image.width * 0.9, `${color} in ${columns} of ${image.width} columns`);
  }
  await done();
});

test("finding D09: the one line of a system chart is whole, whichever run it is of", async () => {
  const oldest = (await ids()).reverse().slice(0, 18);
  const state = Buffer.from(JSON.stringify({ selection: { all: false, except: oldest } })).toString(
    "base64url",
  );
  const { page, done } = await open(address("system", `&run=${oldest[17]}&z=${state}`));
  await painted(page, "system:cpu");
  await settled(page);
  const image = await pixels(page, "system:cpu");
  const ground = image.at(1, 1);
  const far = (c) => Math.max(...c.map((v, k) => Math.abs(v - ground[k]))) > 60;
  let inked = 0;
  for (let x = 0; x < image.width; x++)
    for (let y = 0; y < image.height; y++)
      if (far(image.at(x, y))) {
        inked++;
        break;
      }
  assert.ok(inked > image.width * 0.97, `${inked} of ${image.width} columns have ink`);
  await done();
});

test("a chosen colour goes before the slot, and is that slot's in the other theme", async () => {
  const [newest] = await ids();
  const { projects } = await getJson(server.url, "projects");
  assert.equal(projects.length, 1);
  await postJson(server.url, "edits", { edits: [{ runs: [newest], color: "#095ec3" }] });
  const { page, done } = await open(address("table"), { dark: true });
  const swatch = page.locator(".grid-row", { hasText: "run-25" }).locator(".swatch");
  await eventually(async () =>
    assert.equal(await swatch.evaluate((e) => e.style.color), "rgb(150, 152, 255)"),
  );
  await postJson(server.url, "edits", { edits: [{ runs: [newest], color: "" }] });
  await done();
});
