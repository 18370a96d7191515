// The small toolkit behind bars, scatter, heat maps, ridges and curves: a canvas with axes, and
// marks on it.
import { formatTicks } from "./format";
import { mix, ramp, themes, type Theme } from "./palette";
import { Scale, ticks, type ScaleKind } from "./scale";

export interface PlotAxis {
  kind?: ScaleKind;
  from: number;
  to: number;
  title?: string;
  labels?: string[]; // categories at 0, 1, 2, …
  format?: (values: number[]) => string[];
}

export class Plot {
  readonly c: CanvasRenderingContext2D;
  readonly x: Scale;
  readonly y: Scale;
  readonly colors;
  readonly box: { left: number; right: number; top: number; bottom: number };

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly width: number,
    readonly height: number,
    readonly theme: Theme,
    readonly xAxis: PlotAxis,
    readonly yAxis: PlotAxis,
    title = "",
  ) {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    this.c = canvas.getContext("2d")!;
    this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.colors = themes[theme];
    this.c.font = `11px ${getComputedStyle(canvas).fontFamily}`;
    const widest = yAxis.labels
      ? Math.min(
          120,
          yAxis.labels.reduce((most, l) => Math.max(most, this.c.measureText(l).width), 10) + 14,
        )
      : 48;
    this.box = {
      left: widest + (yAxis.title ? 16 : 0),
      right: 12,
      top: title ? 24 : 8,
      bottom: xAxis.title ? 36 : 22,
    };
    this.x = new Scale(
      xAxis.kind ?? "linear",
      xAxis.from,
      xAxis.to,
      this.box.left,
      width - this.box.right,
    );
    this.y = new Scale(
      yAxis.kind ?? "linear",
      yAxis.from,
      yAxis.to,
      height - this.box.bottom,
      this.box.top,
    );
    this.c.fillStyle = this.colors.ground;
    this.c.fillRect(0, 0, width, height);
    if (title) {
      this.c.fillStyle = this.colors.text;
      this.c.font = `600 12px ${getComputedStyle(canvas).fontFamily}`;
      this.c.fillText(title, this.box.left, 15);
      this.c.font = `11px ${getComputedStyle(canvas).fontFamily}`;
    }
    this.axes();
  }

  private axes(): void {
    const { c, box, colors } = this;
    const grid = mix(colors.ground, colors.text, 0.08);
    const yt = this.yAxis.labels
      ? this.yAxis.labels.map((_, i) => i)
      : ticks(
          this.y.kind,
          Math.min(this.y.from, this.y.to),
          Math.max(this.y.from, this.y.to),
          Math.max(2, Math.floor((this.height - box.top - box.bottom) / 36)),
        );
    const xt = this.xAxis.labels
      ? this.xAxis.labels.map((_, i) => i)
      : ticks(
          this.x.kind,
          this.x.from,
          this.x.to,
          Math.max(2, Math.floor((this.width - box.left - box.right) / 70)),
        );
    const yl = this.yAxis.labels ?? (this.yAxis.format ?? formatTicks)(yt);
    const xl = this.xAxis.labels ?? (this.xAxis.format ?? formatTicks)(xt);
    c.strokeStyle = grid;
    c.fillStyle = colors.muted;
    c.textBaseline = "middle";
    c.textAlign = "right";
    let freeY = Infinity; // middle of the label drawn last
    yt.forEach((v, i) => {
      const y = Math.round(this.y.pixel(v)) + 0.5;
      if (!this.yAxis.labels) line(c, box.left, y, this.width - box.right, y);
      if (Math.abs(y - freeY) < 11) return;
      c.fillText(clip(c, yl[i], box.left - 10), box.left - 6, y);
      freeY = y;
    });
    c.strokeStyle = mix(colors.ground, colors.text, 0.24);
    line(
      c,
      box.left,
      this.height - box.bottom + 0.5,
      this.width - box.right,
      this.height - box.bottom + 0.5,
    );
    c.textBaseline = "top";
    c.textAlign = "center";
    let free = -Infinity;
    xt.forEach((v, i) => {
      const x = this.x.pixel(v);
      const w = c.measureText(xl[i]).width;
      if (x - w / 2 < free + 6) return;
      c.fillText(
        xl[i],
        Math.max(box.left + w / 2 - 10, Math.min(this.width - w / 2 - 2, x)),
        this.height - box.bottom + 6,
      );
      free = x + w / 2;
    });
    if (this.xAxis.title)
      c.fillText(this.xAxis.title, (box.left + this.width - box.right) / 2, this.height - 14);
    if (this.yAxis.title) {
      c.save();
      c.translate(10, (box.top + this.height - box.bottom) / 2);
      c.rotate(-Math.PI / 2);
      c.textBaseline = "middle";
      c.fillText(clip(c, this.yAxis.title, this.height - 20), 0, 0);
      c.restore();
    }
    c.textAlign = "left";
  }

  inside(draw: () => void): void {
    const { c, box } = this;
    c.save();
    c.beginPath();
    c.rect(
      box.left,
      box.top,
      this.width - box.left - box.right,
      this.height - box.top - box.bottom + 1,
    );
    c.clip();
    draw();
    c.restore();
  }

  lines(
    xs: ArrayLike<number>,
    ys: ArrayLike<number>,
    color: string,
    width = 1.5,
    dash: readonly number[] = [],
  ): void {
    const { c } = this;
    c.strokeStyle = color;
    c.lineWidth = width;
    c.setLineDash([...dash]);
    c.beginPath();
    let pen = false;
    for (let i = 0; i < xs.length; i++) {
      const x = this.x.pixel(xs[i]);
      const y = this.y.pixel(ys[i]);
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        pen = false;
        continue;
      }
      if (pen) c.lineTo(x, y);
      else c.moveTo(x, y);
      pen = true;
    }
    c.stroke();
    c.setLineDash([]);
    c.lineWidth = 1;
  }

  dots(
    xs: ArrayLike<number>,
    ys: ArrayLike<number>,
    color: (i: number) => string,
    radius: number | ((i: number) => number) = 3,
    alpha = 0.85,
  ): void {
    const { c } = this;
    const size = typeof radius === "number" ? () => radius : radius;
    if (xs.length > crowd) return this.crowd(xs, ys, color);
    c.globalAlpha = alpha;
    for (let i = 0; i < xs.length; i++) {
      const x = this.x.pixel(xs[i]);
      const y = this.y.pixel(ys[i]);
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      c.fillStyle = color(i);
      c.beginPath();
      c.arc(x, y, size(i), 0, 7);
      c.fill();
    }
    c.globalAlpha = 1;
  }

  /**
   * Very many dots: one for every two pixels that hold any, so that the cost is bound by the
   * picture. The first of each shows its colour.
   */
  private crowd(xs: ArrayLike<number>, ys: ArrayLike<number>, color: (i: number) => string): void {
    const { c, width, height } = this;
    const columns = Math.ceil(width / 2);
    const taken = new Uint8Array(columns * Math.ceil(height / 2));
    for (let i = 0; i < xs.length; i++) {
      const x = this.x.pixel(xs[i]);
      const y = this.y.pixel(ys[i]);
      if (!(x >= 0 && x < width && y >= 0 && y < height)) continue;
      const at = (y >> 1) * columns + (x >> 1);
      if (taken[at]) continue;
      taken[at] = 1;
      c.fillStyle = color(i);
      c.fillRect((x >> 1) * 2, (y >> 1) * 2, 2, 2);
    }
  }

  /** Bars from zero (or the lower edge of a log axis) up to y, `share` of the slot wide. */
  bars(
    xs: ArrayLike<number>,
    ys: ArrayLike<number>,
    slot: number,
    color: string,
    offset = 0,
    share = 0.8,
  ): void {
    const { c } = this;
    c.fillStyle = color;
    const base =
      this.y.kind === "log"
        ? this.y.start
        : this.y.pixel(Math.max(this.y.from, Math.min(this.y.to, 0)));
    for (let i = 0; i < xs.length; i++) {
      const a = this.x.pixel(xs[i] + (offset - share / 2) * slot);
      const b = this.x.pixel(xs[i] + (offset + share / 2) * slot);
      const y = this.y.pixel(ys[i]);
      if (Number.isFinite(y))
        c.fillRect(a, Math.min(y, base), Math.max(1, b - a), Math.abs(base - y));
    }
  }

  /** Cells coloured by value; x and y are edges, one more than cells. */
  heat(
    xEdges: ArrayLike<number>,
    yEdges: ArrayLike<number>,
    value: (column: number, row: number) => number,
    most: number,
  ): void {
    const { c } = this;
    for (let i = 0; i + 1 < xEdges.length; i++) {
      const a = Math.round(this.x.pixel(xEdges[i]));
      const b = Math.round(this.x.pixel(xEdges[i + 1]));
      for (let j = 0; j + 1 < yEdges.length; j++) {
        const v = value(i, j);
        if (!(v > 0) && v !== 0) continue;
        const t = most > 0 ? v / most : 0;
        if (t <= 0) continue;
        const [r, g, bl] = ramp(t);
        c.fillStyle = `rgb(${r} ${g} ${bl})`;
        const top = Math.round(this.y.pixel(yEdges[j + 1]));
        const bottom = Math.round(this.y.pixel(yEdges[j]));
        c.fillRect(a, top, Math.max(1, b - a), Math.max(1, bottom - top));
      }
    }
  }
}

