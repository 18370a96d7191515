// Reads the binary frames of series:query (docs/api/frame.md) from a stream, one chart at a time.
import { untransform, type ScaleKind } from "../viz/scale";
import type { FieldDirectory, FrameHeader } from "./types";

export interface Frame {
  header: FrameHeader;
  x: Float64Array;
  fields: Map<string, Float32Array | Uint32Array | Uint8Array>;
}

const types = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array, q16: Uint16Array };

function readField(field: FieldDirectory, body: ArrayBuffer, yScale: ScaleKind): Float64Array | Float32Array | Uint32Array | Uint8Array | Uint16Array {
  const Type = types[field.type];
  const array = new Type(body, field.offset, field.length);
  if (field.type !== "q16") return array;
  const out = new Float32Array(array.length);
  const bias = field.bias ?? 0;
  const scale = field.scale ?? 1;
  for (let i = 0; i < array.length; i++) {
    const q = array[i];
    out[i] = q === 65535 ? NaN : yScale === "linear" ? bias + scale * q : untransform(yScale, bias + scale * q);
  }
  return out;
}

export function decodeFrame(header: FrameHeader, body: ArrayBuffer): Frame {
  const fields = new Map<string, Float32Array | Uint32Array | Uint8Array>();
  let x = new Float64Array(0);
  for (const field of header.fields ?? []) {
    const array = readField(field, body, (header.y_scale || "linear") as ScaleKind);
    if (field.name === "x") {
      const bias = field.bias ?? 0;
      x = array instanceof Float64Array ? (array as Float64Array<ArrayBuffer>) : Float64Array.from(array, (v) => v + bias);
    } else {
      fields.set(field.name, array as Float32Array);
    }
  }
  return { header, x, fields };
}

/** Calls `each` for every frame as soon as it is complete. */
export async function readFrames(response: Response, each: (frame: Frame) => void): Promise<number> {
  const reader = response.body!.getReader();
  let chunks: Uint8Array[] = [];
  let held = 0;
  let total = 0;

  const take = (count: number): Uint8Array<ArrayBuffer> => {
    const out = new Uint8Array(count);
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
      each(decodeFrame(header, take(head.body).buffer));
      head = null;
      header = null;
    }
    if (done) break;
  }
  if (head || held > 0) throw new Error("the reply was cut short");
  chunks = [];
  return total;
}
