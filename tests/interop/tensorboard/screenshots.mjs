// Pictures of TensorBoard's own pages: node screenshots.mjs ADDRESS FOLDER RUN. Debian's chromium with software WebGL, which the
// mesh and projector pages draw with. A page is taken when it has not changed for two seconds.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(process.env.TAFFRAIL_NODE_MODULES ? join(process.env.TAFFRAIL_NODE_MODULES, "x") : new URL("../../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const [address, folder, run] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-background-networking", "--no-first-run"],
});

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** The first picture that stays the same for two seconds, or the one after a minute. */
async function settled(page) {
  const end = Date.now() + 60_000;
  let last = await page.screenshot();
  for (let same = 0; same < 2 && Date.now() < end; ) {
    await pause(1000);
    const now = await page.screenshot();
    same = now.equals(last) ? same + 1 : 0;
    last = now;
  }
  return last;
}

const PAGES = {
  scalars: { hash: "scalars", ready: "text=train" },
  images: { hash: "images", ready: "tf-image-loader img" },
  histograms: { hash: "histograms", ready: "vz-histogram-timeseries, tf-histogram-loader" },
  hparams: { hash: "hparams", ready: "text=trainer/learning_rate" },
  graph: { hash: `graphs&run=${encodeURIComponent(run)}`, ready: "tf-graph-scene" },
  mesh: { hash: "mesh", ready: "canvas" },
  projector: { hash: "projector", ready: "iframe, text=PROJECTOR" },
};

for (const [name, { hash, ready }] of Object.entries(PAGES)) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light", timezoneId: "UTC", locale: "en-GB" });
  await page.goto(`${address}/?darkMode=false#${hash}`);
  for (const one of ready.split(", ")) await page.waitForSelector(one, { timeout: 20_000 }).catch(() => console.log(`${name}: no ${one}`));
  await pause(3000);
  writeFileSync(join(folder, `${name}.png`), await settled(page));
  console.log(`${name}.png`);
  await page.close();
}
await browser.close();
