// Media: every step reachable, play, differences, sound and video with ranges, 3D through one
// context.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { getJson, postJson } from "./api.mjs";
import { eventually, open, quit, settled } from "./browser.mjs";
import { test } from "./measured.mjs";
import { serve } from "./server.mjs";

const slow = Number(process.env.TAFFRAIL_E2E_SLOW ?? 1);
let server, project, address, list;
before(async () => {
  server = await serve(["demo"]);
  project = (await getJson(server.url, "projects")).projects[0].name;
  address = (rest = "") => `${server.url}#/media?project=${encodeURIComponent(project)}${rest}`;
  list = await postJson(server.url, "runs:query", { project });
});
after(async () => {
  await quit();
  await server?.close();
});
const z = (state) => "&z=" + Buffer.from(JSON.stringify(state)).toString("base64url");
const loaded = (page) =>
  page.waitForFunction(() =>
    [...document.querySelectorAll(".media-cell img")]
      .filter((i) => i.getBoundingClientRect().top < innerHeight)
      .every((i) => i.complete && i.naturalWidth > 0),
  );

test("13: five thousand images: a seek is quick, every step can be reached, prefetch is small", async () => {
  const images = await serve(["images"]);
  const name = (await getJson(images.url, "projects")).projects[0].name;
  let bytes = 0;
  const { page, done } = await open(`${images.url}#/media?project=${encodeURIComponent(name)}`);
  page.on("response", async (r) => {
    if (r.url().includes("/image?")) bytes += Number(r.headers()["content-length"] ?? 0);
  });
  await page.waitForSelector(".media-cell img");
  const track = page.getByRole("slider", { name: "Step" });
  const total = 5000;
  const shown = () =>
    page.evaluate(async () => {
      const image = document.querySelector(".media-cell img");
      await image.decode();
      const c = new OffscreenCanvas(64, 64).getContext("2d");
      c.drawImage(image, 0, 0);
      let n = 0;
      for (let bit = 0; bit < 16; bit++)
        if (c.getImageData(bit * 4 + 2, 10, 1, 1).data[0] > 128) n |= 1 << bit;
      return n;
    });
  const times = [];
  await settled(page);
  const box = await track.boundingBox();
  for (const share of [0, 0.137, 0.5, 0.731, 0.999, 0.25]) {
    const began = Date.now();
    await page.mouse.click(box.x + share * box.width, box.y + 16);
    const index = await page.locator(".media-cell").first().getAttribute("data-index");
    await page.waitForFunction((i) => {
      const e = document.querySelector(".media-cell img");
      return e.src.includes(`index=${i}`) && e.complete;
    }, index);
    times.push(Date.now() - began);
    assert.equal(await shown(), Number(index), "the picture on show is that of the step");
    await eventually(async () =>
      assert.equal(
        await page.locator("[data-step]").last().getAttribute("data-step"),
        String(Number(index) * 10),
      ),
    );
  }
  times.sort((a, b) => a - b);
  assert.ok(times[3] <= 150 * slow, `seek ${times}`);
  await track.focus();
  await page.keyboard.press("Home");
  for (let i = 1; i <= 5; i++) {
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(
      (n) => document.querySelector(".media-cell").dataset.index === String(n),
      i,
    );
  }
  await page.keyboard.press("End");
  await page.waitForFunction(
    (n) => document.querySelector(".media-cell").dataset.index === String(n),
    total - 1,
  );
  await page.getByRole("button", { name: "First step" }).click();
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(
    () => Number(document.querySelector(".media-cell").dataset.index) >= 3,
  );
  await page.getByRole("button", { name: "Pause" }).click();
  assert.ok(bytes < 20e6, `${bytes} bytes`);
  await done();
  await images.close();
});

test("rows by run or by key, sizes, 1:1, only one kind, difference to the baseline", async () => {
  const { page, done } = await open(address());
  await page.waitForSelector(".media-cell img");
  await loaded(page);
  await settled(page);
  const byRun = await page.locator(".media-row h3").allTextContents();
  await page.getByRole("group", { name: "Rows" }).getByText("key").click();
  await eventually(async () =>
    assert.notDeepEqual(await page.locator(".media-row h3").allTextContents(), byRun),
  );
  await page.getByLabel("Kind").selectOption("image");
  await page.getByLabel("Size", { exact: true }).fill("96");
  await page.waitForFunction(
    () => document.querySelector(".media-cell img")?.style.width === "96px",
  );
  await page.getByText(/difference to/).click();
  await page.waitForSelector(".difference figcaption");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".difference figcaption")].some((f) =>
      /mean/.test(f.textContent),
    ),
  );
  await page.getByRole("group", { name: "Scale" }).getByText("1:1").click();
  await done();
});

test("13: sound plays and has a waveform; bytes come with ranges", async () => {
  const index = await postJson(server.url, "entries:index", {
    runs: list.runs.id,
    kinds: ["audio"],
  });
  const s = index.series[0];
  const { entries } = await getJson(
    server.url,
    `entries?run=${encodeURIComponent(s.run)}&key=${encodeURIComponent(s.key)}&first=0&count=1`,
  );
  const { sha, size } = entries[0].value.data;
  const blob = `${server.url}api/v1/blob?run=${encodeURIComponent(s.run)}&sha=${sha}&format=wav`;
  const part = await fetch(blob, { headers: { Range: "bytes=10-19" } });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get("content-range"), `bytes 10-19/${size}`);
  assert.equal((await part.arrayBuffer()).byteLength, 10);
  const { page, done } = await open(
    address(z({ media: { kind: "audio" }, selection: { all: false, except: [s.run] } })),
  );
  const audio = page.locator("audio").first();
  await audio.waitFor();
  const length = await audio.evaluate(
    (a) =>
      new Promise((r) =>
        a.readyState ? r(a.duration) : a.addEventListener("loadedmetadata", () => r(a.duration)),
      ),
  );
  assert.ok(length > 0.2);
  await audio.evaluate((a) => ((a.muted = true), a.play()));
  await page.waitForFunction(() => document.querySelector("audio").currentTime > 0.02);
  await page.waitForFunction(() => {
    const c = document.querySelector('canvas[aria-label="Waveform"]');
    return c
      .getContext("2d")
      .getImageData(0, 0, c.width, c.height)
      .data.some((v) => v > 0);
  });
  await done();
});

