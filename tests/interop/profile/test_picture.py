"""The flame graph and the page as chromium shows them: boxes, zoom, search, nothing from outside."""

import json
import subprocess
from pathlib import Path

from conftest import STACKS, taffrail

SCRIPT = """
import { createRequire } from "node:module";
const require = createRequire(process.argv[2]);
const { chromium } = require("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1300, height: 700 } });
const errors = [], requests = [];
page.on("pageerror", (error) => errors.push(error.message));
page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
page.on("request", (request) => requests.push(request.url()));
await page.goto("file://" + process.argv[3]);
const boxes = () => page.$$eval(".box:not(.gone)", (all) => all.map((box) => ({
  title: box.querySelector("title").textContent, x: Number(box.querySelector("rect").getAttribute("x")), width: Number(box.querySelector("rect").getAttribute("width")),
  y: Number(box.querySelector("rect").getAttribute("y")), fill: box.querySelector("rect").getAttribute("fill"), label: box.querySelector("text")?.textContent ?? "" })));
const first = await boxes();
await page.locator("input").fill("ATEN::");
const hint = await page.locator(".hint").textContent(), found = await page.locator(".box.found").count();
await page.locator("input").fill("");
await page.locator(".box", { hasText: "backward" }).first().click();
const zoomed = await boxes();
await page.locator(".reset").click();
const back = await boxes();
const rows = await page.locator("tbody tr").count();
console.log(JSON.stringify({ first, zoomed, back, hint, found, errors, requests, rows }));
await browser.close();
"""


def shown(tmp_path, path):
    script = tmp_path / "show.mjs"
    script.write_text(SCRIPT)
    package = Path(__file__).resolve().parents[3] / "web" / "package.json"
    done = subprocess.run(["node", script, package, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    page = json.loads(done.stdout)
    assert page["errors"] == [] and page["requests"] == [f"file://{path}"]
    return page


def name_of(box):
    return box["title"].rsplit("\n", 1)[0]


def test_boxes_are_as_wide_as_their_share(tmp_path, folded):
    path = tmp_path / "x.svg"
    taffrail("profile", "flame", folded, "-o", path)
    page = shown(tmp_path, path)
    total = sum(STACKS.values())
    widths = [(name_of(box), box["width"]) for box in page["first"]]
    nodes = {}
    for stack, weight in STACKS.items():
        for depth in range(1, len(stack) + 1):
            nodes[stack[:depth]] = nodes.get(stack[:depth], 0) + weight
    assert len(widths) == len(nodes)
    for stack, weight in nodes.items():
        assert any(name == stack[-1] and abs(width - 1200 * weight / total) < 0.02 for name, width in widths), stack
    assert page["found"] == 2 and page["hint"] == f"2 boxes, {13000 / total * 100:.2f} %"
    zoomed = {name_of(box): box["width"] for box in page["zoomed"]}
    assert zoomed["backward"] == zoomed["train"] == zoomed["main"] == 1200
    assert "forward" not in zoomed and abs(zoomed["aten::mm"] - 1200 * 9000 / 9070) < 0.1
    assert [name_of(box) for box in page["back"]] == [name_of(box) for box in page["first"]]
    assert all(abs(a["width"] - b["width"]) < 0.01 for a, b in zip(page["back"], page["first"], strict=True))


def test_a_comparison_is_red_where_more_and_blue_where_less(tmp_path, folded):
    after = tmp_path / "after.folded"
    after.write_text(folded.read_text().replace("aten::mm 4000", "aten::mm 12000"))
    path = tmp_path / "x.svg"
    taffrail("profile", "flame", folded, after, "-o", path)
    fills = {name_of(box): box["fill"] for box in shown(tmp_path, path)["first"]}
    assert fills["forward"].startswith("hsl(6,") and fills["backward"].startswith("hsl(214,")
    assert fills["main"] == "#e9eaee"


def test_the_page_has_the_table_too(tmp_path, convert, folded):
    path = convert(folded, "x.html")
    assert shown(tmp_path, path)["rows"] == 8
    assert b"http" not in path.read_bytes().replace(b"http://www.w3.org/", b"")
