// One stream for every tab of this server: browsers allow about six connections to one origin, and
// each open stream holds one.
import { LiveStream, type LiveMessage } from "./live_stream";

const ports = new Set<MessagePort>();
const stream = new LiveStream(new URL("../api/v1/", location.href), (message) => {
  for (const port of ports) port.postMessage(message);
});
stream.start();

(self as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = (event) => {
  const port = event.ports[0];
  ports.add(port);
  port.onmessage = () => ports.delete(port); // its tab is closing
  const send = (message: LiveMessage) => port.postMessage(message);
  send({ kind: "state", state: stream.state, lostSince: stream.lostSince });
  if (stream.hello) send({ kind: "event", event: "hello", data: stream.hello });
};
