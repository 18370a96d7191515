// TensorBoard event files with scalars, written byte by byte: a log folder that no code of the
// product has touched.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0x82f63b78 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
function masked(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8);
  c = (c ^ 0xffffffff) >>> 0;
  return (((c >>> 15) | (c << 17)) + 0xa282ead8) >>> 0;
}

function varint(value) {
  const out = [];
  let v = BigInt.asUintN(64, BigInt(value));
  do {
    out.push(Number(v & 127n) | (v > 127n ? 128 : 0));
    v >>= 7n;
  } while (v > 0n);
  return Buffer.from(out);
}
const bytesField = (number, bytes) =>
  Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
const double = (number, value) => {
  const b = Buffer.alloc(9);
  b[0] = (number << 3) | 1;
  b.writeDoubleLE(value, 1);
  return b;
};

/** One framed event with a scalar tensor of doubles, as current TensorBoard writers make them. */
function scalarEvent(tag, step, timeMs, value) {
  const number = Buffer.alloc(8);
  number.writeDoubleLE(value);
  // DT_DOUBLE, scalar shape, tensor_content
  const tensor = Buffer.concat([Buffer.from([0x08, 0x02, 0x12, 0x00]), bytesField(4, number)]);
  const plugin = bytesField(9, bytesField(1, bytesField(1, Buffer.from("scalars"))));
  const entry = Buffer.concat([bytesField(1, Buffer.from(tag)), plugin, bytesField(8, tensor)]);
  return frame(
    Buffer.concat([
      double(1, timeMs / 1000),
      Buffer.from([0x10]),
      varint(step),
      bytesField(5, bytesField(1, entry)),
    ]),
  );
}

function frame(data) {
  const head = Buffer.alloc(12);
  head.writeBigUInt64LE(BigInt(data.length), 0);
  head.writeUInt32LE(masked(head.subarray(0, 8)), 8);
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(masked(data), 0);
  return Buffer.concat([head, data, tail]);
}

export function writeEventFile(folder, run) {
  const place = join(folder, run.id.replace(/[^\w-]/g, "_"));
  mkdirSync(place, { recursive: true });
  const file = join(place, "events.out.tfevents.1790841600.e2e");
  writeFileSync(
    file,
    frame(
      Buffer.concat([double(1, run.start_ms / 1000), bytesField(3, Buffer.from("brain.Event:2"))]),
    ),
  );
  for (const [key, series] of run.series) {
    let parts = [];
    for (let i = 0; i < series.value.length; i++) {
      parts.push(scalarEvent(key, series.step(i), series.time(i), series.value[i]));
      if (parts.length === 20000) (appendFileSync(file, Buffer.concat(parts)), (parts = []));
    }
    appendFileSync(file, Buffer.concat(parts));
  }
  return file;
}
