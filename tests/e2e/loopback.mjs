// Sees every request that leaves loopback, whoever makes it: pages, workers, shared and service
// workers, the browser itself. Chromium sends all of them to this proxy, which answers none and
// keeps their names; only loopback goes past it.
import { once } from "node:events";
import { createServer } from "node:http";

// Chromium's clock and updater have no switch that playwright leaves free. They get no answer
// either, but are no fault of a page.
const ofTheBrowser = ["clients2.google.com", "update.googleapis.com"];
const hostOf = (url) => new URL(url.includes("://") ? url : `https://${url}`).hostname;

export async function watchLoopback() {
  const left = [];
  const note = (url) => ofTheBrowser.includes(hostOf(url)) || left.push(url);
  const proxy = createServer((request, response) => {
    note(request.url);
    response.writeHead(502).end();
  });
  // Encrypted requests and web sockets ask for a tunnel first.
  proxy.on("connect", (request, socket) => {
    note(request.url);
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    left,
    // The browser's own questions (who is signed in, how to fill forms) are sent to a port where
    // nobody listens.
    flags: [
      "--gaia-url=http://127.0.0.1:9",
      "--autofill-server-url=http://127.0.0.1:9",
      `--proxy-server=http://127.0.0.1:${proxy.address().port}`,
      "--proxy-bypass-list=<-loopback>;127.0.0.1;localhost;[::1]",
      "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    ],
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
