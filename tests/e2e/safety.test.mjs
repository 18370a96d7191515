// Hostile names and contents, base paths, air gap, upgrades, sizes.
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { getJson, postJson } from "./api.mjs";
import { open, painted, quit } from "./browser.mjs";
import { bundle, serve } from "./server.mjs";

after(quit);

test("18: scripts in names, tags, notes, texts, tables, figures and output never run; the policy has nothing to report", async () => {
  const server = await serve(["hostile"]);
  const project = (await getJson(server.url, "projects")).projects[0].name;
  const run = (await postJson(server.url, "runs:query", { project })).runs.id[0];
  const { page, done } = await open(`${server.url}#/charts?project=${encodeURIComponent(project)}`);
  const reports = [];
  await page.exposeFunction("__report", (r) => reports.push(r));
  await page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (e) =>
      window.__report(e.violatedDirective + " " + e.blockedURI),
    ),
  );
  for (const where of [
    "charts",
    "table",
    "compare",
    "media",
    "distributions",
    "hparams",
    "system",
    "graph",
    "profile",
    "settings",
    "projects",
    ...["overview", "charts", "media", "logs", "files", "environment"].map(
      (t) => `run&run=${encodeURIComponent(run)}&tab=${t}`,
    ),
  ]) {
    const [name, ...rest] = where.split("&");
    await page.goto(
      `${server.url}#/${name}?project=${encodeURIComponent(project)}${rest.length ? "&" + rest.join("&") : ""}`,
    );
    await page.reload();
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => window.__pwned), undefined, where);
    assert.equal(await page.locator("iframe, object, embed").count(), 0, where);
    const links = await page
      .locator("a[href]")
      .evaluateAll((l) =>
        l
          .map((a) => a.getAttribute("href"))
          .filter((h) => /^\s*(javascript|data:text|vbscript):/i.test(h)),
      );
    assert.deepEqual(links, [], where);
  }
  assert.deepEqual(reports, []);
  const ticket = await postJson(server.url, "exports", { format: "csv", runs: [run] });
  const csv = await (await fetch(new URL(ticket.href, server.url))).text();
  assert.ok(!/(^|,)[=+@]/m.test(csv), "no cell of the CSV is a formula");
  await done();
  await server.close();
});

