// One small driver for two browsers: Debian's chromium and Debian's firefox-esr, by puppeteer-core
// (DevTools there, WebDriver BiDi here). Tests that both must pass use nothing else.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { eventually } from "./browser.mjs";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const patience = 60000 * Number(process.env.TAFFRAIL_E2E_SLOW ?? 1);

const launches = {
  chromium: {
    browser: "chrome",
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  },
  firefox: {
    browser: "firefox",
    protocol: "webDriverBiDi",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
  },
};
export const browsers = Object.keys(launches);

/** The browser; `open(url)` gives a page in a profile of its own, `close()` ends it. */
export async function drive(name) {
  const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
  const browser = await puppeteer.launch({
    ...launches[name],
    headless: true,
    timeout: patience,
    protocolTimeout: 2 * patience,
    defaultViewport: { width: 1440, height: 900 },
  });
  return {
    version: () => browser.version(),
    close: () => browser.close(),
    async open(url) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      page.setDefaultTimeout(patience);
      const faults = [];
      page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
      page.on("console", (m) => m.type() === "error" && faults.push(`console: ${m.text()}`));
      page.on("request", (request) => {
        const { protocol, hostname } = new URL(request.url());
        if (protocol.startsWith("http") && !["127.0.0.1", "localhost", "[::1]"].includes(hostname))
          faults.push(`left loopback: ${request.url()}`);
      });
      await page.goto(url);
      return person(page, faults, context);
    },
  };
}

/** What a person does and sees; every click and choice is counted. */
function person(page, faults, context) {
  let actions = 0;
  // The element in the middle of which the pointer really lands.
  const element = async (selector, text) => {
    const found = await page.waitForFunction(
      (s, t) =>
        [...document.querySelectorAll(s)].find((e) => t === null || e.textContent.startsWith(t)),
      {},
      selector,
      text ?? null,
    );
    return found.asElement();
  };
  return {
    get actions() {
      return actions;
    },
    forget: () => (actions = 0),
    url: () => page.url(),
    async click(selector, text) {
      actions++;
      await (await element(selector, text)).click();
    },
    /** At a share of the element's width, 0 to 1. */
    async clickAt(selector, share) {
      actions++;
      const box = await (await element(selector)).boundingBox();
      await page.mouse.click(box.x + box.width * share, box.y + box.height / 2);
    },
    async choose(selector, value) {
      actions++;
      await element(selector);
      await page.select(selector, value);
    },
    texts: (selector) =>
      page.$$eval(selector, (list) => list.map((e) => e.textContent.replace(/\s+/g, " ").trim())),
    see: (fn, ...args) => page.evaluate(fn, ...args),
    until: (fn, ...args) => page.waitForFunction(fn, {}, ...args),
    eventually: (check) => eventually(check, patience),
    async done() {
      await context.close();
      assert.deepEqual(faults, []);
    },
  };
}
