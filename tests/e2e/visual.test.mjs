// Golden screenshots of every page in both themes, from the stand-in's seeded data. Pictures are compared only with the chromium and
// the fonts they were made with; TAFFRAIL_E2E_GOLDEN=write makes them anew (then look at them).
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "../../web/dev/server.mjs";
import { chromiumVersion, difference, open, quit, settled } from "./browser.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "golden");
const write = process.env.TAFFRAIL_E2E_GOLDEN === "write";
const z = (state) => "&z=" + Buffer.from(JSON.stringify(state)).toString("base64url");
const views = {
  projects: "#/projects?q=x",
  charts: "#/charts?project=digits",
  "charts-grouped": `#/charts?project=digits&q=loss${z({ gb: ["group"] })}`,
  table: "#/table?project=digits",
  run: "#/run?project=digits&run=r000",
  compare: "#/compare?project=digits",
  media: `#/media?project=digits${z({ sel: { all: false, except: ["r000", "r001"] } })}`,
  distributions: "#/distributions?project=digits",
  hparams: "#/hparams?project=digits",
  system: "#/system?project=digits&run=r004",
  graph: "#/graph?project=digits",
  settings: "#/settings?project=digits",
};
let server, empty, sameBrowser;
before(async () => {
  server = await startServer({ scenarios: ["demo"], options: { runs: 12, points: 1000 } });
  empty = await startServer({ scenarios: ["empty"] });
  const version = await chromiumVersion();
  if (write) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "chromium.txt"), version + "\n");
  }
  sameBrowser = existsSync(join(folder, "chromium.txt")) && readFileSync(join(folder, "chromium.txt"), "utf8").trim() === version;
});
after(async () => {
  await quit();
  await server?.close();
  await empty?.close();
});

async function shoot(url, dark, prepare) {
  const { page, done } = await open(url, { width: 1280, height: 800, dark });
  await page.waitForSelector("[data-page]");
  await page.evaluate(() => document.fonts.ready);
  await prepare?.(page);
  await settled(page, 900);
  await page.waitForFunction(() => [...document.images].filter((i) => i.getBoundingClientRect().top < innerHeight).every((i) => i.complete));
  const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
  await done();
  return picture;
}

function check(name, picture) {
  const file = join(folder, name + ".png");
  if (write) return writeFileSync(file, picture);
  assert.ok(existsSync(file), `${name} has no golden picture`);
  const share = difference(readFileSync(file), picture);
  if (share > 0.002) {
    mkdirSync(join(folder, "../out"), { recursive: true });
    writeFileSync(join(folder, "../out", name + ".png"), picture);
  }
  assert.ok(share <= 0.002, `${name}: ${(share * 100).toFixed(2)} % of the pixels differ`);
}

for (const dark of [false, true]) {
  const theme = dark ? "dark" : "light";
  for (const [name, view] of Object.entries(views)) {
    test(`25: ${name} in the ${theme} theme looks as it did`, async (t) => {
      if (!sameBrowser) return t.skip("another chromium than the golden pictures were made with");
      check(`${name}-${theme}`, await shoot(server.url + view, dark));
    });
  }
  test(`25: the empty state in the ${theme} theme looks as it did`, async (t) => {
    if (!sameBrowser) return t.skip("another chromium than the golden pictures were made with");
    check(`empty-${theme}`, await shoot(empty.url, dark));
  });
}