test("13: MP4 and GIF play; a range of a video is answered with 206", async () => {
  const index = await postJson(server.url, "entries:index", {
    runs: list.runs.id,
    kinds: ["video"],
  });
  const run = index.series[0].run;
  const { entries } = await getJson(server.url, `entries?run=${run}&key=rollout&first=0&count=1`);
  const { format, data } = entries[0].value;
  const part = await fetch(`${server.url}api/v1/blob?run=${run}&sha=${data.sha}&format=${format}`, {
    headers: { Range: "bytes=5-104" },
  });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get("content-range"), `bytes 5-104/${data.size}`);
  const { page, done } = await open(
    address(z({ media: { kind: "video" }, selection: { all: false, except: [run] } })),
  );
  await page.waitForFunction(
    () => document.querySelector('[data-key="clip"] img')?.naturalWidth === 32,
  );
  const frames = () => page.screenshot({ clip, animations: "allow" });
  await settled(page);
  const box = await page.locator('[data-key="clip"] img').boundingBox();
  const clip = {
    x: box.x + 4,
    y: box.y + 4,
    width: Math.max(8, box.width - 8),
    height: Math.max(8, box.height - 8),
  };
  const first = await frames();
  await eventually(async () => assert.notDeepEqual(await frames(), first, "the GIF moves"));
  if (await page.locator('[data-key="rollout"] video').count()) {
    await page
      .locator("video")
      .first()
      .evaluate((v) => ((v.muted = true), v.play()));
    await page.waitForFunction(() => document.querySelector("video").currentTime > 0.05);
  } else {
    // A build without the video module keeps the frames; the page plays them itself.
    await page.getByRole("button", { name: "Play" }).first().click();
    await page.waitForFunction(
      () => Number(document.querySelector(".media-cell canvas").dataset.frame) > 1,
    );
  }
  await done();
});

test("text as Markdown with maths, tables, Plotly figures by our own renderer", async () => {
  const index = await postJson(server.url, "entries:index", {
    runs: list.runs.id,
    kinds: ["text", "table", "figure"],
  });
  const run = index.series[0].run;
  const { page, done } = await open(address(z({ selection: { all: false, except: [run] } })));
  await page.waitForSelector(".markdown h3, .markdown p");
  await page.waitForSelector(".markdown math");
  await page.waitForSelector(".data-table tbody tr");
  const figure = page.locator(".media-cell canvas[role=img]").last();
  await figure.waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".canvas-plot canvas")].some(
      (c) =>
        c.width > 100 &&
        c
          .getContext("2d")
          .getImageData(0, 0, c.width, c.height)
          .data.some((v, i) => i % 4 === 0 && v < 200),
    ),
  );
  await done();
});

test("14: a million points and a GLB are drawn, forty panels share one context, a lost context comes back", async () => {
  const meshes = await serve(["meshes"], { options: { points: 1e6 } });
  const name = (await getJson(meshes.url, "projects")).projects[0].name;
  const { page, done } = await open(`${meshes.url}#/media?project=${encodeURIComponent(name)}`, {
    allow: ["WebGL", "GL Driver"],
  });
  await page.waitForFunction(
    () => document.querySelectorAll('canvas.mesh[data-drawn="1"]').length >= 40,
    undefined,
    { timeout: 60000 },
  );
  assert.equal(await page.evaluate(() => window.__taffrail.viewer.contexts), 1);
  const colors = (key) =>
    page.evaluate((k) => {
      const c = document.querySelector(`[data-key="${k}"] canvas`);
      const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
      const set = new Set();
      for (let i = 0; i < d.length; i += 4) set.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]);
      return set.size;
    }, key);
  assert.ok((await colors("cloud")) > 50, "the cloud is not blank");
  assert.ok((await colors("cube")) > 2, "the cube is not blank");
  // One drag turns every panel.
  const picture = (key) =>
    page.evaluate((k) => document.querySelector(`[data-key="${k}"] canvas`).toDataURL(), key);
  const [a, b] = [await picture("small/00"), await picture("cube")];
  await settled(page);
  const box = await page.locator('[data-key="cube"] canvas').boundingBox();
  await page.mouse.move(box.x + 60, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 110, box.y + 70, { steps: 3 });
  await page.mouse.up();
  await eventually(async () => assert.notEqual(await picture("small/00"), a));
  await eventually(async () => assert.notEqual(await picture("cube"), b));
  const frames = await page.evaluate(() => window.__taffrail.viewer.frames);
  await page.evaluate(() => window.__taffrail.loseContext());
  await page.waitForFunction(
    (n) => window.__taffrail.viewer.losses === 1 && window.__taffrail.viewer.frames > n,
    frames,
    { timeout: 30000 },
  );
  await settled(page);
  assert.ok((await colors("cube")) > 2, "drawn again after the loss");
  await done();
  await meshes.close();
});
