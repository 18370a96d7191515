// What is to be drawn: the numbers of a chart, its axes and colours, as the page hands them to the
// worker.
import type { ScaleKind } from "./scale";

/**
 * Values of a chart: single precision where that is enough to draw them, double where not
 * (docs/api/frame.md).
 */
export type Numbers = Float32Array | Float64Array;

/**
 * The numbers of a chart as the raster sees them; series stand one after another, see
 * docs/api/frame.md.
 */
export interface RasterData {
  starts: Uint32Array; // first bin of series i; one more at the end
  raw: Uint8Array;
  x: Float64Array; // of bin i of series s: x[i + shift[s]]; series on the same x share it
  shift: Int32Array;
  line: Numbers; // what the line follows: mean, or the smoothed value
  low: Numbers | null; // band
  high: Numbers | null;
  count: Uint32Array | null;
  under: Numbers | null; // raw values under a smoothed line of raw points
  markBin: Uint32Array;
  markKind: Uint8Array;
}

export interface RasterStyle {
  rgb: [number, number, number];
  alpha: number;
  bandAlpha: number;
  width: number;
  dash: readonly [number, number] | null;
  calm?: boolean; // without the raw values under it
  dots: boolean;
}

export interface RasterAxis {
  kind: ScaleKind;
  from: number;
  to: number;
}

export interface RasterJob {
  width: number; // device pixels
  height: number;
  x: RasterAxis;
  y: RasterAxis;
  ground: [number, number, number];
  grid: [number, number, number];
  gridX: number[]; // device pixels
  gridY: number[];
  styles: (RasterStyle | null)[]; // null: not drawn; unused in density mode
  order: Uint32Array; // visible series in painting order
  density: [number, number, number] | null; // colour of the densest pixel: density mode
  ratio: number; // device pixels per CSS pixel
}

/** A colour as the word of an opaque pixel. */
export function word(rgb: [number, number, number]): number {
  return ((255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0]) >>> 0;
}
