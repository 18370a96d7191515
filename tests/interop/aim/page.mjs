// What Aim's own page shows: node page.mjs ADDRESS PICTURE. Prints the texts of the page once it has drawn something, and takes a picture of it.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(process.env.TAFFRAIL_NODE_MODULES ? join(process.env.TAFFRAIL_NODE_MODULES, "x") : new URL("../../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const [address, picture] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light", timezoneId: "UTC", locale: "en-GB" });
// Nothing but the program that is tested is asked.
await page.route((url) => url.hostname !== "127.0.0.1", (route) => route.abort());
await page.goto(address);
const curves = () =>
  page.evaluate(() => [...document.querySelectorAll("svg path")].filter((one) => getComputedStyle(one).fill === "none" && getComputedStyle(one).stroke !== "none" && (one.getAttribute("d") ?? "").startsWith("M")).length);
const end = Date.now() + 240_000;
while ((await curves()) === 0 && Date.now() < end) await new Promise((done) => setTimeout(done, 500));
await new Promise((done) => setTimeout(done, 3000));
writeFileSync(picture, await page.screenshot());
console.log(JSON.stringify({ curves: await curves(), text: await page.evaluate(() => document.body.innerText) }));
await browser.close();
