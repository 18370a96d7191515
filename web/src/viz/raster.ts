// The line renderer: every series becomes one (low, high) span per pixel column, and spans are filled into a pixel buffer.
//
// Cost is bound by pixels, not by points, and needs no GPU. The buffer is opaque (ground and grid are painted first), so
// blending is a plain mix with what is there.
import { transform, type ScaleKind } from "./scale";

/** The numbers of a chart as the raster sees them; series stand one after another, see docs/api/frame.md. */
export interface RasterData {
  starts: Uint32Array; // first bin of series i; one more at the end
  raw: Uint8Array;
  x: Float64Array; // series i begins at starts[i] + i
  line: Float32Array; // what the line follows: mean, or the smoothed value
  low: Float32Array | null; // band
  high: Float32Array | null;
  count: Uint32Array | null;
  under: Float32Array | null; // raw values under a smoothed line of raw points
  markBin: Uint32Array;
  markKind: Uint8Array;
}

export interface RasterStyle {
  rgb: [number, number, number];
  alpha: number;
  bandAlpha: number;
  width: number;
  dash: readonly [number, number] | null;
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
  styles: (RasterStyle | null)[]; // null: not drawn
  order: Uint32Array; // series in painting order
  density: [number, number, number] | null; // colour of the densest pixel: density mode
  ratio: number; // device pixels per CSS pixel
}

export class Raster {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  private readonly words: Uint32Array;
  private readonly low: Float32Array;
  private readonly high: Float32Array;

  constructor(readonly job: RasterJob) {
    const { width, height } = job;
    this.pixels = new Uint8ClampedArray(width * height * 4);
    this.words = new Uint32Array(this.pixels.buffer);
    this.low = new Float32Array(width);
    this.high = new Float32Array(width);
  }

  draw(data: RasterData): void {
    this.paintGround();
    if (this.job.density) {
      this.drawDensity(data);
      return;
    }
    const { order, styles } = this.job;
    for (const s of order) if (styles[s] && styles[s].bandAlpha > 0 && data.low && data.high) this.drawBand(data, s, styles[s]);
    for (const s of order) if (styles[s]) this.drawSeries(data, s, styles[s]);
    this.drawMarks(data);
  }

  private paintGround(): void {
    const { width, height, ground, grid, gridX, gridY } = this.job;
    this.words.fill(word(ground));
    const gridWord = word(grid);
    for (const y of gridY) {
      const row = Math.round(y);
      if (row >= 0 && row < height) this.words.fill(gridWord, row * width, row * width + width);
    }
    for (const x of gridX) {
      const column = Math.round(x);
      if (column < 0 || column >= width) continue;
      for (let at = column; at < this.words.length; at += width) this.words[at] = gridWord;
    }
  }

  private axis(axis: RasterAxis, size: number, upwards: boolean): { kind: ScaleKind; a: number; factor: number; base: number } {
    const a = transform(axis.kind, axis.from);
    const span = transform(axis.kind, axis.to) - a;
    const factor = span !== 0 && Number.isFinite(span) ? size / span : 0;
    return upwards ? { kind: axis.kind, a, factor: -factor, base: size } : { kind: axis.kind, a, factor, base: 0 };
  }

  /** Low and high pixel of every column that the polyline of `values` touches. Returns the column range. */
  private trace(data: RasterData, s: number, values: Float32Array, isolated: number[] | null): [number, number] {
    const { width, height } = this.job;
    const xs = this.axis(this.job.x, width, false);
    const ys = this.axis(this.job.y, height, true);
    const { low, high } = this;
    low.fill(Infinity);
    high.fill(-Infinity);
    let first = width;
    let last = -1;
    const begin = data.starts[s];
    const end = data.starts[s + 1];
    const isRaw = data.raw[s] === 1;
    const floor = -height;
    const ceiling = 2 * height;
    let px = NaN;
    let py = NaN;
    let joined = 0; // points since the last gap
    const mark = (c: number, a: number, b: number) => {
      if (c < 0 || c >= width) return;
      if (a > b) [a, b] = [b, a];
      if (a < low[c]) low[c] = a;
      if (b > high[c]) high[c] = b;
      if (c < first) first = c;
      if (c > last) last = c;
    };
    for (let i = begin; i < end; i++) {
      const value = values[i];
      if (value !== value) {
        // An empty bin is no gap (nothing was logged there); a bin of NaN is.
        if (data.count && data.count[i] === 0) continue;
        if (!data.count && !isRaw) continue;
        if (joined === 1 && isolated) isolated.push(px, py);
        px = NaN;
        joined = 0;
        continue;
      }
      const xa = transform(xs.kind, data.x[i + s]);
      const xb = isRaw ? xa : transform(xs.kind, data.x[i + s + 1]);
      const x = xs.base + ((xa + xb) / 2 - xs.a) * xs.factor;
      const t = transform(ys.kind, value);
      if (t !== t || x !== x) {
        if (joined === 1 && isolated) isolated.push(px, py);
        px = NaN;
        joined = 0;
        continue;
      }
      const y = Math.max(floor, Math.min(ceiling, ys.base + (t - ys.a) * ys.factor));
      if (px === px) {
        if (x >= 0 && px < width) {
          const from = Math.max(0, Math.floor(px));
          const to = Math.min(width - 1, Math.floor(x));
          if (from >= to) mark(to, py, y);
          else {
            const slope = (y - py) / (x - px);
            let left = px < 0 ? py - px * slope : py;
            for (let c = from; c <= to; c++) {
              const right = c === to && x < width ? y : py + (c + 1 - px) * slope;
              mark(c, left, right);
              left = right;
            }
          }
        }
      } else if (x >= 0 && x < width) mark(Math.floor(x), y, y);
      joined++;
      px = x;
      py = y;
    }
    if (joined === 1 && isolated) isolated.push(px, py);
    return [first, last];
  }

