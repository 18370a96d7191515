// Takes the pictures of the README at twice the size: node web/tools/pictures.mjs (after a release
// build). Look at them before committing.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, quit, settled } from "../../tests/e2e/browser.mjs";
import { serve } from "../../tests/e2e/server.mjs";

const images = join(dirname(fileURLToPath(import.meta.url)), "../../docs/images");
const z = (state) => "&z=" + Buffer.from(JSON.stringify(state)).toString("base64url");
const server = await serve(["demo"], { options: { runs: 24, points: 3000 } });
const shots = {
  charts: `#/charts?project=digits&search=^(train|val)`,
  table: `#/table?project=digits${z({ sort: [{ column: "metric:val/loss", descending: false }] })}`,
  media: `#/media?project=digits${z({ selection: { all: false, except: ["r000", "r001", "r002"] } })}`,
};
for (const [name, view] of Object.entries(shots)) {
  const context = await (
    await launch()
  ).newContext({
    viewport: name === "charts" ? { width: 1560, height: 930 } : { width: 1280, height: 760 },
    deviceScaleFactor: 2,
    colorScheme: name === "media" ? "dark" : "light",
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-GB",
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(Date.UTC(2026, 9, 4, 12));
  await page.goto(server.url + view);
  await page.waitForSelector("[data-page]");
  await settled(page, 1500);
  await page.screenshot({
    path: join(images, name + ".png"),
    animations: "disabled",
    caret: "hide",
  });
  await context.close();
}
await quit();
await server.close();
process.exit();
