// Stand-in server for developing the dashboard: speaks docs/api from seeded data held in memory. Not part of the product.
//   node dev/server.mjs [--scenario demo,thousand,…] [--port 0] [--live] [--base /x/y]
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Catalogue } from "./catalogue.mjs";
import { blob } from "./files.mjs";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8", ".woff2": "font/woff2", ".json": "application/json", ".map": "application/json" };
const policy = "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";
const blobTypes = { png: "image/png", jpeg: "image/jpeg", gif: "image/gif", mp4: "video/mp4", webm: "video/webm", wav: "audio/wav", json: "application/json", txt: "text/plain" };

export function startServer({ scenarios = ["demo"], port = 0, live = false, base = "", readOnly = false, options = {} } = {}) {
  const catalogue = new Catalogue(scenarios, options);
  const instance = randomBytes(6).toString("hex");
  const assets = existsSync(join(dist, "index.html")) ? createHash("sha256").update(readFileSync(join(dist, "index.html"))).digest("hex").slice(0, 12) : "none";
  const events = [];
  const streams = new Set();
  let nextId = 1;
  const stats = { requests: [], bytes: 0 };

  function publish(event, data) {
    const entry = { id: nextId++, event, data };
    events.push(entry);
    if (events.length > 2000) events.shift();
    for (const stream of streams) stream.write(`id: ${entry.id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
  catalogue.publish = publish;

  async function bodyOf(request) {
    const parts = [];
    for await (const part of request) parts.push(part);
    return JSON.parse(Buffer.concat(parts).toString() || "{}");
  }

  async function api(request, response, name, query) {
    const json = (value) => {
      const text = JSON.stringify(value);
      response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-cache" });
      response.end(text);
      stats.bytes += text.length;
    };
    if (name === "server") return json({ version: "0.1.0-dev", api: 1, assets, instance, read_only: readOnly, time_ms: Date.now(), roots: [{ name: "main", location: "./taffrail", source: "taffrail", read_only: readOnly }] });
    if (name === "events") {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no" });
      response.write(`event: hello\ndata: ${JSON.stringify({ instance, assets, revision: catalogue.revision })}\n\n`);
      const since = Number(request.headers["last-event-id"] ?? query.get("since") ?? nextId);
      for (const e of events) if (e.id > since) response.write(`id: ${e.id}\nevent: ${e.event}\ndata: ${JSON.stringify(e.data)}\n\n`);
      streams.add(response);
      const beat = setInterval(() => response.write(": keep\n\n"), 15000);
      response.on("close", () => (clearInterval(beat), streams.delete(response)));
      return;
    }
    if (name === "changes") {
      const since = Number(query.get("since") ?? nextId - 1);
      return json({ next: nextId - 1, reset: false, events: events.filter((e) => e.id > since) });
    }
    if (name === "image" || name === "blob") {
      const sha = name === "blob" ? query.get("sha") : catalogue.imageSha(query);
      const bytes = blob(sha);
      if (!bytes) throw Object.assign(new Error("no such blob"), { status: 404 });
      const type = name === "image" ? "image/png" : (blobTypes[query.get("format")] ?? "application/octet-stream");
      const head = { "Content-Type": type, "Accept-Ranges": "bytes", "X-Content-Type-Options": "nosniff", ETag: `"${sha}"`, "Cache-Control": "private, max-age=31536000, immutable", "Content-Security-Policy": "sandbox" };
      if (query.get("name")) head["Content-Disposition"] = `attachment; filename*=UTF-8''${encodeURIComponent(query.get("name"))}`;
      const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
      if (range) {
        const first = Number(range[1]);
        const last = Math.min(bytes.length - 1, range[2] ? Number(range[2]) : bytes.length - 1);
        response.writeHead(206, { ...head, "Content-Range": `bytes ${first}-${last}/${bytes.length}`, "Content-Length": last - first + 1 });
        return response.end(bytes.subarray(first, last + 1));
      }
      response.writeHead(200, { ...head, "Content-Length": bytes.length });
      return response.end(bytes);
    }
    if (name === "series:query") {
      const { charts } = await bodyOf(request);
      response.writeHead(200, { "Content-Type": "application/vnd.taffrail.frames", "Cache-Control": "no-store" });
      for (const chart of charts) {
        if (response.destroyed) return;
        const frame = catalogue.frame(chart);
        stats.bytes += frame.length;
        response.write(frame);
        await new Promise((r) => setImmediate(r));
      }
      return response.end();
    }
    if (name === "export") {
      const file = catalogue.tickets.get(query.get("id"));
      if (!file) throw Object.assign(new Error("this export has expired"), { status: 404 });
      response.writeHead(200, { "Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}` });
      return response.end(file.text());
    }
    if (request.method === "POST") {
      if (readOnly && /^(edits|views:|settings|states)/.test(name)) throw Object.assign(new Error("the server was started with --read-only"), { status: 403, code: "read_only" });
      const answer = catalogue.post(name, await bodyOf(request));
      if (answer !== undefined) return json(answer);
    } else {
      const answer = catalogue.get(name, query);
      if (answer !== undefined) return json(answer);
    }
    throw Object.assign(new Error(`no route ${name}`), { status: 404 });
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://x");
    let path = decodeURIComponent(url.pathname);
    if (base && !path.startsWith(base)) return response.writeHead(404).end();
    path = path.slice(base.length);
    stats.requests.push(path);
    try {
      if (path.startsWith("/api/v1/")) return await api(request, response, path.slice(8), url.searchParams);
      const file = join(dist, normalize(path === "/" || !extname(path) ? "/index.html" : path));
      if (!file.startsWith(dist) || !existsSync(file)) return response.writeHead(404).end("not found");
      response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream", "Content-Security-Policy": policy, "Cache-Control": path.startsWith("/assets/") ? "max-age=31536000, immutable" : "no-cache" });
      response.end(readFileSync(file));
    } catch (error) {
      if (response.headersSent) return response.destroy();
      const status = error.status ?? (error.offset !== undefined ? 400 : 500);
      if (status === 500) console.error(error);
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ error: { code: error.code ?? (status === 404 ? "not_found" : status === 400 ? "invalid" : "internal"), message: error.message, offset: error.offset, request_id: randomBytes(4).toString("hex") } }));
    }
  });
  const timer = live ? setInterval(() => catalogue.grow(), 250) : null;
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}${base}/`, port: server.address().port, catalogue, stats, publish,
        close: () => {
          if (timer) clearInterval(timer);
          for (const s of streams) s.destroy();
          server.closeAllConnections();
          return new Promise((done) => server.close(done));
        },
      }));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const option = (name, fallback) => {
    const i = process.argv.indexOf("--" + name);
    return i < 0 ? fallback : process.argv[i + 1];
  };
  const server = await startServer({ scenarios: option("scenario", "demo").split(","), port: Number(option("port", 0)), live: process.argv.includes("--live"), base: option("base", ""), readOnly: process.argv.includes("--read-only") });
  console.log(JSON.stringify({ address: server.url }));
}
