// axe-core on every page, in both themes: nothing serious.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { getJson, postJson } from "./api.mjs";
import { open, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
let server, project, run;
before(async () => {
  server = await serve(["demo"], { options: { runs: 8, points: 400 } });
  project = (await getJson(server.url, "projects")).projects[0].name;
  run = (await postJson(server.url, "runs:query", { project })).runs.id[0];
});
after(async () => {
  await quit();
  await server?.close();
});

const pages = {
  projects: "",
  charts: "",
  table: "",
  run: "run",
  compare: "",
  media: "",
  distributions: "",
  hparams: "",
  system: "",
  graph: "",
  profile: "",
  settings: "",
};

async function check(page) {
  await page.evaluate(axe); // by the test's own hand: the page allows no foreign script
  const { violations } = await page.evaluate(() =>
    window.axe.run(document, { resultTypes: ["violations"] }),
  );
  return violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`);
}

for (const [name, more] of Object.entries(pages))
  test(`axe-core finds nothing serious on ${name}`, async () => {
    for (const dark of [false, true]) {
      const address = `${server.url}#/${name}?project=${encodeURIComponent(project)}`;
      const { page, done } = await open(
        more === "run" ? `${address}&run=${encodeURIComponent(run)}` : address,
        { dark },
      );
      await settled(page);
      assert.deepEqual(await check(page), [], dark ? "dark" : "light");
      await done();
    }
  });

test("axe-core finds nothing serious in the lightbox", async () => {
  const { page, done } = await open(`${server.url}#/media?project=${encodeURIComponent(project)}`);
  await page.locator(".media-cell img").first().click();
  await page.waitForSelector(".stage canvas[data-drawn]");
  await settled(page);
  assert.deepEqual(await check(page), []);
  await done();
});
