// The line renderer: every series becomes one (low, high) span per pixel column, and spans are
// filled into a pixel buffer.
//
// Cost is bound by pixels, not by points, and needs no GPU. The buffer is opaque (ground and grid
// are painted first), so blending is a plain mix with what is there.
import { drawDensity } from "./density";
import { word, type RasterData, type RasterJob, type RasterStyle } from "./raster_job";
import { Spans } from "./spans";

export class Raster {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  private readonly words: Uint32Array;

  /**
   * `memory` of earlier pictures is used again where it is large enough; every pixel of it is
   * painted.
   */
  constructor(
    readonly job: RasterJob,
    memory?: ArrayBuffer,
  ) {
    const bytes = job.width * job.height * 4;
    const buffer = memory && memory.byteLength >= bytes ? memory : new ArrayBuffer(bytes);
    this.pixels = new Uint8ClampedArray(buffer, 0, bytes);
    this.words = new Uint32Array(buffer, 0, bytes / 4);
  }

  /** Lines through the densest pixel; 0 where lines are drawn one by one. */
  densest = 0;

  draw(data: RasterData): void {
    this.paintGround();
    const { order, styles, density, ground } = this.job;
    const spans = new Spans(data, this.job);
    if (density) {
      this.densest = drawDensity(spans, order, this.words, ground, density);
      return;
    }
    if (spans.hasBand)
      for (const s of order)
        if (styles[s] && styles[s].bandAlpha > 0) this.drawBand(spans, s, styles[s]);
    for (const s of order) if (styles[s]) this.drawSeries(spans, s, styles[s]);
    this.drawMarks(spans);
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

  private drawSeries(spans: Spans, s: number, style: RasterStyle): void {
    const { ratio } = this.job;
    const { data } = spans;
    if (data.under && data.raw[s] && !style.calm) {
      spans.clear();
      spans.addLine(s, data.under, null);
      this.fillSpans(spans, 0.5 * ratio, style.rgb, 0.25 * style.alpha, null);
    }
    const isolated: number[] = [];
    spans.clear();
    spans.addLine(s, data.line, isolated);
    this.fillSpans(spans, (style.width * ratio) / 2, style.rgb, style.alpha, style.dash);
    for (let i = 0; i < isolated.length; i += 2)
      this.disc(isolated[i], isolated[i + 1], 2 * ratio, style.rgb, style.alpha);
    if (style.dots && data.raw[s]) this.drawDots(spans, s, style);
  }

  private drawDots({ data, at, toY }: Spans, s: number, style: RasterStyle): void {
    const { width, ratio } = this.job;
    const shift = data.shift[s];
    const visible: number[] = [];
    for (let i = data.starts[s]; i < data.starts[s + 1]; i++) {
      const x = at[i + shift];
      if (x < -4 || x > width + 4) continue;
      const y = toY(data.line[i]);
      if (y === y) visible.push(x, y);
      if (visible.length * 4 * ratio > width) return; // closer than 8 pixels: the line says it all
    }
    // By their distance, not by their number: a run that ended early looks like the others. One
    // that has just begun keeps its dots, or nobody would find it.
    const steps = visible.length / 2 - 1;
    const span = steps > 0 ? visible[2 * steps] - visible[0] : 0;
    if (span > 48 * ratio && span < 8 * ratio * steps) return;
    for (let i = 0; i < visible.length; i += 2)
      this.disc(visible[i], visible[i + 1], 2.2 * ratio, style.rgb, style.alpha);
  }

  private drawBand(spans: Spans, s: number, style: RasterStyle): void {
    spans.clear();
    spans.addBand(s);
    this.fillSpans(spans, 0.5, style.rgb, style.bandAlpha, null);
  }

  private fillSpans(
    { first, last, low, high }: Spans,
    half: number,
    rgb: [number, number, number],
    alpha: number,
    dash: readonly [number, number] | null,
  ): void {
    const { height, ratio } = this.job;
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

  private span(
    c: number,
    top: number,
    bottom: number,
    rgb: [number, number, number],
    alpha: number,
  ): void {
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
      for (let at = (r0 + 1) * width + c, stop = r1 * width + c; at < stop; at += width)
        this.words[at] = solid;
    } else {
      for (let at = (r0 + 1) * width + c, stop = r1 * width + c; at < stop; at += width)
        this.blend(at, rgb, alpha);
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

  private disc(
    x: number,
    y: number,
    radius: number,
    rgb: [number, number, number],
    alpha: number,
  ): void {
    const { width, height } = this.job;
    // Bound by the picture, not by the place: counting up from a place far outside would never end.
    const right = Math.min(width - 1, Math.ceil(x + radius));
    const bottom = Math.min(height - 1, Math.ceil(y + radius));
    for (let c = Math.max(0, Math.floor(x - radius - 1)); c <= right; c++) {
      for (let r = Math.max(0, Math.floor(y - radius - 1)); r <= bottom; r++) {
        const cover = radius + 0.5 - Math.hypot(c + 0.5 - x, r + 0.5 - y);
        if (cover > 0) this.blend(r * width + c, rgb, Math.min(1, cover) * alpha);
      }
    }
  }

  /** Rail marks: NaN and -Inf as triangles at the bottom, +Inf at the top. */
  private drawMarks({ data, at }: Spans): void {
    const { width, height, ratio, styles } = this.job;
    let s = 0;
    const size = Math.round(6 * ratio);
    for (let m = 0; m < data.markBin.length; m++) {
      const bin = data.markBin[m];
      while (bin >= data.starts[s + 1]) s++;
      const style = styles[s];
      if (!style) continue;
      const xa = at[bin + data.shift[s]];
      const x = data.raw[s] ? xa : (xa + at[bin + data.shift[s] + 1]) / 2;
      const up = data.markKind[m] !== 2;
      const top = data.markKind[m] === 1 ? 1 : height - size - 1;
      for (let row = 0; row < size; row++) {
        const half = ((up ? row : size - 1 - row) / size) * (size * 0.55) + 0.5;
        const last = Math.min(width - 1, Math.round(x + half));
        for (let c = Math.max(0, Math.round(x - half)); c <= last; c++)
          this.blend((top + row) * width + c, style.rgb, 1);
      }
    }
  }
}
