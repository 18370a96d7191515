// Small media files made in memory: PNG, WAV, raw frames, point clouds, meshes.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { normal, random } from "./random.mjs";

const blobs = new Map();

/** Keeps bytes and returns the reference the API uses. */
export function keep(bytes) {
  const sha = createHash("sha256").update(bytes).digest("hex");
  blobs.set(sha, bytes);
  return { sha, size: bytes.length };
}
export const blob = (sha) => blobs.get(sha);

const crcTable = Int32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
function crc32(bytes) {
  let c = -1;
  for (const b of bytes) c = crcTable[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ -1) >>> 0;
}

/** RGB PNG from pixel(x, y) → [r, g, b]. */
export function png(width, height, pixel) {
  const raw = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0, at = 0; y < height; y++) {
    raw[at++] = 0;
    for (let x = 0; x < width; x++) for (const v of pixel(x, y)) raw[at++] = v;
  }
  const chunk = (type, data) => {
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length, 0);
    out.write(type, 4, "latin1");
    data.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(raw, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A grid of blurred digit-like strokes whose sharpness grows with `quality` 0…1. */
export function strokes(seed, quality) {
  const name = `${seed} ${quality.toFixed(3)}`;
  if (!pictures.has(name)) pictures.set(name, draw(seed, quality, 6, 20));
  return pictures.get(name);
}
const pictures = new Map();

function draw(seed, quality, cells, size) {
  const side = cells * size;
  const strokesOf = Array.from({ length: cells * cells }, (_, cell) => {
    const own = random(seed * 977 + cell * 31 + 7);
    return Array.from({ length: 3 }, () =>
      [own(), own(), own(), own()].map((v) => 3 + v * (size - 6)),
    );
  });
  const noise = random(seed * 31 + Math.round(quality * 1e4));
  return png(side, side, (x, y) => {
    const list = strokesOf[Math.floor(y / size) * cells + Math.floor(x / size)];
    const px = x % size,
      py = y % size;
    let best = 1e9;
    for (const [ax, ay, bx, by] of list) {
      const dx = bx - ax,
        dy = by - ay;
      const t = Math.max(
        0,
        Math.min(1, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy + 1e-9)),
      );
      best = Math.min(best, Math.hypot(px - ax - t * dx, py - ay - t * dy));
    }
    const blur = 1 + (1 - quality) * 5;
    const v = Math.max(
      0,
      Math.min(
        255,
        255 * Math.exp(-((best / blur) ** 2)) * (0.4 + 0.6 * quality) +
          (1 - quality) * 70 * noise(),
      ),
    );
    return [v, v, v];
  });
}

export function wav(seconds, frequency, rate = 16000) {
  const n = Math.round(seconds * rate);
  const out = Buffer.alloc(44 + n * 2);
  (out.write("RIFF", 0),
    out.writeUInt32LE(36 + n * 2, 4),
    out.write("WAVEfmt ", 8),
    out.writeUInt32LE(16, 16));
  (out.writeUInt16LE(1, 20),
    out.writeUInt16LE(1, 22),
    out.writeUInt32LE(rate, 24),
    out.writeUInt32LE(rate * 2, 28));
  (out.writeUInt16LE(2, 32),
    out.writeUInt16LE(16, 34),
    out.write("data", 36),
    out.writeUInt32LE(n * 2, 40));
  for (let i = 0; i < n; i++)
    out.writeInt16LE(
      Math.round(12000 * Math.sin((6.2832 * frequency * i) / rate) * Math.exp((-3 * i) / n)),
      44 + i * 2,
    );
  return out;
}

export function frames(count, width, height, phase) {
  const out = Buffer.alloc(count * width * height * 3);
  for (let t = 0, at = 0; t < count; t++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const d = Math.hypot(
          x - width / 2 - 20 * Math.cos(t / 4 + phase),
          y - height / 2 - 14 * Math.sin(t / 4 + phase),
        );
        const v = 255 * Math.exp(-((d / 9) ** 2));
        ((out[at++] = v), (out[at++] = v * 0.6 + 20), (out[at++] = 60 + v * 0.4));
      }
  return out;
}

