// The profile page: in every tab one task whose number Python finds in the trace by itself, hostile
// traces through all of them, keyboard, address, themes.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { getJson } from "./api.mjs";
import { eventually, open, quit, settled } from "./browser.mjs";
import { python, startUi } from "./server.mjs";

const data = join(dirname(fileURLToPath(import.meta.url)), "../data/profile");
const resnet = join(data, "resnet50-workers-0.pt.trace.json.gz");
const resnet4 = join(data, "resnet50-workers-4.pt.trace.json.gz");
const torch = join(data, "torch-2.11.pt.trace.json.gz");
const folded = "main;train;forward 70\nmain;train;backward 20\nmain;load;read 8\nmain;load 2\n";
const axe = readFileSync(
  createRequire(new URL("../../web/package.json", import.meta.url)).resolve("axe-core/axe.min.js"),
  "utf8",
);
export const tabs = [
  "overview",
  "flame",
  "icicle",
  "sunburst",
  "timeline",
  "operators",
  "kernels",
  "memory",
  "modules",
  "distributed",
  "diff",
];

let folder, server, names;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "taffrail-profile-"));
  process.env.XDG_CACHE_HOME = join(folder, "cache");
  mkdirSync(process.env.XDG_CACHE_HOME);
  const stacks = join(folder, "stacks.folded");
  writeFileSync(stacks, folded);
  server = await startUi([resnet, resnet4, torch, stacks], { state: join(folder, "state") });
  names = (await getJson(server.url, "profiles")).profiles.map((p) => p.name);
});
after(async () => {
  await quit();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const z = (profile) => "?z=" + Buffer.from(JSON.stringify({ profile })).toString("base64url");
const address = (tab, which = 0, more = {}) =>
  `${server.url.split("#")[0]}#/profile${z({ tab, name: names[which], ...more })}`;
const state = (page) => page.evaluate(() => window.__taffrail.view().profile);

/** Python over the events of a trace, read with its own json and gzip. */
const truth = (path, lines, given = null) =>
  python(
    `
import gzip, json, sys
given = json.load(sys.stdin)
trace = json.load(gzip.open(given["path"]))
events = trace["traceEvents"] if isinstance(trace, dict) else trace
spans = [e for e in events if e.get("ph") == "X"]
ns = lambda us: round(us * 1000)
given = given["given"]
${lines}`,
    { path, given },
  );

test("Profile overview: the mean step and its kernels are Python's, and the parts are the whole", async () => {
  const { page, done } = await open(address("overview", 2));
  await page.waitForSelector('[data-part="kernel"]');
  const number = async (selector) => Number(await page.locator(selector).getAttribute("data-ns"));
  // A step lasts until its last kernel has ended; each moment with a kernel counts once.
  const expected = await truth(
    torch,
    `
launches = {e["args"]["correlation"]: e for e in spans if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {})}
device = [e for e in spans if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
steps, before = [], 0
for e in sorted((e for e in spans if e["name"].startswith("ProfilerStep#") and e["cat"] == "user_annotation"), key=lambda e: e["ts"]):
    begin, end = e["ts"], e["ts"] + e["dur"]
    own = [d["ts"] + d["dur"] for d in device if (l := launches.get(d["args"].get("correlation"))) and begin <= l["ts"] < end]
    steps.append((max(begin, before), max([end] + own))); before = steps[-1][1]
busy, until = 0, 0
for b, e in sorted((d["ts"], d["ts"] + d["dur"]) for d in device if d["cat"] == "kernel"):
    for begin, end in steps:
        busy += max(0, min(e, end) - max(b, until, begin))
    until = max(until, e)
json.dump({"step": sum(e - b for b, e in steps) / len(steps) * 1000, "kernel": busy / len(steps) * 1000, "steps": len(steps)}, sys.stdout)`,
  );
  const step = await number('[data-figure="step"]');
  assert.ok(Math.abs(step - expected.step) < 50, `${step} ns, not ${expected.step}`);
  const kernel = await number('[data-part="kernel"] [data-ns]');
  assert.ok(Math.abs(kernel - expected.kernel) < 50, `${kernel} ns, not ${expected.kernel}`);
  const parts = await page
    .locator("[data-part] [data-ns]")
    .evaluateAll((l) => l.map((e) => Number(e.dataset.ns)));
  assert.ok(
    Math.abs(parts.reduce((a, b) => a + b, 0) - step) < 1,
    `${parts.join(" ")} are ${step}`,
  );
  assert.match(
    await page.locator(".overview").textContent(),
    new RegExp(`Mean of ${expected.steps} steps`),
  );
  // An idle GPU is named, and its evidence leads to the timeline.
  await page.locator('[data-rule="R5"] .link-button').first().click();
  await eventually(async () => assert.equal((await state(page)).tab, "timeline"));
  await done();
});

test("Profile flame, icicle, sunburst: one sum, Python's, and the search tells Python's share", async () => {
  const expected = await python(
    `
import json, sys
lines = [l.rsplit(" ", 1) for l in json.load(sys.stdin).strip().split("\\n")]
json.dump({"whole": sum(int(n) for _, n in lines), "train": sum(int(n) for s, n in lines if "train" in s.split(";"))}, sys.stdout)`,
    folded,
  );
  for (const tab of ["flame", "icicle", "sunburst"]) {
    const { page, done } = await open(address(tab, 3));
    const canvas = page.locator(".flame-canvas");
    await eventually(async () =>
      assert.equal(Number(await canvas.getAttribute("data-total")), expected.whole),
    );
    await page.getByLabel("Search functions").fill("train");
    await eventually(async () =>
      assert.equal(
        Number(await page.locator("[data-matched]").getAttribute("data-matched")),
        expected.train,
      ),
    );
    await page.getByLabel("Search functions").fill("");
    // By the keys: into main, then train's sibling load, and Enter fills the picture with it.
    await canvas.focus();
    const inward = tab === "flame" ? "ArrowUp" : "ArrowDown";
    await page.keyboard.press(inward);
    await page.keyboard.press(inward);
    await eventually(async () =>
      assert.equal(await page.locator(".profile-note").getAttribute("data-frame"), "load"),
    );
    await page.keyboard.press("Enter");
    await eventually(async () => assert.equal(Number(await canvas.getAttribute("data-total")), 10));
    await page.keyboard.press("Backspace");
    await eventually(async () =>
      assert.equal(Number(await canvas.getAttribute("data-total")), expected.whole),
    );
    await done();
  }
});

test("Profile timeline: found slices and their sum are Python's; next shows one; its time is the trace's", async () => {
  const { page, done } = await open(address("timeline"));
  await page.waitForSelector(".timeline-canvas[data-painted]");
  await page.getByLabel("Search slices").fill("aten::convolution");
  const expected = await truth(
    resnet,
    `
hits = [e for e in spans if "aten::convolution" in e["name"].lower()]
json.dump({"count": len(hits), "ns": sum(ns(e["dur"]) for e in hits), "durations": sorted({ns(e["dur"]) for e in hits})}, sys.stdout)`,
  );
  await eventually(async () => {
    const found = page.locator("[data-found]");
    assert.equal(Number(await found.getAttribute("data-found")), expected.count);
    assert.equal(Number(await found.getAttribute("data-found-ns")), expected.ns);
  });
  await page.getByRole("button", { name: "Next (n)" }).click();
  await page.waitForSelector(".slice-panel[data-duration]");
  const duration = Number(
    await page.locator(".slice-panel[data-duration]").getAttribute("data-duration"),
  );
  assert.ok(expected.durations.includes(duration), `${duration} ns is a duration of the trace`);
  const after_ = await state(page);
  assert.ok(after_.from !== null && after_.to - after_.from < 1e9, "it zoomed there");
  await done();
});

test("Profile timeline: dragging, keys and the minimap move; the address brings it back", async () => {
  const { page, done } = await open(address("timeline", 2));
  const canvas = page.locator(".timeline-canvas[data-painted]");
  await canvas.waitFor();
  const range = async () => [
    Number(await canvas.getAttribute("data-from")),
    Number(await canvas.getAttribute("data-to")),
  ];
  const whole = await range();
  await canvas.focus();
  for (let i = 0; i < 6; i++) await page.keyboard.press("w");
  await eventually(async () => {
    const [from, to] = await range();
    assert.ok(to - from < (whole[1] - whole[0]) * 0.2, `${from} ${to}`);
  });
  const before_ = await range();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 700, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 200, { steps: 5 });
  await page.mouse.up();
  await eventually(async () => assert.ok((await range())[0] > before_[0]));
  await eventually(async () => assert.notEqual((await state(page)).from, null));
  const there = await range();
  await eventually(async () => assert.equal((await state(page)).from, there[0]));
  await page.reload();
  await canvas.waitFor();
  await eventually(async () => assert.deepEqual(await range(), there));
  await canvas.focus();
  await page.keyboard.press("0");
  await eventually(async () => assert.deepEqual(await range(), whole));
  await done();
});

test("Profile timeline: an arrow leads from the launch to its kernel, as the trace says", async () => {
  const expected = await truth(
    torch,
    `
starts = {e["id"]: e for e in events if e.get("ph") == "s" and e.get("name") == "ac2g"}
ends = {e["id"]: e for e in events if e.get("ph") == "f" and e.get("name") == "ac2g"}
at = {(e["pid"], e["tid"], e["ts"]): e for e in spans if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")}
pairs = [(starts[i], ends[i]) for i in starts if i in ends and (ends[i]["pid"], ends[i]["tid"], ends[i]["ts"]) in at]
start, end = pairs[0]
json.dump({"pairs": len(pairs), "kernel": at[(end["pid"], end["tid"], end["ts"])]["name"], "start": start["ts"]}, sys.stdout)`,
  );
  assert.ok(expected.pairs > 10);
  const base = server.url.split("#")[0];
  const which = `name=${encodeURIComponent(names[2])}`;
  await eventually(async () =>
    assert.equal((await getJson(base, `profile?${which}`)).state, "ready"),
  );
  const info = (await getJson(base, `profile?${which}`)).info;
  const begin = BigInt(Math.round(expected.start * 1000)) - BigInt(info.begin_ns);
  const { arrows } = await getJson(
    base,
    `profile:arrows?${which}&from=${Number(begin) - 2000}&to=${Number(begin) + 2000}&most=10000`,
  );
  const arrow = arrows.find((a) => Math.abs(a.from_ns - Number(begin)) < 2000 && a.name === "ac2g");
  assert.ok(arrow, "there is an arrow from that launch");
  const { page, done } = await open(address("timeline", 2, { slice: arrow.from }));
  await page.waitForSelector(".slice-panel[data-duration]");
  await page.getByRole("button", { name: /→ ac2g/ }).click();
  await eventually(async () => assert.equal((await state(page)).slice, arrow.to));
  await eventually(async () =>
    assert.equal(await page.locator(".slice-panel h2").textContent(), expected.kernel),
  );
  await done();
});

test("Profile operators: calls and host time of an operator are Python's", async () => {
  const expected = await truth(
    torch,
    `
hits = [e for e in spans if e["name"] == "aten::addmm" and e.get("cat") == "cpu_op"]
json.dump({"calls": len(hits), "ns": sum(ns(e["dur"]) for e in hits)}, sys.stdout)`,
  );
  const { page, done } = await open(address("operators", 2));
  const row = page.locator('tr[data-name="aten::addmm"]');
  await row.waitFor();
  const cells = await row.locator("td").allTextContents();
  assert.equal(Number(cells[1].replaceAll(",", "")), expected.calls);
  const total = Number(await row.locator("[data-ns]").nth(1).getAttribute("data-ns"));
  assert.ok(Math.abs(total - expected.ns) <= expected.calls, `${total} ns, not ${expected.ns}`);
  await page.getByRole("button", { name: "aten::addmm", exact: true }).click();
  await eventually(async () => {
    const s = await state(page);
    assert.deepEqual([s.tab, s.search], ["timeline", "aten::addmm"]);
  });
  await done();
});

test("Profile kernels: the longest kernel, its calls and its time are Python's", async () => {
  const expected = await truth(
    torch,
    `
from collections import defaultdict
sums = defaultdict(lambda: [0, 0])
for e in spans:
    if e.get("cat") == "kernel":
        sums[e["name"]][0] += 1; sums[e["name"]][1] += ns(e["dur"])
name, (calls, total) = max(sums.items(), key=lambda i: i[1][1])
json.dump({"name": name, "calls": calls, "ns": total, "kinds": len(sums)}, sys.stdout)`,
  );
  const { page, done } = await open(address("kernels", 2));
  await page.waitForSelector(".profile-table tbody tr");
  const first = page.locator(".profile-table tbody tr").first();
  assert.equal(await first.getAttribute("data-name"), expected.name);
  const cells = await first.locator("td").allTextContents();
  assert.equal(Number(cells[1].replaceAll(",", "")), expected.calls);
  assert.ok(
    Math.abs(
      Number(await first.locator("[data-ns]").first().getAttribute("data-ns")) - expected.ns,
    ) <= expected.calls,
  );
  assert.equal(await page.locator(".profile-table tbody tr").count(), expected.kinds);
  await done();
});

test("Profile memory: the peak of each device is Python's", async () => {
  const expected = await truth(
    torch,
    `
peaks = {}
for e in events:
    if e.get("name") == "[memory]":
        a = e["args"]; key = "CPU" if a["Device Type"] == 0 else "GPU %d" % a["Device Id"]
        peaks[key] = max(peaks.get(key, 0), a.get("Total Allocated", 0))
json.dump(peaks, sys.stdout)`,
  );
  const { page, done } = await open(address("memory", 2));
  await page.waitForSelector('[data-figure="peak"]');
  for (const [device, peak] of Object.entries(expected)) {
    if (Object.keys(expected).length > 1)
      await page.getByRole("button", { name: device, exact: true }).click();
    await eventually(async () =>
      assert.equal(
        Number(await page.locator('[data-figure="peak"]').getAttribute("data-bytes")),
        peak,
        device,
      ),
    );
  }
  await done();
});

test("Profile modules: a module's calls are Python's", async () => {
  const expected = await truth(
    torch,
    `
from collections import Counter
count = Counter(e["name"] for e in spans if e["name"].startswith("nn.Module: "))
json.dump(count.most_common(1)[0] if count else None, sys.stdout)`,
  );
  assert.ok(expected, "the fixture has modules");
  const { page, done } = await open(address("modules", 2));
  await page.waitForSelector(".profile-table tbody tr");
  const short = expected[0].replace("nn.Module: ", "");
  const row = page.locator(`tr[data-name="${expected[0]}"], tr[data-name="${short}"]`).first();
  const cells = await row.locator("td").allTextContents();
  assert.equal(Number(cells[1].replaceAll(",", "")), expected[1]);
  await done();
});

/** Two steps of a rank: a kernel that computes, and a collective that waits for the other rank. */
function rankTrace(rank, window) {
  const traceEvents = [];
  const add = (cat, name, ts, dur, tid, args) =>
    traceEvents.push({ ph: "X", cat, name, ts, dur, pid: tid > 5 ? 0 : 10 + rank, tid, args });
  for (const step of [0, 1]) {
    const at = 2000 * step;
    add("user_annotation", `ProfilerStep#${step}`, at, 1500, 1, {});
    const work = (name, kernel, call, begin, dur, number) => {
      const id = 10 * step + number;
      add("cpu_op", name, at + call, 4, 1, { "External id": id });
      add("cuda_runtime", "cudaLaunchKernel", at + call + 1, 1, 1, { correlation: id });
      const args = { "External id": id, correlation: id, device: 0, stream: 7 + number };
      add("kernel", kernel, at + begin, dur, 7 + number, args);
    };
    work("aten::mm", "gemm", 10, 100, 300 + 20 * window, 1);
    const come = [250, 430][rank] + 10 * step + window;
    work("nccl:all_reduce", "ncclDevKernel_AllReduce", 20, come, 800 - come, 2);
  }
  return JSON.stringify({ distributedInfo: { rank, world_size: 2 }, traceEvents });
}

test("Profile distributed: of each worker one window, with Python's times and waits", async () => {
  const own = join(folder, "ranks");
  mkdirSync(own);
  const files = [];
  for (const [rank, name] of ["host_20", "host_21"].entries())
    for (const window of [1, 2, 3].slice(0, 3 - rank)) {
      const file = join(own, `${name}.${window}00${rank}.pt.trace.json`);
      writeFileSync(file, rankTrace(rank, window));
      files.push(file);
    }
  const expected = await python(
    `
import json, sys
def union(ranges):
    total, until = 0, float("-inf")
    for begin, end in sorted(ranges):
        total += max(0, end - max(begin, until)); until = max(until, end)
    return total
workers = []
for path in json.load(sys.stdin):
    events = json.load(open(path))["traceEvents"]
    of = lambda cat, name: [(e["ts"], e["ts"] + e["dur"]) for e in events if e["cat"] == cat and e["name"].startswith(name)]
    gemm, waits = of("kernel", "gemm"), of("kernel", "nccl")
    talk = waits + of("cpu_op", "nccl:")
    both = union(gemm) + union(talk) - union(gemm + talk)
    workers.append({"sums": [union(gemm) - both, both, union(talk) - both, 2 * 1500 - union(gemm + talk)], "collectives": [e - b for b, e in waits]})
least = [min(each) for each in zip(*(w["collectives"] for w in workers))]
for w in workers:
    w["waited"] = sum(own - other for own, other in zip(w["collectives"], least))
json.dump(workers, sys.stdout)`,
    [files[1], files[4]], // the second window is the last that both have
  );
  const ui = await startUi(files, { state: join(folder, "state2") });
  const { page, done } = await open(`${ui.url.split("#")[0]}#/profile${z({ tab: "distributed" })}`);
  await page.waitForSelector("tr[data-worker]");
  const rows = await page.locator("tr[data-worker]").evaluateAll((all) =>
    all.map((row) => ({
      worker: row.dataset.worker,
      sums: [...row.querySelectorAll("[data-ns]")].map((cell) => Number(cell.dataset.ns)),
      waited: Number(row.querySelector("[data-waited]").dataset.waited),
    })),
  );
  const thousand = (us) => Math.round(us * 1000);
  assert.deepEqual(
    rows,
    expected.map((w, rank) => ({
      worker: `host_2${rank}`,
      sums: w.sums.map(thousand),
      waited: thousand(w.waited),
    })),
  );
  assert.ok(rows[0].waited > 0 && rows[1].waited === 0, "the second came last");
  const said = await page.locator(".overview").first().textContent();
  assert.match(said, /The others waited .* for host_21/);
  assert.match(said, /3 traces are of other windows/);
  await done();
  await ui.close();
});

test("Profile diff: the change of a function's self time is Python's", async () => {
  const [a, b] = [join(folder, "before.folded"), join(folder, "after.folded")];
  writeFileSync(a, folded);
  writeFileSync(b, folded.replace("forward 70", "forward 40"));
  const own = await startUi([a, b], { state: join(folder, "state3") });
  const { page, done } = await open(`${own.url.split("#")[0]}#/profile${z({ tab: "diff" })}`);
  const row = page.locator('tr[data-name="forward"]');
  await row.waitFor();
  assert.equal(Number(await row.locator("[data-change]").getAttribute("data-change")), 40 - 70);
  assert.equal(
    await page.locator(".profile-table tbody tr").first().getAttribute("data-name"),
    "forward",
  );
  const bar = page.getByRole("toolbar", { name: "Compare" });
  assert.match(await bar.textContent(), /before: before\.folded/, "the file that was named first");
  // The later one as what is looked at: it is the later one still.
  await page.getByRole("combobox", { name: "Profile", exact: true }).selectOption({ index: 1 });
  await eventually(async () => assert.match(await bar.textContent(), /after: after\.folded/));
  await eventually(async () =>
    assert.equal(Number(await row.locator("[data-change]").getAttribute("data-change")), 40 - 70),
  );
  await done();
  await own.close();
});

test("Profile: what is chosen next is asked about once it is there, not before", async () => {
  const files = ["first", "second", "third"].map((name) => join(folder, `${name}.folded`));
  for (const file of files) writeFileSync(file, folded);
  const own = await startUi(files, { state: join(folder, "state5") });
  const base = own.url.split("#")[0];
  // A question that comes too early is an answer 409, which stands in the browser's console.
  const { page, done } = await open(`${base}#/profile${z({ tab: "flame" })}`);
  const canvas = page.locator('.flame-canvas[data-total="100"]');
  await canvas.waitFor();
  for (const name of ["1 second.folded", "2 third.folded"]) {
    await page.getByRole("combobox", { name: "Profile", exact: true }).selectOption(name);
    await eventually(async () => assert.equal((await state(page)).name, name));
    await canvas.waitFor();
    await settled(page);
  }
  await done();
  await own.close();
});

test("Profile: names are no way to other files, and wrong questions are refused", async () => {
  const base = server.url.split("#")[0];
  assert.equal((await fetch(`${base}api/v1/profile?name=../../etc/passwd`)).status, 404);
  assert.equal((await fetch(`${base}api/v1/profile?run=none&name=x`)).status, 404);
  for (const bad of ["width=0", "width=x", "from=9&to=1", "tracks=99999", "from=nan"])
    assert.equal(
      (await fetch(`${base}api/v1/profile:slices?name=${encodeURIComponent(names[0])}&${bad}`))
        .status,
      400,
      bad,
    );
});

test("Profile: hostile traces through every tab: a message or a picture, never a script", async () => {
  const strange = join(folder, "strange");
  mkdirSync(strange);
  const script = "<img src=x onerror=window.__pwned=1><script>window.__pwned=1</script>";
  const event = (more) => JSON.stringify({ ph: "X", pid: 1, tid: 1, ts: 1, dur: 2, ...more });
  const files = {
    "script.json": `{"traceEvents":[${event({ name: script, cat: script, args: { [script]: script } })},${event({ name: "ProfilerStep#1", dur: 9, ts: 0 })},{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":${JSON.stringify(script)}}}]}`,
    "times.json": `[${event({ ts: -4.5e15 })},${event({ ts: 4.5e15, dur: 4.5e15 })},${event({ ts: "x" })},{"ph":"X","name":"n","ts":NaN,"dur":1},{"ph":"E","ts":4},{"ph":"B","name":"open","ts":5}]`,
    "deep.json":
      "[" +
      Array.from({ length: 2000 }, (_, i) =>
        event({ name: "d" + i, ts: i, dur: 9000 - 2 * i }),
      ).join() +
      "]",
    "threads.json":
      "[" + Array.from({ length: 5000 }, (_, i) => event({ name: "t", tid: i })).join() + "]",
    "cut.json": `{"traceEvents":[${event({ name: "whole" })},{"ph":"X","na`,
    "empty.json": '{"traceEvents":[]}',
    "name.json": `[${event({ name: "x".repeat(200000) })},${event({ name: "\u0000\u202e\ud800" })}]`,
    "nothing.json": "",
    "not.json": '{"a": 1}',
    "bomb.json.gz": null,
  };
  for (const [name, text] of Object.entries(files)) {
    if (text === null) cpSync(torch, join(strange, name));
    else writeFileSync(join(strange, name), text);
  }
  const cut = readFileSync(torch);
  writeFileSync(join(strange, "bomb.json.gz"), cut.subarray(0, cut.length / 2));
  const own = await startUi(
    Object.keys(files).map((n) => join(strange, n)),
    { state: join(folder, "state4") },
  );
  const base = own.url.split("#")[0];
  const listed = (await getJson(base, "profiles")).profiles.map((p) => p.name);
  assert.equal(listed.length, Object.keys(files).length);
  const { page, done } = await open(`${base}#/profile`, { allow: ["404 (Not Found)"] });
  for (const name of listed)
    for (const tab of tabs) {
      await page.goto(`${base}#/profile${z({ tab, name })}`);
      await page.waitForSelector(
        ".timeline-canvas[data-painted], .flame-canvas, .profile-table, .overview .card, .state h2",
      );
      assert.equal(await page.evaluate(() => window.__pwned), undefined, `${name} ${tab}`);
    }
  await page.goto(`${base}#/profile${z({ tab: "timeline", name: listed[0], slice: 0 })}`);
  await page.waitForSelector(".slice-panel[data-duration]");
  assert.equal(await page.evaluate(() => window.__pwned), undefined);
  await done();
  await own.close();
});

test("Profile: axe-core finds nothing serious in any tab, in both themes; a phone has no sideways scroll", async () => {
  for (const dark of [false, true]) {
    const { page, done } = await open(address("overview", 2), { dark });
    for (const tab of tabs) {
      await page.goto(address(tab, 2, tab === "timeline" ? { slice: 5 } : {}));
      await settled(page);
      await page.evaluate(axe);
      const wrong = await page.evaluate(async () =>
        (await window.axe.run(document, { resultTypes: ["violations"] })).violations
          .filter((v) => v.impact === "serious" || v.impact === "critical")
          .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`),
      );
      assert.deepEqual(wrong, [], `${tab} ${dark ? "dark" : "light"}`);
    }
    await done();
  }
  const { page, done } = await open(address("overview", 2), {
    width: 360,
    height: 740,
    touch: true,
  });
  for (const tab of tabs) {
    await page.goto(address(tab, 2));
    await settled(page);
    assert.ok(
      (await page.evaluate(() => document.documentElement.scrollWidth)) <= 360,
      `${tab} is wider than the phone`,
    );
  }
  await done();
});
