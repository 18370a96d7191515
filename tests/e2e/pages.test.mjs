// One task per page whose shown number equals an independent computation, and the nouns of each
// page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { getJson, parseCsv, postJson } from "./api.mjs";
import { decodePng, eventually, open, painted, quit, settled } from "./browser.mjs";
import { binary, python, serve, startUi, truthOf } from "./server.mjs";

let server, project, address, list, truth;
const model = "config:model";
before(async () => {
  server = await serve(["demo"]);
  project = (await getJson(server.url, "projects")).projects[0].name;
  address = (page, rest = "") =>
    `${server.url}#/${page}?project=${encodeURIComponent(project)}${rest}`;
  list = await postJson(server.url, "runs:query", { project });
  truth = truthOf(server.truth);
});
after(async () => {
  await quit();
  await server?.close();
});
const view = (page) => page.evaluate(() => window.__taffrail.view());
const z = (state) => "&z=" + Buffer.from(JSON.stringify(state)).toString("base64url");

test("Projects: the number of runs is Python's, a click opens the project", async () => {
  const { page, done } = await open(server.url + "#/projects?search=x");
  await page.waitForSelector(".project");
  const expected = await truth(
    `json.dump(len([r for r in runs if r["project"] == "digits"]), sys.stdout)`,
  );
  await eventually(async () =>
    assert.match(
      await page.locator(".project").first().textContent(),
      new RegExp(`${expected} runs`),
    ),
  );
  await page.locator(".project").first().click();
  await painted(page, "auto:loss");
  await done();
});

test("Table: sorting by a metric puts the best run first, as Python finds it", async () => {
  const { page, done } = await open(address("table"));
  await page.waitForFunction(() => document.querySelectorAll(".grid-row .spark path").length > 3);
  await page.getByRole("columnheader", { name: /^val\/loss/ }).click();
  const expected = await truth(
    `json.dump(min((last(r["id"], "val/loss"), r["name"]) for r in runs)[1], sys.stdout)`,
  );
  await page.waitForFunction(
    (name) => document.querySelector(".grid-row .name .ellipsis")?.textContent === name,
    expected,
  );
  await eventually(async () =>
    assert.match(await page.locator(".grid-row").first().textContent(), /★/),
  );
  await page.getByRole("columnheader", { name: /^val\/loss/ }).click();
  assert.equal((await view(page)).sort[0].descending, true);
  await done();
});

test("Table: groups show mean ± deviation as Python computes them", async () => {
  const { page, done } = await open(address("table"));
  await page.waitForSelector(".grid-row");
  await page.getByRole("button", { name: "Group runs" }).click();
  await page.getByLabel("Group by").selectOption(model);
  await page.keyboard.press("Escape");
  await page.waitForSelector(".grid-row.group");
  const expected = await truth(`
g = pd.DataFrame([(r["config"]["model"], last(r["id"], "val/loss")) for r in runs], columns=["m", "v"]).groupby("m").v
json.dump({k: [int(n), float(m), float(s)] for k, n, m, s in zip(g.mean().index, g.count(), g.mean(), g.std())}, sys.stdout)`);
  await settled(page);
  const column = (await page.locator('[role="columnheader"]').allTextContents()).findIndex((t) =>
    t.startsWith("val/loss"),
  );
  await page.waitForFunction(() => /±/.test(document.querySelector(".grid-row.group").textContent));
  const rows = await page
    .locator(".grid-row.group")
    .evaluateAll(
      (l, c) => l.map((r) => [r.children[0].textContent, r.children[c].textContent]),
      column,
    );
  assert.equal(rows.length, Object.keys(expected).length);
  for (const [label, text] of rows) {
    const name = label.replace(/\s*\(\d+\)$/, "");
    const [n, mean, std] = expected[name];
    assert.ok(label.includes(`(${n})`));
    const [a, b] = text.split("±").map(Number);
    assert.ok(
      Math.abs(a - mean) < 1e-3 * mean && Math.abs(b - std) < 0.05 * std,
      `${name}: ${text} for ${mean} ± ${std}`,
    );
  }
  await done();
});