/** From here on dots are drawn as a crowd. */
const crowd = 20_000;

function line(c: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}

export function clip(c: CanvasRenderingContext2D, text: string, width: number): string {
  if (c.measureText(text).width <= width) return text;
  let n = text.length;
  while (n > 1 && c.measureText(text.slice(0, n) + "…").width > width) n--;
  return text.slice(0, n) + "…";
}

/** Range of finite values with a little air; [0, 1] when there is none. */
export function rangeOf(
  values: Iterable<number>,
  kind: ScaleKind = "linear",
  air = 0.05,
): [number, number] {
  let from = Infinity;
  let to = -Infinity;
  for (const v of values) {
    if (!Number.isFinite(v) || (kind === "log" && v <= 0)) continue;
    if (v < from) from = v;
    if (v > to) to = v;
  }
  if (!(from <= to)) return kind === "log" ? [0.1, 1] : [0, 1];
  if (kind === "log") return [from / 1.1, to * 1.1];
  if (from === to) return [from - (Math.abs(from) * 0.1 || 0.5), to + (Math.abs(to) * 0.1 || 0.5)];
  const pad = to * air - from * air; // not (to - from): that may be more than a double holds
  return [Math.max(-Number.MAX_VALUE, from - pad), Math.min(Number.MAX_VALUE, to + pad)];
}
