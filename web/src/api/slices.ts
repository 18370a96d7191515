// Reads the binary frame of profile:slices (docs/api/profiles.md).
import type { SlicesHeader } from "./types";

export interface Slices {
  header: SlicesHeader;
  begin: Float64Array; // nanoseconds since the beginning of the trace
  duration: Float64Array;
  name: Uint32Array;
  count: Uint32Array; // slices drawn as this one
  id: Uint32Array;
  busy: Float32Array;
  names: Map<number, string>;
}

export function readSlices(buffer: ArrayBuffer): Slices {
  const view = new DataView(buffer);
  if (buffer.byteLength < 16 || view.getUint32(0, true) !== 0x31504654)
    throw new Error("the answer is no frame of slices");
  const head = view.getUint32(4, true);
  const header = JSON.parse(
    new TextDecoder().decode(new Uint8Array(buffer, 16, head)),
  ) as SlicesHeader;
  let at = 16 + head;
  const take = <T>(type: new (b: ArrayBuffer, o: number, n: number) => T, size: number): T => {
    const column = new type(buffer, at, header.count);
    at += Math.ceil((header.count * size) / 8) * 8;
    return column;
  };
  return {
    header,
    begin: take(Float64Array, 8),
    duration: take(Float64Array, 8),
    name: take(Uint32Array, 4),
    count: take(Uint32Array, 4),
    id: take(Uint32Array, 4),
    busy: take(Float32Array, 4),
    names: new Map(header.name_ids.map((id, i) => [id, header.names[i]])),
  };
}
