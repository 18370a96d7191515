// The pixel columns that a series touches, and how far up and down it goes in each: what every line
// on a chart is drawn from.
//
// Positions on the x axis become pixels once for a whole picture. Series that were logged at the
// same steps share them, so a thousand runs cost little more than their values.
import { axisMap, transform, type AxisMap, type ScaleKind } from "./scale";
import type { Numbers, RasterAxis, RasterData, RasterJob } from "./raster_job";

interface Linear extends AxisMap {
  kind: ScaleKind;
  base: number;
}

function linear(axis: RasterAxis, size: number, upwards: boolean): Linear {
  const map = axisMap(axis.kind, axis.from, axis.to, upwards ? -size : size);
  return { ...map, kind: axis.kind, base: upwards ? size : 0 };
}

export class Spans {
  readonly width: number;
  readonly height: number;
  /** Pixels of data.x. */
  readonly at: Float64Array;
  /** Rows of each column between `first` and `last`; low > high where nothing is. */
  readonly low: Float32Array;
  readonly high: Float32Array;
  first = 0;
  last = -1;
  /** Whether min and max say more than the line does. */
  readonly hasBand: boolean;
  private readonly ys: Linear;
  private rows = new Float32Array(0); // pixels of one series

  constructor(
    readonly data: RasterData,
    job: RasterJob,
  ) {
    this.width = job.width;
    this.height = job.height;
    this.low = new Float32Array(job.width);
    this.high = new Float32Array(job.width);
    this.hasBand =
      data.low !== null &&
      data.high !== null &&
      !(data.low === data.line && data.high === data.line);
    this.ys = linear(job.y, job.height, true);
    const { kind, unit, a, factor, base } = linear(job.x, job.width, false);
    const { x } = data;
    this.at = new Float64Array(x.length);
    if (kind === "linear")
      for (let i = 0; i < x.length; i++) this.at[i] = base + (x[i] * unit - a) * factor;
    else
      for (let i = 0; i < x.length; i++)
        this.at[i] = base + (transform(kind, x[i]) * unit - a) * factor;
  }

  toY = (value: number): number =>
    this.ys.base + (transform(this.ys.kind, value) * this.ys.unit - this.ys.a) * this.ys.factor;

  clear(): void {
    this.low.fill(Infinity);
    this.high.fill(-Infinity);
    this.first = this.width;
    this.last = -1;
  }

  /** Rows of the values of a series, kept near the picture; NaN where there is none. */
  private pixels(values: Numbers, begin: number, end: number): Float32Array {
    if (this.rows.length < end - begin) this.rows = new Float32Array(end - begin);
    const { rows, height } = this;
    const { kind, unit, a, factor, base } = this.ys;
    const floor = -height;
    const ceiling = 2 * height;
    for (let i = begin; i < end; i++) {
      const value = kind === "linear" ? values[i] : transform(kind, values[i]);
      const y = base + (value * unit - a) * factor;
      rows[i - begin] = y < floor ? floor : y > ceiling ? ceiling : y;
    }
    return rows;
  }

  /**
   * Widens the columns by the polyline of `values`. Points without neighbours go to `isolated` as
   * x, y.
   */
  addLine(s: number, values: Numbers, isolated: number[] | null): void {
    const { width, low, high, at } = this;
    const { starts, raw, count, shift } = this.data;
    const begin = starts[s];
    const end = starts[s + 1];
    const rows = this.pixels(values, begin, end);
    const isRaw = raw[s] === 1;
    const toX = shift[s];
    let { first, last } = this;
    let px = NaN;
    let py = NaN;
    let joined = 0; // points since the last gap
    for (let i = begin; i < end; i++) {
      const y = rows[i - begin];
      const x = isRaw ? at[i + toX] : (at[i + toX] + at[i + toX + 1]) / 2;
      if (y !== y || x !== x) {
        // An empty bin is no gap (nothing was logged there); a bin of NaN is, and so is what the
        // axis cannot show.
        if (values[i] !== values[i] && (count ? count[i] === 0 : !isRaw)) continue;
        if (joined === 1 && isolated) isolated.push(px, py);
        px = NaN;
        joined = 0;
        continue;
      }
      if (px !== px || px >= width || x < 0) {
        // The first point after a gap, or a segment outside the picture.
        if (px !== px && x >= 0 && x < width) {
          const c = Math.floor(x);
          if (y < low[c]) low[c] = y;
          if (y > high[c]) high[c] = y;
          if (c < first) first = c;
          if (c > last) last = c;
        }
      } else {
        const from = px < 0 ? 0 : Math.floor(px);
        const to = x < width ? Math.floor(x) : width - 1;
        if (to > last) last = to;
        if (from >= to) {
          if (to < first) first = to;
          const top = y < py ? y : py;
          const bottom = y < py ? py : y;
          if (top < low[to]) low[to] = top;
          if (bottom > high[to]) high[to] = bottom;
        } else {
          if (from < first) first = from;
          const slope = (y - py) / (x - px);
          let left = px < 0 ? py - px * slope : py;
          for (let c = from; c <= to; c++) {
            const right = c === to && x < width ? y : py + (c + 1 - px) * slope;
            const top = left < right ? left : right;
            const bottom = left < right ? right : left;
            if (top < low[c]) low[c] = top;
            if (bottom > high[c]) high[c] = bottom;
            left = right;
          }
        }
      }
      joined++;
      px = x;
      py = y;
    }
    if (joined === 1 && isolated) isolated.push(px, py);
    this.first = first;
    this.last = last;
  }

  /** Widens the columns by the band (min and max) of a series. */
  addBand(s: number): void {
    const { width, height, low, high, at } = this;
    const { starts, raw, count, shift } = this.data;
    const { kind, unit, a: origin, factor, base } = this.ys;
    const lows = this.data.low!;
    const highs = this.data.high!;
    const isRaw = raw[s] === 1;
    const toX = shift[s];
    let { first, last } = this;
    let pc = -1;
    let pl = 0;
    let ph = 0;
    for (let i = starts[s]; i < starts[s + 1]; i++) {
      const a = lows[i];
      const b = highs[i];
      if (a !== a || b !== b) {
        if (!count || count[i] > 0) pc = -1;
        continue;
      }
      const x0 = at[i + toX];
      const x1 = isRaw ? x0 : at[i + toX + 1];
      const ta = kind === "linear" ? a : transform(kind, a);
      const l = ta === ta ? base + (ta * unit - origin) * factor : height;
      const h = base + ((kind === "linear" ? b : transform(kind, b)) * unit - origin) * factor;
      if (h !== h || x1 < 0 || x0 >= width) {
        pc = -1;
        continue;
      }
      const c0 = x0 < 0 ? 0 : Math.floor(x0);
      const c1 = Math.min(width - 1, Math.max(c0, Math.ceil(x1) - 1));
      // Between distant neighbours (raw points of a group) the band is joined by straight edges.
      if (pc >= 0 && c0 - pc > 1) {
        for (let c = pc + 1; c < c0; c++) {
          const t = (c - pc) / (c0 - pc);
          low[c] = Math.min(low[c], ph + (h - ph) * t);
          high[c] = Math.max(high[c], pl + (l - pl) * t);
        }
      }
      for (let c = c0; c <= c1; c++) {
        if (h < low[c]) low[c] = h;
        if (l > high[c]) high[c] = l;
      }
      if (c0 < first) first = c0;
      if (c1 > last) last = c1;
      pc = c1;
      pl = l;
      ph = h;
    }
    this.first = first;
    this.last = last;
  }
}