test("Table: the filter language narrows, a mistake is shown where it is", async () => {
  const { page, done } = await open(address("table"), { allow: ["400 (Bad Request)"] });
  await page.waitForSelector(".grid-row");
  await page.locator("#run-search").fill("lr<=0.001 and tag:ablation");
  const expected = await truth(
    `json.dump(sum(r["config"]["lr"] <= 0.001 and "ablation" in r["tags"] for r in runs), sys.stdout)`,
  );
  assert.ok(expected > 0 && expected < list.total);
  await page.waitForFunction(
    (n) => document.querySelector("[data-matched]").dataset.matched === String(n),
    expected,
  );
  await page.locator("#run-search").fill("lr<");
  await page.waitForSelector('.banner[role="alert"]');
  await page.locator("#run-search").fill("");
  await page.waitForFunction(
    (n) => document.querySelector("[data-matched]").dataset.matched === String(n),
    list.total,
  );
  await done();
});

test("Table: columns that differ come first, any column can be added, the table leaves as CSV", async () => {
  const { page, done } = await open(address("table"));
  await page.waitForSelector(".grid-row");
  await settled(page);
  const head = await page.locator('[role="columnheader"]').allTextContents();
  assert.ok(head.includes("lr") || head.some((h) => h.startsWith("batch")), head.join());
  assert.ok(!head.includes("data/name"), "a constant column is not among the first");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByLabel("Search columns").fill("data/name");
  await page
    .getByLabel(/data\/name/)
    .last()
    .check();
  await page.keyboard.press("Escape");
  assert.ok((await view(page)).columns.includes("config:data/name"));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export this table as CSV" }).click(),
  ]);
  const csv = parseCsv((await readFile(await download.path())).toString());
  assert.equal(csv.length - 1, list.total);
  assert.ok(csv[0].includes("config:lr"));
  await done();
});

