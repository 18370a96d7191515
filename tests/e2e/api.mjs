// The HTTP API as the tests use it, with its own small frame reader (written apart from the
// dashboard's).
import assert from "node:assert/strict";

export async function postJson(base, path, body) {
  const response = await fetch(base + "api/v1/" + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(
    response.status,
    200,
    `${path}: ${response.status} ${response.status === 200 ? "" : await response.clone().text()}`,
  );
  return response.json();
}
export async function getJson(base, path) {
  const response = await fetch(base + "api/v1/" + path);
  assert.equal(response.status, 200, `${path}: ${response.status}`);
  return response.json();
}

/**
 * Series of one chart: [{run, key, raw, x, min, max, mean, last, smooth, count, low, high, runs}].
 */
export async function query(base, chart) {
  const response = await fetch(base + "api/v1/series:query", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ charts: [{ id: "c", precision: "f32", ...chart }] }),
  });
  assert.equal(response.status, 200);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(bytes.toString("latin1", 0, 4), "TFS1");
  const headerBytes = bytes.readUInt32LE(4);
  const bodyBytes = Number(bytes.readBigUInt64LE(8));
  assert.equal(headerBytes % 8, 0);
  assert.equal(bytes.length, 16 + headerBytes + bodyBytes, "one frame and nothing after it");
  const header = JSON.parse(bytes.toString("utf8", 16, 16 + headerBytes));
  if (header.error) throw new Error(header.error.message);
  const body = bytes.subarray(16 + headerBytes);
  const size = { f64: 8, f32: 4, u32: 4, u16: 2, q16: 2, u8: 1 };
  const read = {
    f64: "readDoubleLE",
    f32: "readFloatLE",
    u32: "readUInt32LE",
    u16: "readUInt16LE",
    u8: "readUInt8",
  };
  const arrays = Object.fromEntries(
    header.fields.map((f) => {
      assert.equal(f.offset % 8, 0, `${f.name} is aligned`);
      return [
        f.name,
        Array.from(
          { length: f.length },
          (_, i) =>
            body[read[f.type]](f.offset + i * size[f.type]) + (f.name === "x" ? (f.bias ?? 0) : 0),
        ),
      ];
    }),
  );
  const out = [];
  let at = 0;
  header.series.bins.forEach((n, i) => {
    const part = (name) => arrays[name]?.slice(at, at + n);
    out.push({
      run: header.runs[header.series.run[i]],
      key: header.keys[header.series.key[i]],
      group: header.groups?.[header.series.group?.[i]],
      raw: header.series.raw[i],
      current: header.series.current[i],
      points: header.series.points[i],
      edges: arrays.x.slice(at + i, at + i + n + 1),
      min: part("min"),
      max: part("max"),
      mean: part("mean"),
      last: part("last"),
      smooth: part("smooth"),
      count: part("count"),
      low: part("low"),
      high: part("high"),
      runs: part("runs"),
    });
    at += n;
  });
  return { header, series: out };
}

/** Raw points of a series through the CSV export: {steps, values}. */
export async function rawSeries(base, run, key) {
  const ticket = await postJson(base, "exports", {
    format: "csv",
    shape: "tidy",
    runs: [run],
    keys: [key],
  });
  const text = await (await fetch(new URL(ticket.href, base))).text();
  const rows = parseCsv(text);
  const head = rows.shift();
  const step = head.indexOf("step"),
    value = head.indexOf("value");
  return {
    steps: rows.map((r) => Number(r[step])),
    values: rows.map((r) => Number(r[value])),
  };
}

export function parseCsv(text) {
  const rows = [];
  let row = [],
    cell = "",
    quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') ((cell += '"'), i++);
      else if (c === '"') quoted = false;
      else cell += c;
    } else if (c === '"') quoted = true;
    else if (c === ",") (row.push(cell), (cell = ""));
    else if (c === "\n") (row.push(cell), rows.push(row), (row = []), (cell = ""));
    else if (c !== "\r") cell += c;
  }
  if (cell || row.length) (row.push(cell), rows.push(row));
  return rows;
}