  private drawSeries(data: RasterData, s: number, style: RasterStyle): void {
    const { ratio } = this.job;
    if (data.under && data.raw[s]) {
      const [a, b] = this.trace(data, s, data.under, null);
      this.fillSpans(a, b, 0.5 * ratio, style.rgb, 0.25 * style.alpha, null);
    }
    const isolated: number[] = [];
    const [first, last] = this.trace(data, s, data.line, isolated);
    this.fillSpans(first, last, (style.width * ratio) / 2, style.rgb, style.alpha, style.dash);
    for (let i = 0; i < isolated.length; i += 2) this.disc(isolated[i], isolated[i + 1], 2 * ratio, style.rgb, style.alpha);
    if (style.dots && data.raw[s]) this.drawDots(data, s, style);
  }

  private drawDots(data: RasterData, s: number, style: RasterStyle): void {
    const { width, height, ratio } = this.job;
    const xs = this.axis(this.job.x, width, false);
    const ys = this.axis(this.job.y, height, true);
    const visible: number[] = [];
    for (let i = data.starts[s]; i < data.starts[s + 1]; i++) {
      const x = xs.base + (transform(xs.kind, data.x[i + s]) - xs.a) * xs.factor;
      if (x < -4 || x > width + 4) continue;
      const y = ys.base + (transform(ys.kind, data.line[i]) - ys.a) * ys.factor;
      if (y === y) visible.push(x, y);
      if (visible.length * 4 * ratio > width) return; // closer than 8 pixels: the line says it all
    }
    for (let i = 0; i < visible.length; i += 2) this.disc(visible[i], visible[i + 1], 2.2 * ratio, style.rgb, style.alpha);
  }

  private drawBand(data: RasterData, s: number, style: RasterStyle): void {
    this.low.fill(Infinity);
    this.high.fill(-Infinity);
    const [first, last] = this.traceBand(data, s, this.job.width, -1);
    this.fillSpans(first, last, 0.5, style.rgb, style.bandAlpha, null);
  }