test("Table: ticked runs are tagged, renamed, noted, coloured, archived and deleted at once; undo brings each back", async () => {
  const { page, done } = await open(address("table"));
  await page.waitForSelector(".grid-row");
  await settled(page);
  const ids = await page
    .locator(".grid-row")
    .evaluateAll((rows) =>
      rows.slice(0, 3).map((r) => r.querySelector(".name .ellipsis").textContent),
    );
  await page.getByLabel(`Tick ${ids[0]}`).click();
  await page.getByLabel(`Tick ${ids[2]}`).click({ modifiers: ["Shift"] });
  assert.equal((await view(page)).compared.length, 3);
  const toolbar = page.getByRole("toolbar", { name: "Ticked runs" });
  const answer = async (button, text, submit) => {
    await toolbar.getByRole("button", { name: button, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("input, textarea").fill(text);
    await dialog.getByRole("button", { name: submit }).click();
  };
  const state = async () =>
    (await postJson(server.url, "runs:query", { project, archived: "include", deleted: "include" }))
      .runs;
  const { compared } = await view(page);
  const of = (runs, field) => compared.map((id) => runs[field][runs.id.indexOf(id)]);
  const start = await state();
  const becomes = (field, check) => eventually(async () => check(of(await state(), field)));
  const undo = async (field) => {
    await page.locator("#main").focus();
    await page.keyboard.press("Control+z");
    await becomes(field, (now) => assert.deepEqual(now, of(start, field)));
  };
  await answer("Tag", "e2e", "Add tag");
  await becomes("tags", (now) => assert.ok(now.every((t) => t.includes("e2e"))));
  await undo("tags");
  await answer("Rename", "trial", "Rename");
  await becomes("name", (now) => assert.deepEqual(now, ["trial-1", "trial-2", "trial-3"]));
  await undo("name");
  await answer("Note", "looked *fine*", "Save note");
  await becomes("notes", (now) => assert.ok(now.every((n) => n === "looked *fine*")));
  await undo("notes");
  await toolbar.getByRole("button", { name: "Colour", exact: true }).click();
  await page
    .getByRole("button", { name: /^Colour #/ })
    .first()
    .click();
  await becomes("color", (now) => assert.ok(now.every((c) => c.startsWith("#"))));
  await undo("color");
  await page
    .getByRole("toolbar", { name: "Ticked runs" })
    .getByRole("button", { name: "Archive" })
    .click();
  await page.waitForFunction(
    (n) => Number(document.querySelector("[data-matched]").dataset.matched) === n - 3,
    list.total,
  );
  await undo("archived");
  await page.waitForFunction(
    (n) => Number(document.querySelector("[data-matched]").dataset.matched) === n,
    list.total,
  );
  await page
    .getByRole("toolbar", { name: "Ticked runs" })
    .getByRole("button", { name: "Delete" })
    .click();
  await page.waitForFunction(
    (n) => Number(document.querySelector("[data-matched]").dataset.matched) === n - 3,
    list.total,
  );
  await undo("deleted");
  await page.waitForFunction(
    (n) => Number(document.querySelector("[data-matched]").dataset.matched) === n,
    list.total,
  );
  const end = await state();
  for (const field of ["name", "tags", "notes", "color", "archived", "deleted"])
    assert.deepEqual(of(end, field), of(start, field), field);
  await done();
});

test("Compare: config, metrics and environment against a baseline; the difference is Python's", async () => {
  const ids = list.runs.id.slice(2, 5);
  const { page, done } = await open(
    address("compare", z({ compared: ids }) + `&baseline=${ids[0]}`),
  );
  await page.waitForSelector(".grid-row [data-delta]");
  const name = list.runs.name[list.runs.id.indexOf(ids[1])];
  await page.getByLabel("Search rows").fill("val/loss");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".grid-row")].some((r) => r.textContent.startsWith("val/loss")),
  );
  const row = page.locator(".grid-row", { hasText: "val/loss" }).first();
  await settled(page);
  const delta = Number(await row.locator("[data-delta]").first().getAttribute("data-delta"));
  const expected = await truth(
    `
a, b = (last(i, "val/loss") for i in data)
json.dump((b - a) / abs(a) * 100, sys.stdout)`,
    [ids[0], ids[1]],
  );
  assert.ok(Math.abs(delta - expected) < 1e-9, `${name}: ${delta} for ${expected}`);
  await page.getByLabel("Search rows").fill("");
  const only = await page.locator("[aria-rowcount]").getAttribute("aria-rowcount");
  await page.getByText("only differences").click();
  await page.waitForFunction(
    (n) =>
      Number(document.querySelector("[aria-rowcount]").getAttribute("aria-rowcount")) > Number(n),
    only,
  );
  await eventually(async () =>
    assert.ok(await page.locator("h2", { hasText: "Packages" }).count()),
  );
  await page.waitForSelector(".overview-chart .plot[data-painted]");
  await done();
});

test("Run detail: summary, config against the baseline, notes, console with search and colours, files, environment", async () => {
  const id = list.runs.id[list.runs.id.length - 1];
  const { page, done } = await open(
    address(
      "run",
      `&run=${encodeURIComponent(id)}&baseline=${encodeURIComponent(list.runs.id[0])}`,
    ),
  );
  await page.waitForSelector(".overview table");
  const lowest = await truth(
    `json.dump(float(np.nanmin(series(data, "train/loss"))), sys.stdout)`,
    id,
  );
  await settled(page);
  const metrics = (
    await page.locator(".summary-card tbody td:first-child").allTextContents()
  ).filter((name) => /^(train|val|time)\//.test(name));
  assert.equal(metrics[0], "val/loss", metrics.join());
  assert.match(metrics.at(-1), /^time/, "the machine stands behind what it computes");
  const row = await page
    .locator("tr", { hasText: "train/loss" })
    .first()
    .locator("td")
    .allTextContents();
  assert.ok(
    Math.abs(Number(row[2]) - lowest) < 1e-3 * Math.abs(lowest) + 1e-9,
    `${row} for ${lowest}`,
  );
  await page.waitForFunction(() => document.querySelectorAll(".overview .card td.warn").length > 0);
  await page.getByRole("tab", { name: "Logs" }).click();
  await page.waitForSelector(".console-line .ansi-green, .console-line span");
  const found = await truth(
    `json.dump(sum("warning" in line for line in by_id[data]["console"]), sys.stdout)`,
    id,
  );
  await page.getByLabel("Search captured output").fill("warning");
  await page.waitForFunction(
    (n) => document.querySelector("[data-matches]")?.dataset.matches === String(n),
    found,
  );
  await page.waitForSelector(".console-line mark");
  await page.waitForSelector(".console-line .ansi-yellow");
  await page.getByRole("tab", { name: "Files" }).click();
  await page.waitForSelector(".page-scroll .card, .state");
  await page.getByRole("tab", { name: "Environment" }).click();
  await page.waitForSelector(".overview .key-value");
  await page.getByRole("tab", { name: "Charts", exact: true }).click();
  await page.waitForSelector(".overview-chart .plot[data-painted]");
  await done();
});

test("Distributions: the tooltip's mean is Python's; ridge, heat and percentiles; hovering moves the shared cursor", async () => {
  const { page, done } = await open(address("distributions"));
  await page.waitForSelector("[data-histogram] canvas");
  for (const mode of ["heat", "percentiles", "ridge"]) {
    await page.getByRole("group", { name: "Form" }).getByText(mode, { exact: true }).click();
    await page.waitForTimeout(200);
  }
  await page.getByRole("group", { name: "Form" }).getByText("heat", { exact: true }).click();
  const card = page.locator("[data-histogram]").first();
  const [key, run] = [
    await card.getAttribute("data-histogram"),
    await card.getAttribute("data-run"),
  ];
  await settled(page);
  const box = await card.locator("canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 80);
  await page.waitForSelector(".tooltip");
  const text = await page.locator(".tooltip").last().textContent();
  const [, step] = /steps? ([\d,]+)/.exec(text);
  const mean = Number(/mean (\S+)/.exec(text)[1]);
  const wanted = Number(step.replaceAll(",", ""));
  const expected = await truth(
    `
h = next(e["value"] for e in entries(data["run"], data["key"]) if e["step"] == data["step"])
json.dump(h["sum"] / sum(h["counts"]), sys.stdout)`,
    { run, key, step: wanted },
  );
  assert.ok(
    Math.abs(mean - expected) < 2e-3 * Math.abs(expected) + 1e-6,
    `${mean} for ${expected}`,
  );
  await done();
});

test("PR curves: the area is Python's trapezoid", async () => {
  const { page, done } = await open(address("distributions", z({ distributions: { tab: "pr" } })));
  await page.waitForSelector("[data-area]");
  await settled(page);
  const key = await page.locator("[data-pr]").first().getAttribute("data-pr");
  const shownName = await page
    .locator("[data-pr] tbody tr")
    .first()
    .locator("td")
    .first()
    .textContent();
  const run = list.runs.id[list.runs.name.indexOf(shownName)];
  const expected = await truth(
    `
v = entries(data["run"], data["key"])[-1]["value"]
p = sorted(zip(v["recall"], v["precision"]))
json.dump(sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(p, p[1:])), sys.stdout)`,
    { run, key },
  );
  await eventually(async () =>
    assert.ok(
      Math.abs(
        Number(await page.locator("[data-area]").first().getAttribute("data-area")) - expected,
      ) < 1e-6,
    ),
  );
  await done();
});

test("Embeddings: two principal components explain what Python says; 3D turns", async () => {
  const { page, done } = await open(
    address("distributions", z({ distributions: { tab: "embeddings" } })),
  );
  await page.waitForSelector("[data-explained]");
  await settled(page);
  const index = await postJson(server.url, "entries:index", {
    runs: list.runs.id,
    kinds: ["embedding"],
  });
  const s = index.series[0];
  const card = page.locator(`[data-embedding="${s.key}"][data-run="${s.run}"]`);
  const shown = Number(await card.locator("[data-explained]").getAttribute("data-explained"));
  const { entries } = await getJson(
    server.url,
    `entries?run=${encodeURIComponent(s.run)}&key=${encodeURIComponent(s.key)}&first=${s.step.length - 1}&count=1`,
  );
  const value = entries[0].value;
  const bytes = Buffer.from(
    await (
      await fetch(
        `${server.url}api/v1/blob?run=${encodeURIComponent(s.run)}&sha=${value.vectors.sha}`,
      )
    ).arrayBuffer(),
  );
  const vectors = Array.from({ length: value.count }, (_, i) =>
    Array.from({ length: value.dimensions }, (_, d) =>
      bytes.readFloatLE((i * value.dimensions + d) * 4),
    ),
  );
  const expected = await python(
    `
import json, sys
x = json.load(sys.stdin); n = len(x); k = len(x[0])
m = [sum(r[j] for r in x) / n for j in range(k)]
x = [[r[j] - m[j] for j in range(k)] for r in x]
c = [[sum(r[i] * r[j] for r in x) for j in range(k)] for i in range(k)]
total = sum(c[i][i] for i in range(k))
# Jacobi rotations: another method than the page's.
import math
for sweep in range(60):
    p, q = max(((i, j) for i in range(k) for j in range(i + 1, k)), key=lambda a: abs(c[a[0]][a[1]]))
    for p in range(k):
        for q in range(p + 1, k):
            if abs(c[p][q]) < 1e-12: continue
            t = 0.5 * math.atan2(2 * c[p][q], c[q][q] - c[p][p]); co, si = math.cos(t), math.sin(t)
            for i in range(k): c[i][p], c[i][q] = co * c[i][p] - si * c[i][q], si * c[i][p] + co * c[i][q]
            for i in range(k): c[p][i], c[q][i] = co * c[p][i] - si * c[q][i], si * c[p][i] + co * c[q][i]
e = sorted((c[i][i] for i in range(k)), reverse=True)
json.dump((e[0] + e[1]) / total, sys.stdout)`,
    vectors,
  );
  assert.ok(Math.abs(shown - expected) < 1e-3, `${shown} for ${expected}`);
  await page.getByRole("group", { name: "Dimensions" }).getByText("3D").click();
  await eventually(async () =>
    assert.ok(
      Number(await card.locator("[data-explained]").getAttribute("data-explained")) > shown,
    ),
  );
  await done();
});

test("Embeddings: a pointed-at vector shows its own thumbnail", async () => {
  const folder = mkdtempSync(join(tmpdir(), "taffrail-thumbnails-"));
  const root = join(folder, "runs");
  execFileSync(binary, ["demo", "generate", "--root", root, "--runs", "2", "--points", "80"]);
  const ui = await startUi(root, { state: join(folder, "state") });
  const { page, done } = await open(
    `${ui.url}#/distributions?project=digits${z({ distributions: { tab: "embeddings" } })}`,
  );
  const card = page.locator("[data-embedding]").first();
  await card.locator("[data-explained]").waitFor();
  await settled(page);
  const box = await card.locator("canvas").boundingBox();
  const thumbnail = page.locator(".tooltip .thumbnail");
  for (let i = 0; i < 400 && !(await thumbnail.count()); i++)
    await page.mouse.move(
      box.x + box.width * (0.15 + ((i * 0.13) % 0.8)),
      box.y + box.height * (0.05 + ((i * 0.0317) % 0.85)),
    );
  const run = await card.getAttribute("data-run");
  const { entries } = await getJson(ui.url, `entries?run=${run}&key=latent&first=0&count=1`);
  const { sprite, count, thumbnail_width: side } = entries[0].value;
  const reply = await fetch(`${ui.url}api/v1/blob?run=${run}&sha=${sprite.sha}`);
  const all = decodePng(Buffer.from(await reply.arrayBuffer()));
  const i = Number(/vector (\d+)/.exec(await page.locator(".tooltip").innerText())[1]);
  await settled(page);
  const shown = decodePng(await thumbnail.screenshot());
  const columns = Math.ceil(Math.sqrt(count));
  const scale = shown.width / side;
  const at = (picture, x, y) =>
    picture.data[(Math.floor(y) * picture.width + Math.floor(x)) * picture.channels];
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      assert.equal(
        at(shown, (x + 0.5) * scale, (y + 0.5) * scale),
        at(all, (i % columns) * side + x, Math.floor(i / columns) * side + y),
        `pixel ${x}, ${y} of vector ${i}`,
      );
  await done();
  await ui.close();
  rmSync(folder, { recursive: true, force: true });
});

test("finding M09: t-SNE of embeddings is computed beside the page and kept in the address", async () => {
  const { page, done } = await open(
    address("distributions", z({ distributions: { tab: "embeddings" } })),
  );
  await page.waitForSelector("[data-explained]");
  const vectors = await page
    .locator("[data-embedding] canvas")
    .first()
    .evaluate((c) => Number(/of (\d+) vectors/.exec(c.getAttribute("aria-label"))?.[1]));
  await page.getByRole("group", { name: "Projection" }).getByText("t-SNE").click();
  const chip = page.locator("[data-projected]").first();
  await chip.waitFor();
  assert.equal(Number(await chip.getAttribute("data-projected")), Math.min(1500, vectors));
  assert.equal(await page.locator("[data-explained]").count(), 0);
  const other = await open(page.url());
  await other.page.locator("[data-projected]").first().waitFor();
  await other.done();
  await done();
});

test("System: every GPU has its strip, its value is Python's, hosts can be told apart", async () => {
  const run = list.runs.id.find((_, i) => list.runs.world_size[i] > 1) ?? list.runs.id[0];
  const { page, done } = await open(address("system", `&run=${encodeURIComponent(run)}`));
  await page.waitForSelector(".plot-card canvas");
  await page.waitForSelector(".overview-chart .plot[data-painted]");
  const { keys } = await getJson(server.url, `keys?run=${encodeURIComponent(run)}`);
  const gpus = keys.filter((k) => /gpu\/\d+\/percent$/.test(k.key)).length;
  assert.ok(gpus >= 4);
  const card = page.locator(".plot-card", {
    has: page.locator(`canvas[aria-label^="GPU percent of"]`),
  });
  await eventually(async () =>
    assert.match(
      await card.locator("canvas").getAttribute("aria-label"),
      new RegExp(`of ${gpus} GPUs`),
    ),
  );
  await settled(page);
  const box = await card.locator("canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 18);
  await page.waitForSelector(".tooltip");
  const [, host, gpu, at, value] = /gpu (\w+):(\d+) · step ([\d,]+)\s+(\S+)/.exec(
    await page.locator(".tooltip").last().textContent(),
  );
  const expected = await truth(
    `
s = series(data["run"], data["key"])
json.dump(s.loc[data["at"]], sys.stdout)`,
    { run, key: `system/${host}/gpu/${gpu}/percent`, at: Number(at.replaceAll(",", "")) },
  );
  assert.ok(
    Math.abs(expected - Number(value)) < 0.001 * expected + 0.01,
    `${value} for ${expected}`,
  );
  // Readings of the machine itself have one line for each host.
  const cpu = page.locator('[data-reading="cpu/percent"]');
  await eventually(async () =>
    assert.deepEqual(
      (await cpu.locator(".legend span:not(.swatch)").allTextContents()).filter(Boolean),
      ["n17", "n18"],
    ),
  );
  await cpu.scrollIntoViewIfNeeded();
  await settled(page);
  const load = await cpu.locator(".plot").boundingBox();
  await page.mouse.move(load.x + load.width / 2, load.y + load.height / 2);
  await page.waitForSelector(".tooltip [data-exact]");
  await eventually(async () =>
    assert.equal(await page.locator(".tooltip [data-exact]").count(), 2),
  );
  const shown = await page
    .locator(".tooltip tr")
    .evaluateAll((rows) =>
      rows.map((r) => [
        r.children[1].textContent,
        Number(r.querySelector("[data-exact]").dataset.exact),
      ]),
    );
  const truly = await truth(
    `json.dump([[k, bool((series(data["run"], k) == v).any())] for k, v in data["shown"]], sys.stdout)`,
    { run, shown },
  );
  assert.deepEqual(truly.sort(), [
    ["system/n17/cpu/percent", true],
    ["system/n18/cpu/percent", true],
  ]);
  await page.getByRole("group", { name: "Hosts" }).getByText("n18").click();
  await page.waitForSelector(`canvas[aria-label="GPU percent of ${gpus / 2} GPUs over step"]`);
  await page.getByRole("group", { name: "GPUs" }).getByText("lines").click();
  await page.waitForFunction(() => document.querySelectorAll(".plot-card canvas").length === 0);
  await done();
});

test("System: a run of one machine, whose readings name no host, is shown as before", async () => {
  const run = list.runs.id.find((_, i) => list.runs.world_size[i] === 1);
  const { page, done } = await open(address("system", `&run=${encodeURIComponent(run)}`));
  await page.waitForSelector('canvas[aria-label="GPU percent of 2 GPUs over step"]');
  await page.waitForSelector('[data-reading="cpu/percent"] .plot[data-painted]');
  await eventually(async () =>
    assert.equal(await page.getByRole("group", { name: "Hosts" }).count(), 0),
  );
  await eventually(async () =>
    assert.equal(await page.locator('[data-reading="cpu/percent"] .legend').count(), 0),
  );
  await done();
});

test("Graph: parameters of a group are the sum of its nodes; groups open and fold", async () => {
  const { page, done } = await open(address("graph"));
  await page.waitForSelector("[data-node]");
  const s = (await postJson(server.url, "entries:index", { runs: list.runs.id, kinds: ["graph"] }))
    .series[0];
  const total = await truth(
    `json.dump(sum(n["parameters"] for n in entries(data, "graph")[-1]["value"]["nodes"]), sys.stdout)`,
    s.run,
  );
  await eventually(async () =>
    assert.equal(
      Number(await page.locator("[data-parameters]").getAttribute("data-parameters")),
      total,
    ),
  );
  await settled(page);
  const before = await page.locator("[data-node]").count();
  await page.locator('.graph-node[aria-label*="group"]').first().click();
  await page.waitForFunction((n) => document.querySelectorAll("[data-node]").length > n, before);
  await page.getByRole("button", { name: /^Fold/ }).click();
  await page.waitForFunction((n) => document.querySelectorAll("[data-node]").length === n, before);
  await done();
});

test("Settings: theme, density, and as many runs in the trash as were deleted", async () => {
  const id = list.runs.id[1];
  await postJson(server.url, "edits", { edits: [{ runs: [id], deleted: true }] });
  const { page, done } = await open(address("settings"));
  await page.waitForSelector(".plain-table");
  const expected = await truth(
    `json.dump([r["name"] for r in runs if r["id"] in data], sys.stdout)`,
    [id],
  );
  await eventually(async () =>
    assert.deepEqual(
      await page.locator(".plain-table tbody tr td:first-child").allTextContents(),
      expected,
    ),
  );
  await page.getByRole("button", { name: "Restore" }).click();
  await page.waitForFunction(() => !document.querySelector(".plain-table"));
  assert.ok((await postJson(server.url, "runs:query", { project })).runs.id.includes(id));
  await page.getByRole("group", { name: "Density" }).getByText("compact").click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.density), "compact");
  await page.getByRole("group", { name: "Density" }).getByText("normal").click();
  await done();
});

test("read-only: changes are refused in plain words, nothing is lost", async () => {
  const locked = await serve(["demo"], { readOnly: true, options: { runs: 3, points: 50 } });
  const name = (await getJson(locked.url, "projects")).projects[0].name;
  const { page, done } = await open(`${locked.url}#/table?project=${encodeURIComponent(name)}`, {
    allow: ["403"],
  });
  await page.waitForSelector(".grid-row");
  await eventually(async () => assert.equal(await page.getByText("read-only").count(), 1));
  await page.locator(".grid-row input").first().click();
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await page.waitForSelector(".toast.bad");
  await eventually(async () =>
    assert.match(await page.locator(".toast.bad").textContent(), /read-only/),
  );
  await done();
  await locked.close();
});

test("empty: a folder without runs tells what to do and fills by itself", async () => {
  const empty = await serve(["empty"]);
  const { page, done } = await open(empty.url);
  await page.getByText("Waiting for the first run").waitFor();
  await eventually(async () =>
    assert.match(
      (await page.locator("pre").allTextContents()).join(),
      /taffrail\.init\(project=.*taffrail::init\(/s,
    ),
  );
  await done();
  await empty.close();
});

test("empty: a page of no project waits too, and opens the first one that appears", async () => {
  let begin;
  const empty = await serve(["odd"], { options: { write: async (open) => void (begin = open) } });
  const { page, done } = await open(`${empty.url}#/charts`);
  await page.getByText("Waiting for the first run").waitFor();
  const run = await begin("first");
  await run.scalars("val/loss", [2, 1]);
  await empty.writers[0].sync();
  await page.locator(".run-row", { hasText: "first" }).waitFor();
  await painted(page, "val/loss");
  await done();
  await empty.close();
});
