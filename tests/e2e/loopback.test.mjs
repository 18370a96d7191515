// The harness itself: whatever part of a page asks for something off loopback, its test fails.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { open, quit } from "./browser.mjs";

// An address for documentation: nobody has it, so nobody is asked should the proxy fail.
const outside = "http://192.0.2.7/";
const scripts = {
  "/worker.js": `fetch("${outside}worker").catch(() => 0).then(() => postMessage(1));`,
  "/shared.js": `onconnect = (e) => fetch("${outside}shared").catch(() => 0).then(() => e.ports[0].postMessage(1));`,
  "/service.js": `oninstall = (e) => e.waitUntil(fetch("${outside}service").catch(() => 0));`,
};
const page = createServer((request, response) => {
  response.writeHead(200, {
    "Content-Type": request.url in scripts ? "text/javascript" : "text/html",
  });
  response.end(scripts[request.url] ?? '<!doctype html><link rel="icon" href="data:,"><p>page</p>');
});
page.listen(0, "127.0.0.1");
await once(page, "listening");
const url = `http://127.0.0.1:${page.address().port}/`;
after(async () => {
  await quit();
  page.closeAllConnections();
  page.close();
});

const ways = {
  page: () => fetch("http://192.0.2.7/page").catch(() => 0),
  image: () =>
    new Promise((done) =>
      Object.assign(new Image(), { onerror: done, src: "http://192.0.2.7/image" }),
    ),
  encrypted: () => fetch("https://example.invalid/encrypted").catch(() => 0),
  socket: () => new Promise((done) => (new WebSocket("ws://192.0.2.7/socket").onerror = done)),
  worker: () => new Promise((done) => (new Worker("/worker.js").onmessage = done)),
  shared: () => new Promise((done) => (new SharedWorker("/shared.js").port.onmessage = done)),
  service: () =>
    navigator.serviceWorker.register("/service.js").then(() => navigator.serviceWorker.ready),
};

test("harness: a request off loopback fails the test, from a page, a worker, a shared or a service worker", async () => {
  for (const [name, ask] of Object.entries(ways)) {
    const { page: tab, done } = await open(url, {
      allow: ["Failed to load", "ERR_", "WebSocket", "CORS", "192.0.2.7", "example.invalid"],
    });
    await tab.evaluate(ask);
    await assert.rejects(
      done(),
      (error) =>
        error.actual.some(
          (fault) =>
            fault.startsWith("left loopback") && /192\.0\.2\.7|example\.invalid/.test(fault),
        ),
      name,
    );
  }
});

test("harness: loopback is none of its business", async () => {
  const { page: tab, done } = await open(url);
  await tab.evaluate(
    (port) => Promise.all([fetch("/"), fetch(`http://localhost:${port}/`, { mode: "no-cors" })]),
    page.address().port,
  );
  await done();
});
