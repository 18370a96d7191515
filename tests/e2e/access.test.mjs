// Accessibility, themes, phones.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { getJson, postJson } from "./api.mjs";
import { decodePng, eventually, open, painted, quit, settled } from "./browser.mjs";
import { test } from "./measured.mjs";
import { serve } from "./server.mjs";

const slow = Number(process.env.TAFFRAIL_E2E_SLOW ?? 1);
let server, address, run;
before(async () => {
  server = await serve(["demo"], { options: { runs: 8, points: 400 } });
  const project = (await getJson(server.url, "projects")).projects[0].name;
  run = (await postJson(server.url, "runs:query", { project })).runs.id[0];
  address = (page, rest = "") =>
    `${server.url}#/${page}?project=${encodeURIComponent(project)}${page === "run" ? `&run=${encodeURIComponent(run)}` : ""}${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});
const pages = [
  "projects",
  "charts",
  "table",
  "run",
  "compare",
  "media",
  "distributions",
  "hparams",
  "system",
  "graph",
  "profile",
  "settings",
];

/** Names, roles and contrast of everything on show. */
async function audit(page) {
  return page.evaluate(() => {
    const problems = [];
    const shown = (e) =>
      e.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true }) ??
      e.offsetParent !== null;
    const nameOf = (e) =>
      (e.getAttribute("aria-label") ?? "").trim() ||
      [...(e.labels ?? [])]
        .map((l) => l.textContent)
        .join(" ")
        .trim() ||
      (e.getAttribute("title") ?? "").trim() ||
      e.textContent.trim() ||
      e.getAttribute("placeholder");
    for (const e of document.querySelectorAll(
      "button, a[href], input, select, textarea, [role=button], [role=slider], [role=tab], [role=img]",
    ))
      if (shown(e) && !nameOf(e)) problems.push(`no name: ${e.outerHTML.slice(0, 120)}`);
    for (const e of document.querySelectorAll("img"))
      if (!e.hasAttribute("alt")) problems.push(`no alt: ${e.outerHTML.slice(0, 100)}`);
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    for (const id of ids)
      if (ids.filter((i) => i === id).length > 1) problems.push(`two elements are called ${id}`);
    if (!document.documentElement.lang) problems.push("no lang");
    if (document.querySelectorAll("main").length !== 1) problems.push("not one main");
    const parse = (c) => {
      const m = c.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
      return c.startsWith("color(srgb")
        ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1]
        : [m[0], m[1], m[2], m[3] ?? 1];
    };
    const over = (top, bottom) =>
      top.slice(0, 3).map((v, i) => v * top[3] + bottom[i] * (1 - top[3]));
    const light = (c) =>
      c
        .map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const seen = new Set();
    while (walker.nextNode()) {
      const e = walker.currentNode.parentElement;
      if (
        !walker.currentNode.textContent.trim() ||
        seen.has(e) ||
        !shown(e) ||
        e.closest("svg, [aria-hidden=true], :disabled, .visually-hidden, noscript")
      )
        continue;
      seen.add(e);
      const style = getComputedStyle(e);
      let ground = [255, 255, 255];
      const stack = [];
      let opacity = 1;
      for (let p = e; p; p = p.parentElement) {
        stack.unshift(parse(getComputedStyle(p).backgroundColor));
        opacity *= Number(getComputedStyle(p).opacity);
      }
      for (const layer of stack) ground = over(layer, ground);
      const color = parse(style.color);
      color[3] *= opacity;
      const [a, b] = [light(over(color, ground)), light(ground)].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      const large =
        parseFloat(style.fontSize) >= 18.66 ||
        (parseFloat(style.fontSize) >= 14 && Number(style.fontWeight) >= 700);
      if (ratio < (large ? 3 : 4.45))
        problems.push(
          `contrast ${ratio.toFixed(2)}: "${walker.currentNode.textContent.trim().slice(0, 30)}" ${style.color}`,
        );
    }
    for (const e of document.querySelectorAll("button, input[type=checkbox], select")) {
      const box = e.getBoundingClientRect();
      const target = e.closest("label")?.getBoundingClientRect() ?? box;
      if (shown(e) && box.width > 0 && Math.max(target.height, box.height) < 15)
        problems.push(`small target: ${e.outerHTML.slice(0, 100)}`);
    }
    return [...new Set(problems)];
  });
}

for (const name of pages) {
  test(`21: ${name}: names, roles and contrast in both themes; the keyboard reaches its controls; nothing scrolls sideways on a phone or at 200 %`, async () => {
    const { page, done } = await open(address(name));
    await page.waitForSelector(`[data-page="${name}"]`);
    await settled(page, 300);
    assert.deepEqual(await audit(page), [], "light");
    const reached = new Set();
    let ringed = 0;
    for (let i = 0; i < 45; i++) {
      await page.keyboard.press("Tab");
      const [what, ring] = await page.evaluate(() => {
        const e = document.activeElement;
        return [
          e === document.body
            ? ""
            : (e.getAttribute("aria-label") ?? e.textContent.slice(0, 40)) + e.tagName,
          getComputedStyle(e).outlineStyle !== "none" || getComputedStyle(e).boxShadow !== "none",
        ];
      });
      if (what) reached.add(what);
      if (ring) ringed++;
    }
    assert.ok(reached.size >= 12, `${reached.size} stops`);
    assert.ok(ringed >= reached.size * 0.7, `${ringed} of ${reached.size} show their focus`);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    await settled(page, 300);
    assert.deepEqual(await audit(page), [], "dark");
    if (name !== "media" && name !== "run")
      assert.ok((await whiteShare(page)) < 0.0005, "22: nothing stays white in the dark theme");
    for (const [what, width, height] of [
      ["a phone", 390, 844],
      ["200 %", 720, 450],
    ]) {
      await page.setViewportSize({ width, height });
      await settled(page, 150);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${what}: ${wide} pixels too wide`);
    }
    await done();
  });
}

