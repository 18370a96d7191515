// Loads files into speedscope's own page and prints what it exports: node speedscope.mjs PAGE FILE…
// The server and the browser are on loopback and end with this program.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(new URL("../../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const [page, ...files] = process.argv.slice(2);
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const server = createServer(async (request, response) => {
  const name = decodeURIComponent(new URL(request.url, "http://x").pathname);
  try {
    const body = await readFile(path.join(page, path.normalize(name)));
    response.writeHead(200, { "content-type": types[path.extname(name)] ?? "application/octet-stream" });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const results = {};
try {
  for (const file of files) {
    const tab = await browser.newPage({ acceptDownloads: true });
    let refused;
    tab.on("dialog", (dialog) => {
      refused = dialog.message();
      void dialog.dismiss();
    });
    await tab.goto(`http://127.0.0.1:${server.address().port}/index.html#localProfilePath=none.js`);
    await tab.waitForFunction(() => window.speedscope !== undefined);
    const base64 = (await readFile(file)).toString("base64");
    await tab.evaluate(([name, data]) => window.speedscope.loadFileFromBase64(name, data), [path.basename(file), base64]);
    const button = tab.getByText("Export");
    await button.waitFor({ timeout: 30000 }).catch(() => undefined);
    if (refused) {
      results[file] = { refused };
    } else {
      const [download] = await Promise.all([tab.waitForEvent("download"), button.click()]);
      results[file] = JSON.parse(await readFile(await download.path(), "utf8"));
    }
    await tab.close();
  }
} finally {
  await browser.close();
  server.close();
}
console.log(JSON.stringify(results));
