// Odd but legal media: shown, or said in words; the page answers meanwhile.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deflateSync } from "node:zlib";
import { eventually, open, quit } from "./browser.mjs";
import { getJson, postJson } from "./api.mjs";
import { serve } from "./server.mjs";

const table = (rows, columns) => {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const head = Array.from({ length: columns }, (_, c) => `c${c}`);
  return [
    line(head),
    line(head.map(() => "---")),
    ...Array.from({ length: rows }, (_, r) => line(head.map((_, c) => r + c))),
  ].join("\n");
};
const texts = {
  long: "# Long\n\n" + "A paragraph of *Markdown* text. ".repeat(160_000),
  nested: Array.from({ length: 2000 }, (_, i) => "  ".repeat(i) + "- item").join("\n"),
  stars: "*".repeat(50_000),
  table: table(2000, 100),
};
/** A PNG of grey pixels, black on the left half of its longer side. */
function png(width, height) {
  const crc = (bytes) => {
    let c = ~0;
    for (const b of bytes) {
      c ^= b;
      for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
    }
    return ~c >>> 0;
  };
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const out = Buffer.alloc(8 + body.length);
    out.writeUInt32BE(data.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc(body), 4 + body.length);
    return out;
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const rows = Buffer.alloc((width + 1) * height, 200);
  for (let y = 0; y < height; y++) rows[y * (width + 1)] = 0;
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
const floats = (values) => Buffer.from(Float32Array.from(values).buffer);
const image = (format, width, height, more = {}) => ({
  kind: "image",
  format,
  width,
  height,
  channels: 1,
  captions: [],
  ...more,
});
const mesh = (vertices, faces) => ({ kind: "mesh", format: "arrays", vertices, faces });
const triangle = Buffer.from(Uint32Array.from([0, 1, 2]).buffer);
const longName = "n".repeat(10_000);

let server, address;
before(async () => {
  server = await serve(["odd"], {
    options: {
      async write(open) {
        const run = await open("odd media");
        for (const [key, text] of Object.entries(texts))
          await run.value(`text/${key}`, { kind: "text", text });
        await run.value("broken", image("png", 4, 4), [
          Buffer.from("\x89PNG\r\n\x1a\nthis is no picture"),
        ]);
        await run.value("thin", image("png", 1, 20_000), [png(1, 20_000)]);
        const bright = Array.from({ length: 1000 }, (_, i) => (i % 100) / 100);
        bright[0] = 10;
        await run.value("bright", image("raw", 40, 25, { dtype: "f32" }), [floats(bright)]);
        const holes = Array.from({ length: 1000 }, (_, i) => (i % 100) - 50);
        holes[7] = holes[8] = NaN;
        await run.value("holes", image("raw", 40, 25, { dtype: "f32" }), [floats(holes)]);
        await run.value("mesh/none", mesh(0, 0), [Buffer.alloc(0)]);
        await run.value("mesh/point", mesh(3, 1), [
          Buffer.concat([floats([1, 1, 1, 1, 1, 1, 1, 1, 1]), triangle]),
        ]);
        await run.value("mesh/nan", mesh(3, 1), [
          Buffer.concat([floats(Array.from({ length: 9 }, () => NaN)), triangle]),
        ]);
        const n = 500_000;
        const xs = Array.from({ length: n }, (_, i) => i % 1000);
        await run.value("scatter", {
          kind: "figure",
          plotly: JSON.stringify({
            data: [{ type: "scatter", mode: "markers", x: xs, y: xs.map((x, i) => (x * i) % 977) }],
          }),
        });
        await run.value("wide", {
          kind: "histogram",
          edges: [-1e308, -1e307, 1e307, 1e308],
          counts: [1, 8, 1],
          min: -1e308,
          max: 1e308,
          sum: 0,
          sum_squares: 0,
        });
        await run.value("curve", {
          kind: "pr_curve",
          thresholds: [0, 0.5, 1],
          true_positives: [0, 0, 0],
          false_positives: [9, 3, 0],
          true_negatives: [0, 6, 9],
          false_negatives: [0, 0, 0],
          precision: [0, 0, 1],
          recall: ["NaN", "NaN", "NaN"],
        });
        await run.scalars("mixed", [1, 2, 3, 4]);
        await run.value("mixed", image("png", 4, 4), [png(4, 4)], 4);
        await run.value("mixed", { kind: "text", text: "words **in bold**" }, [], 5);
        await run.value("mixed", { kind: "table", columns: ["a"], rows: [[1]] }, [], 6);
        await run.finish();
        await (await open("second")).finish();
        const future = await open("future", { project: "clocks", start_ms: Date.UTC(2126, 0, 1) });
        await future.scalars("loss", [1, 2]);
        await future.finish();
        const past = await open("past", { project: "clocks", start_ms: Date.UTC(1966, 11, 1) });
        await past.scalars("loss", [1, 2]);
        await past.finish();
        const named = await open(longName, { project: "p".repeat(3000), tags: ["t".repeat(500)] });
        for (let step = 0; step < 5; step++)
          await named.value("picture", image("png", 4, 4), [png(4, 4)], step);
        await named.scalars("loss", [1, 2]);
        await named.finish();
      },
    },
  });
  address = (page, rest = "", project = "odd") =>
    `${server.url}#/${page}?project=${project}${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});

const state = (value) => "&z=" + Buffer.from(JSON.stringify(value)).toString("base64url");
/** The longest time that the page's thread was busy at a stretch, in milliseconds. */
const watchThread = () => {
  window.__longest = 0;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    window.__longest = Math.max(window.__longest, now - last);
    last = now;
  }, 20);
};
const slow = Number(process.env.TAFFRAIL_E2E_SLOW ?? 1);
const cell = (page, key) => page.locator(`.media-cell[data-key="${key}"]`);

for (const key of Object.keys(texts)) {
  test(`finding O14: Markdown that is too much to format (${key}) is plain text with a word, and the page answers`, async () => {
    const { page, done } = await open(address("media", `&search=text/${key}`), {
      init: watchThread,
    });
    const text = cell(page, `text/${key}`);
    // A line of nothing but stars is a rule, which costs nothing; the others are too much.
    if (key === "stars") await text.locator(".markdown hr").waitFor({ state: "attached" });
    else {
      await eventually(
        async () =>
          assert.match(await text.locator(".media-note").innerText(), /^Shown as plain text: .+\./),
        30000 * slow,
      );
      const plain = text.locator("pre.plain-text");
      assert.ok((await plain.innerText()).length <= 100_001);
      assert.equal(await plain.evaluate((e) => getComputedStyle(e).whiteSpace), "pre-wrap");
    }
    const longest = await page.evaluate(() => window.__longest);
    assert.ok(longest < 3000 * slow, `busy for ${Math.round(longest)} ms at a stretch`);
    await done();
  });
}

test("finding O16: a Plotly scatter of half a million points is drawn", async () => {
  const { page, done } = await open(address("media", "&search=scatter"), { init: watchThread });
  const canvas = cell(page, "scatter").locator("canvas");
  const inked = () =>
    canvas.evaluate((c) => {
      const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4)
        if (
          Math.max(data[i], data[i + 1], data[i + 2]) -
            Math.min(data[i], data[i + 1], data[i + 2]) >
          60
        )
          n++;
      return n;
    });
  await eventually(async () => assert.ok((await inked()) > 2000), 30000 * slow);
  assert.ok((await page.evaluate(() => window.__longest)) < 5000 * slow);
  await done();
});

/** Shades of a picture as the browser decodes it: [r, g, b] of each pixel. */
const shades = (img) =>
  img.evaluate(async (element) => {
    await element.decode();
    const canvas = new OffscreenCanvas(element.naturalWidth, element.naturalHeight);
    const c = canvas.getContext("2d");
    c.drawImage(element, 0, 0);
    const { data } = c.getImageData(0, 0, canvas.width, canvas.height);
    return Array.from({ length: data.length / 4 }, (_, i) => [...data.slice(i * 4, i * 4 + 3)]);
  });

test("finding O21: one bright pixel does not blacken a picture of floats; the range is said and can be chosen", async () => {
  const { page, done } = await open(address("media", "&search=bright"));
  const img = cell(page, "bright").locator("img");
  await eventually(
    async () => assert.match(await cell(page, "bright").innerText(), /0 … 1/),
    20000,
  );
  const robust = await shades(img);
  assert.equal(robust[99][0], Math.round(0.99 * 255));
  assert.equal(robust[50][0], Math.round(0.5 * 255));
  assert.equal(robust[0][0], 255);
  await cell(page, "bright").getByLabel("Values shown").selectOption("full");
  await eventually(async () => assert.match(await cell(page, "bright").innerText(), /0 … 10/));
  await eventually(async () => assert.equal((await shades(img))[99][0], Math.round(0.099 * 255)));
  await done();
});

test("finding O21: pixels that are no number are marked, never black", async () => {
  const { page, done } = await open(address("media", "&search=holes"));
  await eventually(
    async () => assert.match(await cell(page, "holes").innerText(), /-49 … 48, 2 not finite/),
    20000,
  );
  const pixels = await shades(cell(page, "holes").locator("img"));
  assert.deepEqual(pixels[7], [255, 0, 255]);
  assert.deepEqual(pixels[8], [255, 0, 255]);
  assert.ok(pixels[9][0] === pixels[9][1] && pixels[9][1] === pixels[9][2]);
  await done();
});

test("finding O22: a broken picture, a sliver, and meshes without anything to see are said in words", async () => {
  const { page, done } = await open(address("media", "&search=^(broken|thin|mesh.*)$"));
  const words = (key, expected) =>
    eventually(async () => assert.match(await cell(page, key).innerText(), expected), 20000);
  await words("broken", /no picture that a browser can show/);
  await words("thin", /1 × 20,000, not to scale/);
  const box = await cell(page, "thin")
    .locator("img")
    .evaluate((e) => getComputedStyle(e).objectFit);
  assert.equal(box, "fill");
  await words("mesh/none", /has no vertices/);
  await words("mesh/point", /faces of this mesh have no area/);
  await words("mesh/nan", /No coordinate of this mesh is a finite number/);
  await done();
});

test("finding O22: a histogram from -1e308 to 1e308 keeps its counts, a curve without positives has no area", async () => {
  const reply = await postJson(server.url, "histograms:query", {
    runs: ["oddmedia"],
    keys: ["wide"],
    bins: 20,
  });
  const column = reply.series[0].columns[0];
  assert.ok(Math.abs(column.counts.reduce((a, b) => a + b, 0) - 10) < 1e-9);
  assert.ok(column.percentiles.every(Number.isFinite), column.percentiles.join());
  const { page, done } = await open(
    address("distributions", state({ distributions: { mode: "heat" } })),
  );
  await page.waitForSelector('[data-histogram="wide"] canvas');
  const colours = await eventually(async () => {
    const found = await page.locator('[data-histogram="wide"] canvas').evaluate((c) => {
      const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4)
        if (
          Math.max(data[i], data[i + 1], data[i + 2]) -
            Math.min(data[i], data[i + 1], data[i + 2]) >
          60
        )
          seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
      return seen.size;
    });
    assert.ok(found >= 2);
    return found;
  });
  assert.ok(colours >= 2);
  await page.getByRole("tab", { name: "PR curves" }).click();
  await eventually(async () =>
    assert.match(
      await page.locator('[data-pr="curve"]').innerText(),
      /no positives: recall is not defined/,
    ),
  );
  await done();
});

test("finding O22: runs without an environment do not have the same packages; clocks ahead and before 1970 are told as they are", async () => {
  const { page, done } = await open(
    address("compare", state({ compared: ["oddmedia", "second"] })),
  );
  await eventually(async () =>
    assert.match(
      await page.locator('[data-unknown="packages"]').innerText(),
      /No packages were recorded for odd media and second/,
    ),
  );
  assert.match(await page.locator('[data-unknown="code"]').innerText(), /No code was recorded/);
  await page.goto(`${server.url}#/projects`);
  await eventually(async () =>
    assert.match(
      await page.locator(".project", { hasText: "clocks" }).innerText(),
      /2126-01-01 .*ahead of this clock/,
    ),
  );
  const { start_ms, end_ms } = await getJson(server.url, "run?run=past");
  assert.equal(start_ms, Date.UTC(1966, 11, 1));
  assert.ok(end_ms >= start_ms && end_ms - start_ms < 1000, `ran ${end_ms - start_ms} ms`);
  await page.goto(address("run", "&run=past", "clocks"));
  await eventually(async () =>
    assert.match(await page.locator(".toolbar").first().innerText(), /1966-12-01/),
  );
  await done();
});

test("finding O10: scalars, a picture, a text and a table under one key stand side by side", async () => {
  const { page, done } = await open(
    address("charts", "&search=^mixed$" + state({ closed: ["*media"] })),
  );
  await page.waitForSelector('[data-card="mixed"] .plot[data-painted]');
  await page.goto(address("media", "&search=^mixed$"));
  const item = cell(page, "mixed");
  await eventually(async () => assert.equal(await item.count(), 1));
  await eventually(async () => assert.equal(await item.locator("table").count(), 1));
  const slider = page.getByRole("slider", { name: "Step" });
  await slider.press("ArrowLeft");
  await eventually(async () =>
    assert.equal(await item.locator(".markdown strong").innerText(), "in bold"),
  );
  await slider.press("ArrowLeft");
  await eventually(async () =>
    assert.deepEqual(
      await item.locator("img").evaluate((e) => [e.naturalWidth, e.naturalHeight]),
      [4, 4],
    ),
  );
  await done();
});

test("finding O23: at 320 pixels the slider is a slider, and names of any length leave everything in reach", async () => {
  const project = "p".repeat(3000);
  const { page, done } = await open(address("media", "", project), {
    width: 320,
    height: 640,
    touch: true,
  });
  const track = page.getByRole("slider", { name: "Step" });
  await track.waitFor();
  assert.ok((await track.boundingBox()).width > 200, "the track is wide enough for a finger");
  const reachable = async (what) => {
    const wide = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      window: innerWidth,
    }));
    assert.ok(wide.page <= wide.window, `${what}: the page is ${wide.page} pixels wide`);
    for (const button of await page
      .locator("header.top .icon-button:visible, .toolbar .icon-button:visible")
      .all()) {
      const box = await button.boundingBox();
      assert.ok(
        box.x < 2000,
        `${what}: ${await button.getAttribute("aria-label")} is ${Math.round(box.x)} pixels to the right`,
      );
    }
  };
  await reachable("media");
  const run = longName.slice(0, 40);
  await page.goto(address("run", `&run=${run}`, project));
  const title = page.locator(".toolbar h1");
  await title.waitFor();
  assert.ok((await title.boundingBox()).width <= 320);
  await reachable("run");
  // Nothing of the bar at the top lies over anything else.
  const boxes = await page.locator("header.top > *:visible").evaluateAll((all) =>
    all
      .map((e) => e.getBoundingClientRect())
      .map(({ left, right }) => [left, right])
      .filter(([a, b]) => b > a),
  );
  boxes.forEach(
    ([left], i) => i && assert.ok(left >= boxes[i - 1][1] - 1, `${left} lies over ${boxes[i - 1]}`),
  );
  assert.ok(boxes.at(-1)[1] <= 320);
  await page.goto(`${server.url}#/projects`);
  await page.locator(".project").first().waitFor();
  await reachable("projects");
  await done();
});
