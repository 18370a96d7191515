// Golden screenshots of every page in both themes, from seeded runs behind the real server: with
// data, without, and with a server that fails. Pictures are compared only with the chromium and the
// fonts they were made with; TAFFRAIL_E2E_GOLDEN=write makes them anew (then look at them). The
// quick run compares the pages with data.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromiumVersion, difference, open, quit, settled } from "./browser.mjs";
import { serve, startUi } from "./server.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "golden");
const write = process.env.TAFFRAIL_E2E_GOLDEN === "write";
const full = write || process.env.TAFFRAIL_E2E_FULL === "1";
const z = (state) => "&z=" + Buffer.from(JSON.stringify(state)).toString("base64url");
const pages = {
  projects: "projects?search=x",
  charts: "charts?project=digits",
  "charts-grouped": `charts?project=digits&search=loss${z({ groupBy: ["group"] })}`,
  table: "table?project=digits",
  run: "run?project=digits&run=r002",
  compare: `compare?project=digits&baseline=r001${z({ compared: ["r001", "r002", "r004", "r005"] })}`,
  media: `media?project=digits${z({ selection: { all: false, except: ["r000", "r001"] } })}`,
  distributions: "distributions?project=digits",
  "pr-curves": `distributions?project=digits${z({ distributions: { tab: "pr" } })}`,
  embeddings: `distributions?project=digits${z({ distributions: { tab: "embeddings" } })}`,
  hparams: "hparams?project=digits",
  system: "system?project=digits&run=r004",
  graph: "graph?project=digits&run=r000",
  settings: "settings?project=digits",
};
const needsNoRun = ["projects", "charts", "charts-grouped", "table", "run", "compare", "settings"];
// A trace of today, by the tab that is shown and what says that it is there.
const trace = join(
  dirname(fileURLToPath(import.meta.url)),
  "../data/profile/torch-2.11.pt.trace.json.gz",
);
const tabs = { overview: '[data-part="kernel"]', timeline: ".timeline-canvas[data-painted]" };
let server, bare, empty, sameBrowser, cache, profile;
before(async () => {
  server = await serve(["demo"], { options: { runs: 12, points: 1000 } });
  cache = process.env.XDG_CACHE_HOME = mkdtempSync(join(tmpdir(), "taffrail-visual-"));
  profile = await startUi([trace], { state: join(cache, "state") });
  if (full) [bare, empty] = [await serve(["bare"]), await serve(["empty"])];
  const version = await chromiumVersion();
  if (write) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "chromium.txt"), version + "\n");
  }
  sameBrowser =
    existsSync(join(folder, "chromium.txt")) &&
    readFileSync(join(folder, "chromium.txt"), "utf8").trim() === version;
});
after(async () => {
  await quit();
  await profile?.close();
  rmSync(cache, { recursive: true, force: true });
});

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

/** Both themes of one view. */
async function shoot(
  name,
  url,
  { width = 1280, height = 800, broken = false, ready = "[data-page]" } = {},
) {
  const { page, done } = await open("about:blank", { width, height, allow: broken ? ["503"] : [] });
  await page.clock.setFixedTime(Date.UTC(2026, 9, 4, 12)); // "3 days ago" stays so
  const answer = {
    status: 503,
    contentType: "application/json",
    body: JSON.stringify({
      error: {
        code: "unavailable",
        message: "the disk that holds the runs does not answer",
        request_id: "e2e-1",
      },
    }),
  };
  if (broken)
    await page.route(/api\/v1\/(series|entries|runs|keys|run\?|histograms|projects)/, (route) =>
      route.fulfill(answer),
    );
  await page.goto(url);
  await page.waitForSelector(ready);
  await page.evaluate(() => document.fonts.ready);
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((t) => document.documentElement.dataset.theme === t, theme);
    await settled(page, 700);
    await page.waitForFunction(() =>
      [...document.images]
        .filter((i) => i.getBoundingClientRect().top < innerHeight)
        .every((i) => i.complete),
    );
    check(
      `${name}-${theme}`,
      await page.screenshot({
        animations: "disabled",
        caret: "hide",
        mask: [
          page.locator('[data-page="settings"] dd.mono'),
          page.locator(".state code"),
          page.locator('[data-key="clip"] img'),
        ],
      }),
    );
  }
  await done();
}

for (const [name, view] of Object.entries(pages)) {
  test(`25: ${name} looks as it did, in both themes`, async (t) => {
    if (!sameBrowser) return t.skip("another chromium than the golden pictures were made with");
    await shoot(name, `${server.url}#/${view}`);
  });
  if (!full) continue;
  test(`25: ${name} without data looks as it did, in both themes`, async (t) => {
    if (!sameBrowser) return t.skip("another chromium than the golden pictures were made with");
    const target = needsNoRun.includes(name) ? empty : bare;
    await shoot(
      `${name}-empty`,
      `${target.url}#/${view
        .replace("digits", target === bare ? "bare" : "digits")
        .replace(/&run=r\d+/, "")
        .replace(/sel[^&]*/, "")}`,
      { width: 960, height: 600 },
    );
  });
  test(`25: ${name} with a failing server looks as it did, in both themes`, async (t) => {
    if (!sameBrowser) return t.skip("another chromium than the golden pictures were made with");
    await shoot(`${name}-error`, `${server.url}#/${view}`, {
      width: 960,
      height: 600,
      broken: true,
    });
  });
}

for (const [tab, ready] of Object.entries(tabs))
  test(`25: profile, ${tab} looks as it did, in both themes`, async (t) => {
    if (!sameBrowser) return t.skip("another chromium than the golden pictures were made with");
    const state = z({ profile: { tab } }).replace("&", "?");
    await shoot(`profile-${tab}`, `${profile.url}#/profile${state}`, { ready });
  });
