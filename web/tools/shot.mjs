// Takes screenshots of pages for looking at: node tools/shot.mjs URL OUT.png [--dark] [--phone]
// [--wait MS] [--hover SELECTOR] [--click SELECTOR]…
import { chromium } from "playwright-core";

const [url, out, ...rest] = process.argv.slice(2);
const has = (name) => rest.includes("--" + name);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const page = await browser.newPage({
  viewport: has("phone") ? { width: 390, height: 844 } : { width: 1440, height: 900 },
  colorScheme: has("dark") ? "dark" : "light",
  reducedMotion: "reduce",
});
page.on(
  "console",
  (m) => ["error", "warning"].includes(m.type()) && console.log("console", m.text()),
);
page.on("pageerror", (e) => console.log("error", e.stack));
page.on("requestfailed", (r) => console.log("failed", r.url(), r.failure()?.errorText));
page.setDefaultTimeout(30000);
await page.goto(url);
await page.waitForTimeout(1500);
for (let i = 0; i < rest.length; i++) {
  if (rest[i] === "--click") await page.click(rest[i + 1]);
  if (rest[i] === "--hover") await page.hover(rest[i + 1]);
  if (rest[i] === "--key") await page.keyboard.press(rest[i + 1]);
  if (rest[i] === "--type") await page.keyboard.type(rest[i + 1]);
  if (rest[i] === "--wait") await page.waitForTimeout(Number(rest[i + 1]));
  if (rest[i].startsWith("--")) await page.waitForTimeout(250);
}
await page.screenshot({ path: out });
await browser.close();