test("A page of HTML is shown in a frame that runs and loads nothing", async () => {
  const html = Buffer.from(
    `<h1 style="color: red">said</h1><img src="http://127.0.0.1:9/x.png"><img src=x onerror="parent.__pwned = 1">` +
      `<script>parent.__pwned = 1; top.location = "about:blank";</script><a href="http://127.0.0.1:9/" target="_top">away</a>`,
  );
  const page_of = (paths) => ({
    kind: "artifact",
    name: "report",
    type: "html-file",
    version: "",
    paths,
    metadata: [],
  });
  const server = await serve(["odd"], {
    options: {
      write: async (newRun) => {
        const run = await newRun("pages");
        for (let step = 0; step < 5; step++)
          await run.value("report", page_of(["page.html"]), [html], step);
        await run.finish();
      },
    },
  });
  const run = (await postJson(server.url, "runs:query", { project: "odd" })).runs.id[0];
  const { page, done } = await open(
    `${server.url}#/run?project=odd&run=${encodeURIComponent(run)}&tab=files`,
    // What the browser says when it refuses.
    {
      allow: [
        "Blocked script execution in 'about:srcdoc'",
        "violates the following Content Security Policy directive",
        "ERR_BLOCKED_BY_RESPONSE",
        "csp",
        "Unsafe attempt to initiate navigation",
      ],
    },
  );
  const frames = page.locator("iframe.html-page");
  await frames.first().waitFor();
  assert.equal(
    await page.frameLocator("iframe.html-page").first().locator("h1").textContent(),
    "said",
  );
  assert.equal(await frames.first().getAttribute("sandbox"), "");
  await page.frameLocator("iframe.html-page").first().getByText("away").click();
  await page.getByRole("button", { name: "Show" }).first().click();
  await page.waitForFunction(() => document.querySelectorAll("iframe.html-page").length === 4);
  assert.equal(await page.evaluate(() => window.__pwned), undefined);
  assert.match(page.url(), /#\/run\?/);
  await done();
  await server.close();
});

test("23: the page works below a base path", async () => {
  const server = await serve(["demo"], { base: "/x/y", options: { runs: 3, points: 200 } });
  assert.match(server.url, /\/x\/y\/$/);
  const { page, done } = await open(server.url);
  await painted(page, "auto:loss");
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await page.waitForSelector(".media-cell img");
  assert.ok(page.url().includes("/x/y/"));
  await done();
  await server.close();
});

test("23: nothing in the bundle points elsewhere", () => {
  const allowed = /^https?:\/\/(www\.w3\.org|localhost|127\.0\.0\.1)/;
  for (const file of readdirSync(join(bundle, "assets"))) {
    const text = readFileSync(join(bundle, "assets", file), "utf8");
    for (const [url] of text.matchAll(/https?:\/\/[a-z0-9.-]+\.[a-z]{2,}/gi))
      assert.ok(allowed.test(url), `${file}: ${url}`);
  }
});

test("23: an open tab reloads itself after the server was upgraded", async () => {
  const server = await serve(["demo"], { options: { runs: 3, points: 100 } });
  const { page, done } = await open(server.url, {
    allow: [
      "ERR_CONNECTION",
      "ERR_INCOMPLETE_CHUNKED_ENCODING",
      "ERR_EMPTY_RESPONSE",
      "Failed to load resource",
    ],
  });
  await painted(page, "auto:loss");
  await page.evaluate(() => (window.__old = true));
  // The next version: the same page with another name of its style sheet.
  const next = join(server.folder, "next");
  cpSync(bundle, next, { recursive: true });
  const html = readFileSync(join(next, "index.html"), "utf8");
  const [style] = /style-\w+\.css/.exec(html);
  renameSync(join(next, "assets", style), join(next, "assets", "style-NEXT.css"));
  writeFileSync(join(next, "index.html"), html.replace(style, "style-NEXT.css"));
  await server.stop();
  await server.again({ ui: next });
  await page.waitForFunction(() => !window.__old);
  await painted(page, "auto:loss");
  assert.equal(await page.evaluate(() => window.__old), undefined);
  await done();
  await server.close();
});

test("24: first load and everything fit their budgets; every shipped package is in the licences file once", () => {
  const sizes = JSON.parse(readFileSync(join(bundle, "sizes.json"), "utf8"));
  const gz = (file) => gzipSync(readFileSync(join(bundle, file)), { level: 9 }).length;
  const first = sizes.files
    .filter((f) => f.first)
    .reduce((n, f) => n + gz(f.file === "index.html" ? f.file : "assets/" + f.file), 0);
  const total = readdirSync(join(bundle, "assets")).reduce(
    (n, f) => n + gz("assets/" + f),
    gz("index.html"),
  );
  assert.ok(first <= 120_000, `first load ${first}`);
  assert.ok(total <= 450_000, `all ${total}`);
  // Later parts, by what they are for.
  const chunk = (name) =>
    readdirSync(join(bundle, "assets"))
      .filter((f) => f.startsWith(name))
      .reduce((n, f) => n + gz("assets/" + f), 0);
  for (const [name, most] of [
    ["style", 12],
    ["mesh_panel", 170],
    ["graph", 22],
    ["layout", 22],
    ["markdown", 32],
    ["temml", 60],
    ["hparams", 8],
  ]) {
    assert.ok(chunk(name) > 0, `there is a part called ${name}`);
    assert.ok(chunk(name) <= most * 1000, `${name} ${chunk(name)}`);
  }
  const text = readFileSync(join(bundle, "licences.txt"), "utf8");
  for (const name of [
    "preact",
    "@preact/signals",
    "marked",
    "dompurify",
    "temml",
    "@dagrejs/dagre",
  ])
    assert.equal(text.split(`==== ${name} `).length, 2, name);
  assert.match(text, /Permission is hereby granted/);
});
