// Pixels of pictures as numbers: what one says, how two differ, and where they stand on a stage.

export interface Pixels {
  width: number;
  height: number;
  channels: number; // of `values`, interleaved
  values: ArrayLike<number>;
}

/** One channel where every pixel is grey, else three; four where some are not opaque. */
export function fromRgba(width: number, height: number, data: Uint8ClampedArray): Pixels {
  let grey = true;
  let opaque = true;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] !== data[i + 1] || data[i] !== data[i + 2]) grey = false;
    if (data[i + 3] !== 255) opaque = false;
  }
  const channels = !opaque ? 4 : grey ? 1 : 3;
  const values = new Uint8Array(width * height * channels);
  for (let i = 0, at = 0; i < data.length; i += 4)
    for (let k = 0; k < channels; k++) values[at++] = data[i + k];
  return { width, height, channels, values };
}

/** Numbers of a stored array of pixels; null for types that the page does not read. */
export function fromBytes(
  bytes: ArrayBuffer,
  dtype: string,
  width: number,
  height: number,
): Pixels | null {
  const values =
    dtype === "f32" && bytes.byteLength % 4 === 0
      ? new Float32Array(bytes)
      : dtype === "f64" && bytes.byteLength % 8 === 0
        ? new Float64Array(bytes)
        : null;
  const channels = values ? values.length / (width * height) : 0;
  return values && Number.isInteger(channels) && channels > 0
    ? { width, height, channels, values }
    : null;
}

/** The values of a pixel, one a channel; null outside. */
export function pixelAt(p: Pixels, x: number, y: number): number[] | null {
  if (!(x >= 0 && y >= 0 && x < p.width && y < p.height)) return null;
  const at = (Math.floor(y) * p.width + Math.floor(x)) * p.channels;
  return Array.from({ length: p.channels }, (_, k) => p.values[at + k]);
}

export interface Difference {
  rgba: Uint8ClampedArray;
  mean: number; // of the absolute differences of all channels, of 255
  largest: number;
}

/** Absolute difference of two pictures of the same size, three times as bright as it is. */
export function difference(a: Uint8ClampedArray, b: Uint8ClampedArray): Difference {
  const rgba = new Uint8ClampedArray(a.length);
  let sum = 0;
  let largest = 0;
  for (let i = 0; i < a.length; i += 4) {
    for (let k = 0; k < 3; k++) {
      const d = Math.abs(a[i + k] - b[i + k]);
      sum += d;
      if (d > largest) largest = d;
      rgba[i + k] = Math.min(255, d * 3);
    }
    rgba[i + 3] = 255;
  }
  return { rgba, mean: sum / ((a.length / 4) * 3 || 1), largest };
}

/** Where a picture stands on its stage: its corner, and how large one of its pixels is there. */
export interface Placed {
  x: number;
  y: number;
  scale: number;
}

/** In the middle, as large as the stage lets it; whole multiples where it has to grow. */
export function fitted(width: number, height: number, w: number, h: number): Placed {
  let scale = Math.min(w / width, h / height);
  if (scale > 2) scale = Math.floor(scale);
  return { scale, x: (w - width * scale) / 2, y: (h - height * scale) / 2 };
}

/** The pixel under (px, py) stays there. */
export function zoomed(p: Placed, factor: number, px: number, py: number): Placed {
  const scale = Math.min(200, Math.max(0.02, p.scale * factor));
  const f = scale / p.scale;
  return { scale, x: px - (px - p.x) * f, y: py - (py - p.y) * f };
}
