// Pictures in full size, tables that can be asked, figures that tell their values.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deflateSync } from "node:zlib";
import { postJson } from "./api.mjs";
import { eventually, open, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const [width, height] = [24, 16];
const steps = [0, 10, 20];
/** The red, green and blue of a pixel of a run's picture: a formula, so that tests know them. */
const pixel = (run, step, x, y) => [x * 10, y * 15, 40 * run + step];

/** A PNG of RGB pixels. */
function png(at) {
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
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = [];
  for (let y = 0; y < height; y++) {
    rows.push(0);
    for (let x = 0; x < width; x++) rows.push(...at(x, y));
  }
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.from(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const names = ["alpha", "beta", "gamma"];
const scores = (run) => [
  ["cat", 0.5 + run / 10, 7],
  ["dog", 0.25, 30 - run],
  ["eel", 0.75 - run / 10, null],
  ["fox", -1e-3, 4],
  ["gnu", 12.5, 100],
  [`only-${run}`, run, 1],
];
let server, address, ids;
before(async () => {
  server = await serve(["odd"], {
    options: {
      async write(open) {
        for (const [i, name] of names.entries()) {
          const run = await open(name, { start_ms: Date.UTC(2026, 0, 1 + i) });
          for (const step of steps)
            await run.value(
              "sample",
              {
                kind: "image",
                format: "png",
                width,
                height,
                channels: 3,
                captions: [`at ${step}`],
              },
              [png((x, y) => pixel(i, step, x, y))],
              step,
            );
          await run.value(
            "floats",
            {
              kind: "image",
              format: "raw",
              dtype: "f32",
              width: 8,
              height: 4,
              channels: 1,
              captions: [],
            },
            [Buffer.from(Float32Array.from({ length: 32 }, (_, k) => k / 8 - 1).buffer)],
            20,
          );
          await run.value(
            "scores",
            { kind: "table", columns: ["name", "score", "count"], rows: scores(i) },
            [],
            20,
          );
          await run.value(
            "figure",
            {
              kind: "figure",
              plotly: JSON.stringify({
                data: [
                  {
                    type: "scatter",
                    mode: "lines+markers",
                    name: "curve",
                    x: [1, 2, 3],
                    y: [5, 9.123456789, 7],
                  },
                ],
                layout: { xaxis: { title: "width" }, yaxis: { title: "height" } },
              }),
            },
            [],
            20,
          );
          await run.value(
            "pr",
            {
              kind: "pr_curve",
              thresholds: [0.1, 0.5, 0.9],
              true_positives: [10, 8, 4],
              false_positives: [10, 2, 0],
              true_negatives: [0, 8, 10],
              false_negatives: [0, 2, 6],
              precision: [0.5, 0.8, 1],
              recall: [1, 0.8, 0.4],
            },
            [],
            20,
          );
          await run.finish();
        }
      },
    },
  });
  address = (page, rest = "") => `${server.url}#/${page}?project=odd${rest}`;
  const list = await postJson(server.url, "runs:query", { project: "odd" });
  ids = Object.fromEntries(list.runs.name.map((name, i) => [name, list.runs.id[i]]));
});
after(async () => {
  await quit();
  await server?.close();
});

const box = (page) => page.getByRole("dialog", { name: /^sample of/ });
const shown = async (page, run, step) =>
  eventually(async () => {
    assert.equal(
      await box(page).locator("[data-shown-step]").getAttribute("data-shown-step"),
      String(step),
    );
    assert.equal(await box(page).locator(".lightbox-head strong").textContent(), run);
    assert.equal(await box(page).locator(".lightbox-foot").getAttribute("data-loaded"), "yes");
  });
/** Where a pixel of the picture is on the screen, by the scale the stage says. */
async function place(page, x, y) {
  const canvas = box(page).locator(".stage canvas");
  await eventually(async () =>
    assert.match((await canvas.getAttribute("data-drawn")) ?? "", / \d/),
  );
  const scale = Number((await canvas.getAttribute("data-drawn")).split(" ")[1]);
  const b = await canvas.boundingBox();
  return [
    b.x + b.width / 2 + (x + 0.5 - width / 2) * scale,
    b.y + b.height / 2 + (y + 0.5 - height / 2) * scale,
  ];
}
const colorAt = async (page, x, y) => {
  const [px, py] = await place(page, x, y);
  const b = await box(page).locator(".stage canvas").boundingBox();
  return box(page)
    .locator(".stage canvas")
    .evaluate(
      (c, [sx, sy]) => [...c.getContext("2d").getImageData(sx, sy, 1, 1).data.slice(0, 3)],
      [Math.round(px - b.x), Math.round(py - b.y)],
    );
};

test("finding M01: a picture opens in full size, tells its pixels, and arrows go through steps and runs", async () => {
  const { page, done } = await open(address("media"));
  await page.locator(`[data-run="${ids.alpha}"][data-key="sample"] img`).click();
  await shown(page, "alpha", 20);
  // Each pixel is what was logged, in the middle and at the corners.
  for (const [x, y] of [
    [0, 0],
    [width - 1, height - 1],
    [7, 9],
  ]) {
    const at = await place(page, x, y);
    // Off the middle of a pixel, where a number may be written on it.
    assert.deepEqual(await colorAt(page, x - 0.35, y - 0.4), pixel(0, 20, x, y));
    await page.mouse.move(...at);
    await eventually(async () =>
      assert.equal(
        await box(page).locator(".pixel-words").textContent(),
        `x ${x}, y ${y}: ${pixel(0, 20, x, y).join(" ")}`,
      ),
    );
  }
  await page.keyboard.press("ArrowLeft");
  await shown(page, "alpha", 10);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await shown(page, "alpha", 0);
  await page.keyboard.press("End");
  await shown(page, "alpha", 20);
  const order = await page
    .locator('[data-key="sample"]')
    .evaluateAll((c) => c.map((e) => e.dataset.run));
  const name = (id) => names.find((n) => ids[n] === id);
  await page.keyboard.press("ArrowDown");
  await shown(page, name(order[(order.indexOf(ids.alpha) + 1) % 3]), 20);
  await page.keyboard.press("ArrowUp");
  await shown(page, "alpha", 20);
  // The address opens as the same picture; Escape closes it.
  const other = await open(page.url());
  await shown(other.page, "alpha", 20);
  await other.done();
  await page.keyboard.press("Escape");
  await box(page).waitFor({ state: "detached" });
  await done();
});

test("finding M01: wheel and keys zoom to single pixels; the picture is downloaded as it is stored", async () => {
  const { page, done } = await open(address("media"));
  await page.locator(`[data-run="${ids.beta}"][data-key="sample"] img`).click();
  await shown(page, "beta", 20);
  const canvas = box(page).locator(".stage canvas");
  const scale = async () => Number((await canvas.getAttribute("data-drawn")).split(" ")[1]);
  const fit = await scale();
  const at = await place(page, 3, 4);
  await page.mouse.move(...at);
  await page.mouse.wheel(0, -300);
  await eventually(async () => assert.ok((await scale()) > fit * 2));
  await page.mouse.move(at[0] + 1, at[1]); // the pixel under the pointer stayed there
  await eventually(async () =>
    assert.equal(
      await box(page).locator(".pixel-words").textContent(),
      `x 3, y 4: ${pixel(1, 20, 3, 4).join(" ")}`,
    ),
  );
  await page.keyboard.press("1");
  await eventually(async () => assert.equal(await scale(), 1));
  await page.keyboard.press("0");
  await eventually(async () => assert.equal(await scale(), fit));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    box(page).getByRole("link", { name: "Download the picture" }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^beta-sample-20\.png$/);
  const { readFile } = await import("node:fs/promises");
  assert.deepEqual(
    await readFile(await download.path()),
    png((x, y) => pixel(1, 20, x, y)),
  );
  await done();
});

test("finding M01: two runs by a swipe and as a difference, with the numbers of both", async () => {
  const { page, done } = await open(address("media"));
  await page.locator(`[data-run="${ids.alpha}"][data-key="sample"] img`).click();
  await shown(page, "alpha", 20);
  await box(page).getByRole("group", { name: "Beside another run" }).getByText("A | B").click();
  await box(page).getByLabel("The other run").selectOption(ids.gamma);
  await eventually(async () => {
    assert.deepEqual(await colorAt(page, 2, 3), pixel(0, 20, 2, 3));
    assert.deepEqual(await colorAt(page, width - 3, 3), pixel(2, 20, width - 3, 3));
  });
  // The handle is dragged to the left: more of the second picture.
  const b = await box(page).locator(".stage canvas").boundingBox();
  const [x2] = await place(page, 2, 3);
  await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2);
  await page.mouse.down();
  await page.mouse.move(x2 - 60, b.y + b.height / 2, { steps: 4 });
  await page.mouse.up();
  await eventually(async () => assert.deepEqual(await colorAt(page, 2, 3), pixel(2, 20, 2, 3)));
  await box(page)
    .getByRole("group", { name: "Beside another run" })
    .getByText("difference")
    .click();
  // Blue differs by 80 everywhere: a third of 80 in the mean, three times as bright on the screen.
  await eventually(async () => {
    assert.match(
      await box(page).locator(".pixel-words").textContent(),
      /mean \|Δ\| 26\.67, largest 80 of 255/,
    );
    assert.deepEqual(await colorAt(page, 4.65, 4.6), [0, 0, 240]);
  });
  await page.mouse.move(...(await place(page, 5, 5)));
  await eventually(async () =>
    assert.equal(
      await box(page).locator(".pixel-words").textContent(),
      "x 5, y 5: alpha: 50 75 20 · gamma: 50 75 100",
    ),
  );
  await done();
});

test("finding M01: Compare shows the pictures of its runs, whoever is visible, and they open there", async () => {
  const state = {
    compared: [ids.gamma, ids.alpha],
    selection: { all: false, except: [ids.beta] },
  };
  const { page, done } = await open(
    address(
      "compare",
      `&baseline=${ids.gamma}&z=${Buffer.from(JSON.stringify(state)).toString("base64url")}`,
    ),
  );
  const cells = page.locator('[data-media="sample"] .media-cell');
  await eventually(async () =>
    assert.deepEqual(await cells.evaluateAll((list) => list.map((e) => e.dataset.run)), [
      ids.gamma,
      ids.alpha,
    ]),
  );
  const track = page.locator('[data-media="sample"] [role="slider"]');
  await track.focus();
  await page.keyboard.press("ArrowLeft");
  await eventually(async () =>
    assert.deepEqual(
      await cells.evaluateAll((list) => list.map((e) => e.dataset.step)),
      ["10", "10"],
      "one step for all",
    ),
  );
  await cells.last().locator("img").click();
  await shown(page, "alpha", 10);
  await page.keyboard.press("ArrowDown");
  await shown(page, "gamma", 10);
  await page.keyboard.press("ArrowDown");
  await shown(page, "alpha", 10);
  await done();
});

test("finding M01: a picture of floats tells the stored numbers", async () => {
  const { page, done } = await open(address("media", "&search=floats"));
  await page.locator(`[data-run="${ids.alpha}"] img`).click();
  const dialog = page.getByRole("dialog", { name: /^floats of/ });
  const canvas = dialog.locator(".stage canvas");
  await eventually(async () =>
    assert.match((await canvas.getAttribute("data-drawn")) ?? "", / \d/),
  );
  const scale = Number((await canvas.getAttribute("data-drawn")).split(" ")[1]);
  const b = await canvas.boundingBox();
  await page.mouse.move(
    b.x + b.width / 2 + (5.5 - 4) * scale,
    b.y + b.height / 2 + (2.5 - 2) * scale,
  );
  await eventually(async () =>
    assert.equal(await dialog.locator(".pixel-words").textContent(), "x 5, y 2: 1.625"),
  );
  await done();
});

test("finding M04: a logged table sorts, filters and stands beside those of other runs", async () => {
  const { page, done } = await open(address("media", "&search=scores"));
  const cell = page.locator(`[data-run="${ids.alpha}"][data-key="scores"]`);
  const column = (n) => cell.locator(`tbody tr td:nth-child(${n})`).allTextContents();
  await cell.locator("tbody tr").first().waitFor();
  await cell.getByRole("button", { name: "count", exact: true }).click();
  await eventually(async () =>
    assert.deepEqual(await column(3), ["1", "4", "7", "30", "100", "–"]),
  );
  await cell.getByRole("button", { name: /^count/ }).click();
  await eventually(async () =>
    assert.deepEqual(await column(3), ["100", "30", "7", "4", "1", "–"]),
  );
  await cell.getByLabel("Filter the rows of scores").fill("^(cat|fox)$");
  await eventually(async () => assert.deepEqual(await column(1), ["cat", "fox"]));
  await cell.getByLabel("Filter the rows of scores").fill("");
  await cell.getByText("beside other runs").click();
  await eventually(async () => {
    const heads = (await cell.locator("thead th").allTextContents()).map((t) => t.trim());
    assert.deepEqual([...heads].sort(), [
      ...names.map((n) => `count · ${n}`),
      "name",
      ...names.map((n) => `score · ${n}`),
    ]);
    const dog = cell.locator("tbody tr", { hasText: "dog" }).locator("td");
    const cells = await dog.allTextContents();
    for (const [i, name] of names.entries())
      assert.equal(cells[heads.indexOf(`count · ${name}`)], String(30 - i));
    const lone = await cell
      .locator("tbody tr", { hasText: "only-1" })
      .locator("td")
      .allTextContents();
    assert.equal(lone.filter((c) => c === "–").length, 4, "what a run lacks is a dash");
  });
  assert.match(await cell.locator(".table-tools").textContent(), /8 rows of 3 runs, by name/);
  await done();
});

test("finding M04: figures and precision-recall curves tell the value under the pointer", async () => {
  const { page, done } = await open(address("media", "&search=figure"));
  const canvas = page.locator(`[data-run="${ids.alpha}"] canvas`).first();
  await canvas.waitFor();
  await settled(page);
  const b = await canvas.boundingBox();
  // Across the middle column the pointer meets the peak at x = 2.
  let words = "";
  for (let y = 4; y < b.height && !words.includes("9.1"); y += 4) {
    await page.mouse.move(b.x + (48 + 16 + b.width - 12) / 2, b.y + y);
    words = (await page.locator(".tooltip").count())
      ? await page.locator(".tooltip").textContent()
      : "";
  }
  assert.equal(words, "curve\nwidth 2\nheight 9.123456789");
  await page.goto(address("distributions"));
  await page.getByRole("tab", { name: /PR|precision/i }).click();
  const curve = page.locator('[data-pr="pr"] canvas');
  await curve.waitFor();
  await settled(page);
  const c = await curve.boundingBox();
  words = "";
  // The point is at four fifths of both axes: from there outwards, or the whole plot is walked.
  const places = [];
  for (let x = 60; x < c.width - 12; x += 6)
    for (let y = 8; y < c.height - 36; y += 12)
      places.push({ x, y, far: Math.hypot(x - 0.8 * c.width, y - 0.2 * c.height) });
  places.sort((one, other) => one.far - other.far);
  for (const { x, y } of places) {
    await page.mouse.move(c.x + x, c.y + y);
    words = (await page.locator(".tooltip").count())
      ? await page.locator(".tooltip").textContent()
      : "";
    if (words.includes("threshold 0.5\n")) break;
  }
  assert.match(words, /^(alpha|beta|gamma)\nthreshold 0\.5\nrecall 0\.8\nprecision 0\.8$/);
  await done();
});
