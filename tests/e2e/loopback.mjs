// Sees every request that leaves loopback, whoever makes it: pages, workers, shared and service workers, the browser itself. Chromium sends
// all of them to this proxy, which answers none and keeps their names; only loopback goes past it.
import { once } from "node:events";
import { createServer } from "node:http";

export async function watchLoopback() {
  const left = [];
  const proxy = createServer((request, response) => {
    left.push(request.url);
    response.writeHead(502).end();
  });
  // Encrypted requests and web sockets ask for a tunnel first.
  proxy.on("connect", (request, socket) => {
    left.push(request.url);
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    left,
    flags: [`--proxy-server=http://127.0.0.1:${proxy.address().port}`, "--proxy-bypass-list=<-loopback>;127.0.0.1;localhost;[::1]", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"],
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
