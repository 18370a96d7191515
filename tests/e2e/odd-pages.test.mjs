// Odd but legal data on the pages beside the charts: drawn, grouped or said in words, and never a
// page that does not answer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, open, painted, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const lines = 2_000_000;
const node = (name, inputs = []) => ({
  name,
  op: "Op",
  inputs,
  shape: [1],
  parameters: 1,
  device: "",
  attributes: [],
});
const chain = (n) =>
  Array.from({ length: n }, (_, i) => node(`layer${i}`, i ? [`layer${i - 1}`] : []));
const floats = (values) => Buffer.from(Float32Array.from(values).buffer);
const embedding = (count, dimensions) => ({
  kind: "embedding",
  count,
  dimensions,
  metadata: { columns: ["label"], rows: Array.from({ length: count }, (_, i) => [String(i % 3)]) },
});

let server, address;
before(async () => {
  server = await serve(["odd"], {
    options: {
      async write(open) {
        const run = await open("odd pages", {
          config: Array.from({ length: 2500 }, (_, i) => [`p${String(i).padStart(4, "0")}`, i]),
        });
        await run.scalars("a".repeat(40) + "!", [1, 2, 3]);
        await run.scalars("loss", [1, 2, 3]);
        await run.value("chain", { kind: "graph", nodes: chain(1200) });
        await run.value("flat", {
          kind: "graph",
          nodes: Array.from({ length: 20000 }, (_, i) => node(`n${i}`)),
        });
        await run.value("none", { kind: "graph", nodes: [] });
        await run.value("names", {
          kind: "graph",
          nodes: [
            node("constructor"),
            node("__proto__", ["constructor"]),
            node("toString", ["__proto__"]),
          ],
        });
        for (let i = 0; i < 8; i++)
          await run.value(`points${i}`, embedding(20, 3), [
            floats(Array.from({ length: 60 }, (_, k) => Math.sin(k * (i + 1)))),
          ]);
        await run.value("two", embedding(2, 4), [floats([0, 1, 2, 3, 4, 3, 2, 1])]);
        const some = Array.from({ length: 8000 }, (_, k) => Math.sin(k));
        some[4321] = NaN;
        await run.value("holes", embedding(1000, 8), [floats(some)]);
        await run.finish();
        const other = await open("odd other", {
          config: Array.from({ length: 2500 }, (_, i) => [`p${String(i).padStart(4, "0")}`, i + 1]),
        });
        await other.lines(lines);
        await other.finish();
      },
    },
  });
  address = (page, rest = "") => `${server.url}#/${page}?project=odd${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});

const state = (value) => "&z=" + Buffer.from(JSON.stringify(value)).toString("base64url");
const idOf = (name) => name.replace(/[^A-Za-z0-9]/g, "");

test("finding O09: a pattern with more ways to match than there is time finds what it finds, at once", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "loss");
  await page.fill("#metric-search", "(a+)+$");
  await eventually(async () =>
    assert.match(await page.locator(".page-scroll").innerText(), /No metric matches/),
  );
  await page.fill("#metric-search", "^(a+)+!$");
  await page.waitForSelector(`[data-card="${"a".repeat(40)}!"]`);
  // The address carries it: a page opened with it answers too.
  await page.fill("#metric-search", "(.*)*(.*)*x$");
  await eventually(async () => assert.match(page.url(), /search=.*x/));
  await page.reload();
  await eventually(
    async () => assert.match(await page.locator(".page-scroll").innerText(), /No metric matches/),
    20000,
  );
  await page.fill("#metric-search", "los+|x");
  await page.waitForSelector('[data-card="loss"]');
  await done();
});

test("finding O12: two million lines of output are scrolled, followed and searched to the last one", async () => {
  const { page, done } = await open(address("run", `&run=${idOf("odd other")}&tab=logs`));
  await page.waitForSelector(".console-line", { timeout: 120000 });
  const number = (at) =>
    page
      .locator(".console-line .console-number")
      .evaluateAll((all, end) => Math[end](...all.map((e) => Number(e.textContent))), at);
  const list = page.locator('.virtual[aria-label="Captured output"]');
  await list.evaluate((e) => (e.scrollTop = e.scrollHeight));
  await eventually(async () => assert.equal(await number("max"), lines), 20000);
  await eventually(
    async () =>
      assert.match(
        await page.locator(".console-line").last().innerText(),
        new RegExp(`line ${lines - 1}`),
      ),
    60000,
  );
  // A turn of the wheel moves by its pixels, here as anywhere.
  const before = await number("min");
  await list.hover();
  await page.mouse.wheel(0, -180);
  await eventually(async () => assert.equal(await number("min"), before - 10));
  await list.evaluate((e) => (e.scrollTop = 0));
  await eventually(async () => assert.equal(await number("min"), 1));
  await page.getByText("follow the end").click();
  await eventually(async () => assert.equal(await number("max"), lines), 20000);
  await page.getByText("follow the end").click();
  await page.getByLabel("Search captured output").fill("LINE 19999");
  const found = page.locator("[data-matches]");
  await eventually(
    async () => assert.equal(await found.getAttribute("data-matches"), "111"),
    120000,
  );
  await page.getByRole("button", { name: "Previous match" }).click();
  await eventually(
    async () =>
      assert.match(await page.locator(".console-line.current").innerText(), /line 1999999/),
    60000,
  );
  // Of more matches than one answer lists, the last is one click before the first.
  await page.getByLabel("Search captured output").fill("line");
  await eventually(
    async () => assert.equal(await found.getAttribute("data-matches"), String(lines)),
    120000,
  );
  await page.getByRole("button", { name: "Previous match" }).click();
  await eventually(
    async () =>
      assert.match(await page.locator(".console-line.current").innerText(), /line 1999999/),
    120000,
  );
  await done();
});

const graph = (key) => address("graph", state({ graph: { key: `${idOf("odd pages")}\n${key}` } }));

test("finding O13: a chain of more than a thousand nodes is drawn", async () => {
  const { page, done } = await open(graph("chain"));
  await page.waitForSelector('[data-node="layer1199"]', { timeout: 60000 });
  assert.equal(await page.locator("[data-node]").count(), 1200);
  const at = (id) =>
    page
      .locator(`[data-node="${id}"]`)
      .evaluate((e) => Number(/translate\([^ ]+ ([^)]+)\)/.exec(e.getAttribute("transform"))[1]));
  assert.ok((await at("layer10")) < (await at("layer11")), "inputs stand above");
  await done();
});

test("finding O13: twenty thousand nodes side by side, no nodes, and names of JavaScript", async () => {
  const { page, done } = await open(graph("flat"));
  const words = () => page.locator(".state").innerText();
  await eventually(
    async () => assert.match(await words(), /20,000 nodes are too many to draw/),
    60000,
  );
  await page.getByLabel("Search nodes").fill("n1234");
  await page.waitForSelector('[data-node="n12345"]', { timeout: 60000 });
  assert.equal(await page.locator("[data-node]").count(), 11);
  await page.getByLabel("Search nodes").fill("nowhere");
  await eventually(async () => assert.match(await words(), /No node matches/));
  await page.getByLabel("Search nodes").fill("");
  await page
    .getByRole("combobox", { name: "Graph", exact: true })
    .selectOption({ label: "odd pages · none" });
  await eventually(async () => assert.match(await words(), /The graph has no nodes/));
  await page
    .getByRole("combobox", { name: "Graph", exact: true })
    .selectOption({ label: "odd pages · names" });
  for (const name of ["constructor", "__proto__", "toString"])
    await page.waitForSelector(`[data-node="${name}"]`);
  await done();
});

const embeddings = () => address("distributions", state({ distributions: { tab: "embeddings" } }));

test("finding O15: every embedding is shown, two points explain 100 %, and a bad number costs one vector", async () => {
  const { page, done } = await open(embeddings());
  const card = (name) => page.locator(`[data-embedding="${name}"]`);
  await page.waitForSelector("[data-embedding]");
  for (const name of [
    "holes",
    "points0",
    "points1",
    "points2",
    "points3",
    "points4",
    "points5",
    "points6",
    "points7",
    "two",
  ]) {
    // Cards are made when they come into sight.
    await eventually(async () => {
      await page.locator(".page-scroll").evaluate((e) => (e.scrollTop += 300));
      assert.equal(await card(name).count(), 1, name);
    }, 60000);
  }
  const share = Number(
    await card("two").locator("[data-explained]").getAttribute("data-explained"),
  );
  assert.ok(share <= 1 && share > 0.999999, `explains ${share}`);
  assert.equal(await card("holes").locator("[data-left]").innerText(), "1 of 1,000 left out");
  const inked = await card("holes")
    .locator("canvas")
    .evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
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
  assert.ok(inked > 1000, `${inked} pixels of dots`);
  await done();
});

test("finding O16: Compare shows every one of thousands of columns", async () => {
  const { page, done } = await open(
    address("compare", state({ compared: [idOf("odd pages"), idOf("odd other")] })),
  );
  await page.waitForSelector('[role="grid"]');
  await page.getByLabel("Search rows").fill("p2499");
  await eventually(async () =>
    assert.match(await page.locator('[role="grid"]').innerText(), /p2499\s+2,499\s+2,500|p2499/),
  );
  await page.getByLabel("Search rows").fill("");
  await eventually(async () =>
    assert.match(await page.locator(".toolbar").first().innerText(), /2,50\d of 2,50\d rows/),
  );
  await settled(page);
  await done();
});