  /** Widens the columns' low and high by the band (min and max) of a series. */
  private traceBand(data: RasterData, s: number, first: number, last: number): [number, number] {
    const { width, height } = this.job;
    const xs = this.axis(this.job.x, width, false);
    const ys = this.axis(this.job.y, height, true);
    const { low, high } = this;
    const isRaw = data.raw[s] === 1;
    let pc = -1;
    let pl = 0;
    let ph = 0;
    for (let i = data.starts[s]; i < data.starts[s + 1]; i++) {
      const a = data.low![i];
      const b = data.high![i];
      if (a !== a || b !== b) {
        if (!data.count || data.count[i] > 0) pc = -1;
        continue;
      }
      const x0 = xs.base + (transform(xs.kind, data.x[i + s]) - xs.a) * xs.factor;
      const x1 = isRaw ? x0 : xs.base + (transform(xs.kind, data.x[i + s + 1]) - xs.a) * xs.factor;
      const ta = transform(ys.kind, a);
      const l = ta === ta ? ys.base + (ta - ys.a) * ys.factor : height;
      const h = ys.base + (transform(ys.kind, b) - ys.a) * ys.factor;
      if (h !== h || x1 < 0 || x0 >= width) {
        pc = -1;
        continue;
      }
      const c0 = Math.max(0, Math.floor(x0));
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
    return [first, last];
  }

  private fillSpans(first: number, last: number, half: number, rgb: [number, number, number], alpha: number, dash: readonly [number, number] | null): void {
    const { height, ratio } = this.job;
    const { low, high } = this;
    const on = dash ? dash[0] * ratio : 0;
    const period = dash ? (dash[0] + dash[1]) * ratio : 0;
    for (let c = first; c <= last; c++) {
      if (low[c] > high[c]) continue;
      if (dash && c % period >= on) continue;
      const top = Math.max(0, low[c] - half);
      const bottom = Math.min(height, high[c] + half);
      if (top < bottom) this.span(c, top, bottom, rgb, alpha);
    }
  }

  private span(c: number, top: number, bottom: number, rgb: [number, number, number], alpha: number): void {
    const { width, height } = this.job;
    const r0 = Math.floor(top);
    const r1 = Math.min(height - 1, Math.floor(bottom));
    if (r0 === r1) {
      this.blend(r0 * width + c, rgb, (bottom - top) * alpha);
      return;
    }
    this.blend(r0 * width + c, rgb, (r0 + 1 - top) * alpha);
    if (alpha >= 1) {
      const solid = word(rgb);
      for (let at = (r0 + 1) * width + c, stop = r1 * width + c; at < stop; at += width) this.words[at] = solid;
    } else {
      for (let at = (r0 + 1) * width + c, stop = r1 * width + c; at < stop; at += width) this.blend(at, rgb, alpha);
    }
    if (bottom > r1) this.blend(r1 * width + c, rgb, Math.min(1, bottom - r1) * alpha);
  }

  private blend(at: number, rgb: [number, number, number], share: number): void {
    const p = this.pixels;
    const i = at * 4;
    p[i] += (rgb[0] - p[i]) * share;
    p[i + 1] += (rgb[1] - p[i + 1]) * share;
    p[i + 2] += (rgb[2] - p[i + 2]) * share;
  }

  private disc(x: number, y: number, radius: number, rgb: [number, number, number], alpha: number): void {
    const { width, height } = this.job;
    for (let c = Math.floor(x - radius - 1); c <= Math.ceil(x + radius); c++) {
      if (c < 0 || c >= width) continue;
      for (let r = Math.floor(y - radius - 1); r <= Math.ceil(y + radius); r++) {
        if (r < 0 || r >= height) continue;
        const cover = radius + 0.5 - Math.hypot(c + 0.5 - x, r + 0.5 - y);
        if (cover > 0) this.blend(r * width + c, rgb, Math.min(1, cover) * alpha);
      }
    }
  }

  /** Rail marks: NaN and -Inf as triangles at the bottom, +Inf at the top. */
  private drawMarks(data: RasterData): void {
    const { width, height, ratio, styles } = this.job;
    const xs = this.axis(this.job.x, width, false);
    let s = 0;
    const size = Math.round(6 * ratio);
    for (let m = 0; m < data.markBin.length; m++) {
      const bin = data.markBin[m];
      while (bin >= data.starts[s + 1]) s++;
      const style = styles[s];
      if (!style) continue;
      const xa = transform(xs.kind, data.x[bin + s]);
      const xb = data.raw[s] ? xa : transform(xs.kind, data.x[bin + s + 1]);
      const x = xs.base + ((xa + xb) / 2 - xs.a) * xs.factor;
      const up = data.markKind[m] !== 2;
      const top = data.markKind[m] === 1 ? 1 : height - size - 1;
      for (let row = 0; row < size; row++) {
        const half = ((up ? row : size - 1 - row) / size) * (size * 0.55) + 0.5;
        for (let c = Math.round(x - half); c <= Math.round(x + half); c++) {
          if (c >= 0 && c < width) this.blend((top + row) * width + c, style.rgb, 1);
        }
      }
    }
  }

  /** Pixels coloured by how many series cross them; min-max spans, so no spike is lost. */
  private drawDensity(data: RasterData): void {
    const { width, height, order, styles, ground, density } = this.job;
    const hits = new Uint16Array(width * height);
    let most = 1;
    for (const s of order) {
      if (!styles[s]) continue;
      let [first, last] = this.trace(data, s, data.line, null);
      if (data.low && data.high) [first, last] = this.traceBand(data, s, first, last);
      for (let c = first; c <= last; c++) {
        if (this.low[c] > this.high[c]) continue;
        const r0 = Math.max(0, Math.floor(this.low[c] - 0.5));
        const r1 = Math.min(height - 1, Math.floor(this.high[c] + 0.5));
        for (let at = r0 * width + c, stop = r1 * width + c; at <= stop; at += width) if (++hits[at] > most) most = hits[at];
      }
    }
    const table = new Uint32Array(most + 1);
    for (let n = 1; n <= most; n++) {
      const t = 0.18 + 0.82 * (Math.log(n) / Math.log(most + 1));
      table[n] = word(ground.map((g, k) => Math.round(g + (density![k] - g) * t)) as [number, number, number]);
    }
    for (let at = 0; at < hits.length; at++) if (hits[at]) this.words[at] = table[hits[at]];
  }
}

function word(rgb: [number, number, number]): number {
  return ((255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0]) >>> 0;
}