/** Binary PLY point cloud: a noisy torus with colours. */
export function plyCloud(count, seed) {
  const g = normal(random(seed));
  const u = random(seed + 1);
  const head = Buffer.from(
    `ply\nformat binary_little_endian 1.0\nelement vertex ${count}\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n`,
  );
  const body = Buffer.alloc(count * 15);
  for (let i = 0; i < count; i++) {
    const a = u() * 6.2832,
      b = u() * 6.2832,
      r = 0.35 + 0.02 * g();
    const at = i * 15;
    body.writeFloatLE((1 + r * Math.cos(b)) * Math.cos(a), at);
    body.writeFloatLE((1 + r * Math.cos(b)) * Math.sin(a), at + 4);
    body.writeFloatLE(r * Math.sin(b), at + 8);
    ((body[at + 12] = 128 + 127 * Math.cos(a)),
      (body[at + 13] = 128 + 127 * Math.cos(b)),
      (body[at + 14] = 200));
  }
  return Buffer.concat([head, body]);
}

/** "arrays" mesh of a bumpy sphere. */
export function sphereArrays(rings, bump) {
  const vertices = [],
    faces = [],
    colors = [];
  for (let i = 0; i <= rings; i++)
    for (let j = 0; j <= 2 * rings; j++) {
      const t = (Math.PI * i) / rings,
        p = (Math.PI * j) / rings;
      const r = 1 + bump * Math.sin(5 * t) * Math.cos(6 * p);
      vertices.push(r * Math.sin(t) * Math.cos(p), r * Math.sin(t) * Math.sin(p), r * Math.cos(t));
      colors.push(120 + 100 * Math.cos(t), 130, 150 + 100 * Math.sin(p));
    }
  for (let i = 0; i < rings; i++)
    for (let j = 0; j < 2 * rings; j++) {
      const a = i * (2 * rings + 1) + j,
        b = a + 2 * rings + 1;
      faces.push(a, b, a + 1, b, b + 1, a + 1);
    }
  return {
    vertices: vertices.length / 3,
    faces: faces.length / 3,
    bytes: Buffer.concat([
      Buffer.from(Float32Array.from(vertices).buffer),
      Buffer.from(Uint32Array.from(faces).buffer),
      Buffer.from(Uint8Array.from(colors).buffer),
    ]),
  };
}

/** A cube as GLB: one node, one primitive, indexed. */
export function glbCube() {
  const positions = Float32Array.from([
    -1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1,
  ]);
  const indices = Uint16Array.from([
    0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 2, 3, 7, 2, 7, 6, 1, 2, 6, 1, 6, 5, 0, 4,
    7, 0, 7, 3,
  ]);
  const binary = Buffer.concat([Buffer.from(positions.buffer), Buffer.from(indices.buffer)]);
  const json = JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, rotation: [0, 0, 0.3826834, 0.9238795] }],
    materials: [{ pbrMetallicRoughness: { baseColorFactor: [0.9, 0.4, 0.2, 1] } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 8, type: "VEC3" },
      { bufferView: 1, componentType: 5123, count: 36, type: "SCALAR" },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: 96 },
      { buffer: 0, byteOffset: 96, byteLength: 72 },
    ],
    buffers: [{ byteLength: binary.length }],
  });
  const text = Buffer.from(json + " ".repeat((4 - (json.length % 4)) % 4));
  const head = Buffer.alloc(20);
  (head.write("glTF", 0),
    head.writeUInt32LE(2, 4),
    head.writeUInt32LE(28 + text.length + binary.length, 8),
    head.writeUInt32LE(text.length, 12),
    head.write("JSON", 16));
  const chunk = Buffer.alloc(8);
  (chunk.writeUInt32LE(binary.length, 0), chunk.write("BIN\0", 4));
  return Buffer.concat([head, text, chunk, binary]);
}

/**
 * An animated GIF of grey squares that move; codes are never combined, so no compressor is needed.
 */
export function gif(count, side = 32) {
  const word = (v) => [v & 255, v >> 8];
  const out = [...Buffer.from("GIF89a"), ...word(side), ...word(side), 0xf6, 0, 0];
  for (let i = 0; i < 128; i++) out.push(i * 2, i, 255 - i);
  out.push(0x21, 0xff, 11, ...Buffer.from("NETSCAPE2.0"), 3, 1, 0, 0, 0);
  for (let f = 0; f < count; f++) {
    out.push(
      0x21,
      0xf9,
      4,
      0,
      ...word(8),
      0,
      0,
      0x2c,
      0,
      0,
      0,
      0,
      ...word(side),
      ...word(side),
      0,
      7,
    );
    for (let at = 0; at < side * side; at += 100) {
      const pixels = Array.from(
        { length: Math.min(100, side * side - at) },
        (_, i) => (Math.floor((at + i) / side / 4) * 9 + f * 16) & 127,
      );
      // a clear code first keeps every code at eight bits
      out.push(pixels.length + 1, 128, ...pixels);
    }
    out.push(1, 129, 0);
  }
  return Buffer.from([...out, 0x3b]);
}
