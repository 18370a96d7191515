// The pictures that MLflow's own page loads for the charts with these WORDS, as it names and measures them, once there are as many as COUNT:
// node grid.mjs ADDRESS WORDS COUNT PICTURE. Takes a picture of the page itself.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(process.env.TAFFRAIL_NODE_MODULES ? join(process.env.TAFFRAIL_NODE_MODULES, "x") : new URL("../../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const [address, words, count, picture] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 1300 }, colorScheme: "light", timezoneId: "UTC", locale: "en-GB" });
// Nothing but the server that is tested is asked.
await page.route((url) => url.hostname !== "127.0.0.1", (route) => route.abort());
await page.goto(address);
const search = page.getByPlaceholder("Search metric charts");
await search.waitFor({ timeout: 240_000 }); // the whole program of the page comes first
await search.fill(words);
const drawn = () =>
  page.evaluate(() =>
    [...document.querySelectorAll("img")]
      .filter((one) => one.src.includes("get-artifact") && one.complete && one.naturalWidth > 0)
      .map((one) => ({ path: new URL(one.src).searchParams.get("path"), width: one.naturalWidth, height: one.naturalHeight })),
  );
const end = Date.now() + 120_000;
let seen = await drawn();
while (seen.length < Number(count) && Date.now() < end) {
  await new Promise((done) => setTimeout(done, 500));
  seen = await drawn();
}
await new Promise((done) => setTimeout(done, 3000));
// A tile of that page is as wide as the parameters of its run, written in one line: behind a long one its picture lies beyond the edge, and the tile is scrolled to it.
const seenOnes = await page.evaluate(() =>
  [...document.querySelectorAll("img")]
    .filter((one) => one.src.includes("get-artifact"))
    .filter((one) => {
      one.scrollIntoView({ block: "center", inline: "center" });
      const { x, y, width, height } = one.getBoundingClientRect();
      return width > 0 && document.elementsFromPoint(x + width / 2, y + height / 2).includes(one);
    })
    .map((one) => new URL(one.src).searchParams.get("path")),
);
await new Promise((done) => setTimeout(done, 1000));
writeFileSync(picture, await page.screenshot());
console.log(JSON.stringify({ pictures: await drawn(), seen: seenOnes, text: await page.evaluate(() => document.body.innerText) }));
await browser.close();
