// Reads the binary frames of series:query (docs/api/frame.md) from a stream, one chart at a time.
import { untransform, type ScaleKind } from "../viz/scale";
import type { FieldDirectory, FrameHeader } from "./types";

export interface Frame {
  header: FrameHeader;
  x: Float64Array;
  fields: Map<string, Float64Array | Float32Array | Uint32Array | Uint8Array>;
}

/**
 * Memory that the raster worker can read without a copy, where the browser allows it (the server's
 * headers ask for that).
 */
const memory = (bytes: number): ArrayBufferLike =>
  globalThis.crossOriginIsolated ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);

/**
 * Whether single precision draws what lies between two values as well as double does: it must hold
 * them, and tell pixels apart.
 */
const isSingleEnough = (low: number, high: number) => {
  const reach = Math.max(Math.abs(low), Math.abs(high));
  return reach < 3e38 && (reach === 0 || (reach > 1e-30 && (high - low) * 2048 >= reach));
};

const types = {
  f64: Float64Array,
  f32: Float32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
  q16: Uint16Array,
};

function readField(
  field: FieldDirectory,
  body: ArrayBufferLike,
  yScale: ScaleKind,
): Float64Array | Float32Array | Uint32Array | Uint8Array | Uint16Array {
  const Type = types[field.type];
  const array = new Type(body as ArrayBuffer, field.offset, field.length);
  if (field.type !== "q16") return array;
  const bias = field.bias ?? 0;
  const scale = field.scale ?? 1;
  const single = isSingleEnough(
    untransform(yScale, bias),
    untransform(yScale, bias + scale * 65534),
  );
  const out = single
    ? new Float32Array(memory(array.length * 4))
    : new Float64Array(memory(array.length * 8));
  const length = array.length;
  if (yScale === "linear")
    for (let i = 0; i < length; i++) out[i] = array[i] === 65535 ? NaN : bias + scale * array[i];
  else
    for (let i = 0; i < length; i++)
      out[i] = array[i] === 65535 ? NaN : untransform(yScale, bias + scale * array[i]);
  return out;
}

function readX(array: ArrayLike<number>, bias: number): Float64Array {
  const x = new Float64Array(memory(array.length * 8));
  for (let i = 0; i < x.length; i++) x[i] = array[i] + bias;
  return x;
}

export function decodeFrame(header: FrameHeader, body: ArrayBufferLike): Frame {
  const fields: Frame["fields"] = new Map();
  let x: Float64Array = new Float64Array(0);
  for (const field of header.fields ?? []) {
    const array = readField(field, body, (header.y_scale || "linear") as ScaleKind);
    if (field.name === "x") {
      x = array instanceof Float64Array ? array : readX(array, field.bias ?? 0);
    } else {
      fields.set(field.name, array as Float32Array);
    }
  }
  return { header, x, fields };
}

/** Calls `each` for every frame as soon as it is complete. */
export async function readFrames(
  response: Response,
  each: (frame: Frame) => void,
): Promise<number> {
  const reader = response.body!.getReader();
  let chunks: Uint8Array[] = [];
  let held = 0;
  let total = 0;

  const take = (count: number, out = new Uint8Array(count) as Uint8Array): Uint8Array => {
    let at = 0;
    while (at < count) {
      const chunk = chunks[0];
      const part = chunk.subarray(0, count - at);
      out.set(part, at);
      at += part.length;
      if (part.length === chunk.length) chunks.shift();
      else chunks[0] = chunk.subarray(part.length);
    }
    held -= count;
    return out;
  };
  let head: { header: number; body: number } | null = null;
  let header: FrameHeader | null = null;
  for (;;) {
    const { done, value } = await reader.read();
    if (value) {
      chunks.push(value);
      held += value.length;
      total += value.length;
    }
    for (;;) {
      if (!head) {
        if (held < 16) break;
        const view = new DataView(take(16).buffer);
        if (view.getUint32(0, true) !== 0x31534654) throw new Error("the reply is no series frame");
        head = { header: view.getUint32(4, true), body: Number(view.getBigUint64(8, true)) };
      }
      if (!header) {
        if (held < head.header) break;
        header = JSON.parse(new TextDecoder().decode(take(head.header))) as FrameHeader;
      }
      if (held < head.body) break;
      each(decodeFrame(header, take(head.body, new Uint8Array(memory(head.body))).buffer));
      head = null;
      header = null;
    }
    if (done) break;
  }
  if (head || held > 0) throw new Error("the reply was cut short");
  chunks = [];
  return total;
}