test("21: arrow keys move the cursor of a chart, Shift by ten, Enter pins; the tooltip is announced", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"));
  const plot = await painted(page, "train/loss");
  await plot.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector('.tooltip[role="status"]');
  const step = async () =>
    Number(
      /step ([\d,]+)/
        .exec(await page.locator(".tooltip .title").textContent())[1]
        .replaceAll(",", ""),
    );
  const first = await step();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(
    (s) =>
      !document
        .querySelector(".tooltip .title")
        .textContent.includes(`step ${s.toLocaleString("en")}`),
    first,
  );
  const second = await step();
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForTimeout(150);
  assert.ok((await step()) - second >= 5 * (second - first));
  await page.keyboard.press("Enter");
  await page.waitForSelector(".pin-strip");
  await eventually(async () =>
    assert.match(await plot.getAttribute("aria-label"), /series, \d+ points, last values/),
  );
  await done();
});

test("a popover hears Escape from its first moment, and gives the focus back", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  await page.evaluate(async () => {
    const opened = new Promise((resolve) =>
      new MutationObserver(
        (_, watch) => document.querySelector(".popover") && (watch.disconnect(), resolve()),
      ).observe(document.body, { childList: true }),
    );
    const button = document.querySelector('[aria-label="Axes and drawing"]');
    button.focus();
    button.click();
    await opened; // no frame has been shown since
    document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Escape", bubbles: true }),
    );
  });
  await eventually(async () => assert.equal(await page.locator(".popover").count(), 0));
  assert.equal(
    await page.evaluate(() => document.activeElement.getAttribute("aria-label")),
    "Axes and drawing",
  );
  await done();
});

test("21: dialogs keep focus inside and give it back", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  const button = page.getByRole("button", { name: /Keyboard map/ });
  await button.click();
  const dialog = page.getByRole("dialog", { name: "Keyboard map" });
  await dialog.waitFor();
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press("Tab");
    assert.ok(
      await page.evaluate(() =>
        document.querySelector('[role="dialog"]').contains(document.activeElement),
      ),
    );
  }
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector('[role="dialog"]'));
  await page.waitForFunction(() =>
    /Keyboard map/.test(document.activeElement.getAttribute("aria-label") ?? ""),
  );
  await done();
});

test("phone: the run list is a sheet, one chart per row, a tap shows the cursor", async () => {
  const { page, done } = await open(address("charts"), { width: 390, height: 844, touch: true });
  const plot = await painted(page, "auto:loss");
  await eventually(async () => assert.ok(!(await page.locator(".sidebar").isVisible())));
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await page.locator(".sidebar").waitFor({ state: "visible" });
  await page.getByRole("button", { name: "Close the run list" }).click();
  const lefts = () =>
    page
      .locator(".chart-card")
      .evaluateAll((l) => new Set(l.map((c) => c.getBoundingClientRect().left)).size);
  await eventually(async () => assert.equal(await lefts(), 1));
  await settled(page);
  const box = await plot.boundingBox();
  await page.touchscreen.tap(box.x + 150, box.y + 80);
  await page.waitForSelector(".tooltip");
  await done();
});

test("22: light, dark and the system's change while open; charts are repainted within 200 ms", async () => {
  const { page, done } = await open(address("charts", "&search=train/loss"));
  await painted(page, "train/loss");
  await settled(page);
  const times = [];
  for (const colorScheme of ["dark", "light", "dark", "light", "dark"]) {
    // Measured in the page: from the change of the theme to the picture in its colours.
    const watch = page.evaluate(
      (want) =>
        new Promise((resolve) => {
          const plot = document.querySelector('[data-card="train/loss"] .plot');
          const before = Number(plot.dataset.painted);
          let began = 0;
          const look = () => {
            if (!began && matchMedia("(prefers-color-scheme: dark)").matches === (want === "dark"))
              began = performance.now();
            if (
              began &&
              document.documentElement.dataset.theme === want &&
              Number(plot.dataset.painted) > before
            )
              resolve(performance.now() - began);
            else requestAnimationFrame(look);
          };
          look();
        }),
      colorScheme,
    );
    await page.emulateMedia({ colorScheme });
    times.push(await watch);
    await settled(page, 100);
  }
  times.sort((a, b) => a - b);
  assert.ok(times[2] <= 200 * slow, `${times.map((t) => t.toFixed(0))} ms`);
  await done();
});

/** Share of pure white pixels on show. */
async function whiteShare(page) {
  const { width, height, channels, data } = decodePng(await page.screenshot());
  let white = 0;
  for (let i = 0; i < width * height; i++)
    if (
      data[i * channels] === 255 &&
      data[i * channels + 1] === 255 &&
      data[i * channels + 2] === 255
    )
      white++;
  return white / (width * height);
}

test("reduced motion and forced colours are honoured", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  assert.equal(
    await page.evaluate(
      () => getComputedStyle(document.querySelector(".icon-button")).transitionDuration,
    ),
    "0s",
  );
  await page.emulateMedia({ forcedColors: "active" });
  await painted(page, "auto:loss");
  await done();
});
