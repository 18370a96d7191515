// A line chart: base bitmap from the raster worker, axes on one canvas, cursor and highlight on
// another.
//
// The chart owns no state of the page. It is told what to show (`update`) and reports what a person
// does (`ChartEvents`).
import { binX, nearestBin, padRange, valueRange, type ChartData } from "./chart_data";
import { emptyWords } from "./chart_words";
import { formatAxisTicks, formatTicks } from "./format";
import { listen, type Box } from "./gestures";
import { showDensityKey } from "./density_key";
import { paintRaw, strokeSeries } from "./highlight";
import { mix, parseColor, themes, type Theme } from "./palette";
import { RasterClient } from "./raster_client";
import type { RasterStyle } from "./raster_job";
import { Scale, ticks, type ScaleKind } from "./scale";
import { timeTicks } from "./time_ticks";

export interface SeriesStyle {
  color: string;
  hovered?: string; // its colour while it is hovered, if that is another
  under?: boolean; // painted below the others
  dash: readonly [number, number] | null;
  faint: boolean;
  label: string;
  who: string; // what a highlight names: a run, or a group
}

export interface ChartProps {
  theme: Theme;
  data: ChartData | null;
  loading: boolean; // better data is on its way
  style: (s: number) => SeriesStyle | null; // null: hidden
  styleKey: string; // changes when style() would answer differently
  xAxis: string;
  xScale: ScaleKind;
  yScale: ScaleKind;
  x: [number, number] | null; // null: all data
  y: [number, number] | null;
  ignoreOutliers: boolean;
  band: boolean;
  endLabels: boolean;
  highlight: string | null; // who is under the cursor anywhere on the page
  cursor: number | null; // x of the shared cursor
  pins: number[];
  range: [number, number] | null;
}

export interface Nearby {
  series: number;
  bin: number;
  x: number;
  value: number;
  distance: number; // pixels
}

export interface ChartEvents {
  hover(x: number, near: Nearby[], client: { x: number; y: number }): void;
  leave(): void;
  zoom(x: [number, number] | null, y: [number, number] | null): void;
  click(x: number, near: Nearby | null, event: PointerEvent | KeyboardEvent): void;
  range(from: number, to: number): void; // dragged along the ruler
  key(event: KeyboardEvent): boolean;
  resize(width: number): void;
}

const gutter = { left: 52, right: 12, top: 8, bottom: 22 };
/** Above this many lines single colours say nothing any more: density mode. */
export const densityFrom = 300;

/** Above this many lines their raw values would be mud. */
const calmFrom = 6;

/** Many lines whose data is about to be replaced: not worth any work. */
const isStale = (props: ChartProps) =>
  props.loading && props.data !== null && props.data.series.length > 100;

export interface ChartSize {
  width: number;
  height: number;
  ratio: number;
  font: string;
}

/**
 * Charts of this turn: all are measured before the first of them changes, so that a page full of
 * them is laid out once.
 */
const unmeasured = new Set<LineChart>();
function measureSoon(chart: LineChart): void {
  unmeasured.add(chart);
  if (unmeasured.size > 1) return;
  queueMicrotask(() => {
    const sizes = [...unmeasured].map((c) => [c, c.measure()] as const);
    unmeasured.clear();
    for (const [c, size] of sizes) c.resize(size);
  });
}

export class LineChart {
  readonly element: HTMLDivElement;
  private readonly clip: HTMLDivElement;
  private readonly base: HTMLCanvasElement;
  private readonly axes: HTMLCanvasElement;
  private readonly overlay: HTMLCanvasElement;
  private readonly note: HTMLDivElement;
  private readonly raster: RasterClient;
  private readonly stop: () => void;
  private readonly observer: ResizeObserver;
  private props: ChartProps | null = null;
  private width = 0;
  private height = 0;
  private ratio = 1;
  private font = "11px sans-serif";
  private xs = new Scale("linear", 0, 1, 0, 1);
  private ys = new Scale("linear", 0, 1, 1, 0);
  private box: Box | null = null;
  private panned: { dx: number; dy: number } | null = null;
  private overlayPending = false;
  private shown: { id: number; xs: Scale; ys: Scale } | null = null;
  private jobs = new Map<number, { xs: Scale; ys: Scale }>();
  private lastJobKey = "";
  private keyboardBin = -1;
  /** Time the newest bitmap was shown, for tests. */
  paintedAt = 0;

  constructor(
    parent: HTMLElement,
    private readonly events: ChartEvents,
  ) {
    const make = (tag: string, name: string) => {
      const e = document.createElement(tag);
      e.className = name;
      return e;
    };
    this.element = make("div", "plot") as HTMLDivElement;
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "img");
    this.clip = make("div", "plot-clip") as HTMLDivElement;
    this.base = make("canvas", "plot-base") as HTMLCanvasElement;
    this.axes = make("canvas", "plot-axes") as HTMLCanvasElement;
    this.overlay = make("canvas", "plot-overlay") as HTMLCanvasElement;
    this.clip.append(this.base);
    this.note = make("div", "plot-note") as HTMLDivElement;
    this.note.setAttribute("role", "note");
    this.element.append(this.clip, this.axes, this.overlay, this.note);
    parent.append(this.element);
    this.raster = new RasterClient(
      (bitmap, id, densest) => {
        showDensityKey(this.element, densest, this.props?.theme ?? "light");
        this.show(bitmap, id);
      },
      (trouble) => this.say(trouble, true),
    );
    this.stop = listen(this.element, {
      inside: (x, y) =>
        x >= this.left && x <= this.width - gutter.right && y >= 0 && y <= this.height,
      hover: (x, y) => this.hover(x, y),
      leave: () => this.events.leave(),
      select: (box, done) => this.selectBox(box, done),
      pan: (dx, dy, done) => this.pan(dx, dy, done),
      zoom: (x, y, factor, axis) => this.zoomAt(x, y, factor, axis),
      reset: () => this.events.zoom(null, null),
      click: (x, y, event) => {
        const [nearest] = this.nearby(x, y, 1);
        this.events.click(this.snapped(x, nearest), nearest ?? null, event);
      },
      key: (event) => this.key(event),
    });
    this.observer = new ResizeObserver(() => this.resize(this.measure()));
    this.observer.observe(this.element);
    measureSoon(this);
  }

  destroy(): void {
    this.stop();
    unmeasured.delete(this);
    this.observer.disconnect();
    this.raster.destroy();
    this.element.remove();
  }

  /** Several updates in one turn (a new view, then what it asked for) are one layout. */
  update(props: ChartProps): void {
    this.props = props;
    this.layoutSoon();
  }

  private layoutSoon(): void {
    if (this.layoutPending) return;
    this.layoutPending = true;
    queueMicrotask(() => {
      this.layoutPending = false;
      this.layout();
    });
  }
  private layoutPending = false;

  /** Width to ask series for. Does not depend on the labels, which depend on the series. */
  get askWidth(): number {
    return Math.max(1, this.width - gutter.left - this.rightGutter());
  }

  private get plotWidth(): number {
    return Math.max(1, this.width - this.left - this.rightGutter());
  }

  /** Axis values ↔ pixels, for tests and exports. */
  get scales(): { x: Scale; y: Scale } {
    return { x: this.xs, y: this.ys };
  }

  private rightGutter(): number {
    return this.props?.endLabels ? 96 : gutter.right;
  }

  measure(): ChartSize {
    return {
      width: this.element.clientWidth,
      height: this.element.clientHeight,
      ratio: Math.min(3, window.devicePixelRatio || 1),
      font: `11px ${getComputedStyle(this.element).fontFamily}`,
    };
  }

  resize({ width, height, ratio, font }: ChartSize): void {
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.font = font;
    for (const canvas of [this.axes, this.overlay]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.lastJobKey = "";
    this.events.resize(this.askWidth); // asks for series: that first
    this.layoutSoon();
  }

  private layout(): void {
    const props = this.props;
    if (!props || this.width < 20 || this.height < 20) return;
    const right = this.width - this.rightGutter();
    const bottom = this.height - gutter.bottom;
    const { data } = props;
    let x = props.x ?? (data ? [data.xFrom, data.xTo] : [0, 1]);
    if (!(x[1] > x[0]))
      x = props.xScale === "log" ? [x[0] / 2 || 0.5, x[0] * 2 || 2] : [x[0] - 0.5, x[0] + 0.5];
    if (props.xScale === "log" && !(x[0] > 0)) x = [Math.min(1, x[1]), x[1]];
    const y = this.yRange(props);
    this.ys = new Scale(props.yScale, y[0], y[1], bottom, gutter.top);
    this.left = this.labelRoom(props);
    this.xs = new Scale(props.xScale, x[0], x[1], this.left, right);
    this.clip.style.left = this.left + "px";
    this.clip.style.top = gutter.top + "px";
    this.clip.style.width = right - this.left + "px";
    this.clip.style.height = bottom - gutter.top + "px";
    this.requestBitmap();
    this.stretch();
    this.drawAxes();
    this.drawOverlaySoon();
  }

  private left = gutter.left;
  private hasValues = true;

  /** What the y axis spans; says so where there is nothing to draw. */
  private yRange(props: ChartProps): [number, number] {
    const { data, yScale } = props;
    const usable = props.y && (yScale !== "log" || props.y[0] > 0) ? props.y : null;
    const found = data && !usable ? this.valueRange(data, props) : null;
    this.hasValues = data !== null && (usable !== null || found !== null);
    const words =
      this.hasValues || !data
        ? ""
        : emptyWords(data!, (s) => props.style(s) !== null, props.xScale, yScale, props.x !== null);
    this.say(words, false);
    if (usable) return usable;
    const padded = padRange(found ?? (yScale === "log" ? [0.1, 1] : [0, 1]), yScale);
    // A box drawn on another scale may reach below what a log axis has.
    return props.y && found && props.y[1] > padded[0] ? [padded[0], props.y[1]] : padded;
  }

  private said = { empty: "", trouble: "" };
  private say(text: string, trouble: boolean): void {
    this.said[trouble ? "trouble" : "empty"] = text;
    const shown = this.said.trouble || this.said.empty;
    if (this.note.textContent !== shown) this.note.textContent = shown;
  }

  /** Whole labels: the room left of the axis grows with them, up to half of the chart. */
  private labelRoom(props: ChartProps): number {
    const c = this.axes.getContext("2d")!;
    c.font = this.font;
    const widest = Math.max(
      0,
      ...formatTicks(this.yTicks(props)).map((text) => c.measureText(text).width),
    );
    return Math.min(Math.floor(this.width / 2), Math.max(gutter.left, Math.ceil(widest) + 11));
  }

  private yTicks(props: ChartProps): number[] {
    const count = Math.max(2, Math.floor((this.height - gutter.top - gutter.bottom) / 36));
    return this.hasValues ? ticks(props.yScale, this.ys.from, this.ys.to, count) : [];
  }

  /**
   * Kept until something changes that it depends on: charts are laid out more often than their data
   * changes.
   */
  private valueRange(data: ChartData, props: ChartProps): [number, number] | null {
    const key = [props.styleKey, props.yScale, props.x, props.ignoreOutliers, props.band].join("|");
    if (this.rangeOf && isStale(props)) return this.rangeOf.range;
    if (this.rangeOf?.data !== data || this.rangeOf.key !== key) {
      this.rangeOf = {
        data,
        key,
        range: valueRange(
          data,
          (s) => props.style(s) !== null,
          props.yScale,
          props.x,
          props.ignoreOutliers,
          props.band,
        ),
      };
    }
    return this.rangeOf.range;
  }
  private rangeOf: { data: ChartData; key: string; range: [number, number] | null } | null = null;

  private tickValues(): { x: number[]; y: number[] } {
    const props = this.props!;
    // No made-up numbers before there are any.
    if (!props.data && !props.x) return { x: [], y: [] };
    const countX = Math.max(2, Math.floor(this.plotWidth / 64));
    return {
      x:
        (props.xScale === "linear"
          ? timeTicks(props.xAxis, this.xs.from, this.xs.to, countX)
          : null) ?? ticks(props.xScale, this.xs.from, this.xs.to, countX, props.xAxis === "step"),
      y: this.yTicks(props),
    };
  }

  private requestBitmap(): void {
    const props = this.props!;
    if (!props.data) {
      this.base.style.visibility = "hidden";
      return;
    }
    const { data, theme } = props;
    const colors = themes[theme];
    const width = Math.round(this.plotWidth * this.ratio);
    const height = Math.round((this.height - gutter.top - gutter.bottom) * this.ratio);
    if (width < 2 || height < 2) return;
    const jobKey = [
      width,
      height,
      this.xs.from,
      this.xs.to,
      this.ys.from,
      this.ys.to,
      props.xScale,
      props.yScale,
      theme,
      props.styleKey,
      props.band,
    ].join("|");
    if (jobKey === this.lastJobKey && this.lastData === data) return;
    // Drawing hundreds of lines from data that is about to be replaced would only hold the exact
    // picture up; the old one is stretched meanwhile.
    if (this.shown && isStale(props)) return;
    this.lastJobKey = jobKey;
    this.lastData = data;
    let seen: number[] = []; // series in painting order
    for (let s = data.series.length - 1; s >= 0; s--) if (props.style(s)) seen.push(s);
    const density = seen.length > densityFrom;
    if (!density) {
      const below = seen.filter((s) => props.style(s)!.under);
      if (below.length) seen = [...below, ...seen.filter((s) => !below.includes(s))];
    }
    const gridRgb = parseColor(mix(colors.ground, colors.text, 0.08));
    const t = this.tickValues();
    const id = this.raster.draw(data.raster, {
      width,
      height,
      x: { kind: props.xScale, from: this.xs.from, to: this.xs.to },
      y: { kind: props.yScale, from: this.ys.from, to: this.ys.to },
      ground: parseColor(colors.ground),
      grid: gridRgb,
      gridX: [],
      gridY: t.y.map((v) => (this.ys.pixel(v) - gutter.top) * this.ratio),
      styles: density ? [] : this.rasterStyles(props, data, seen),
      order: Uint32Array.from(seen),
      density: density ? parseColor(colors.accent) : null,
      ratio: this.ratio,
    });
    this.jobs.set(id, { xs: this.xs, ys: this.ys });
  }
  private lastData: ChartData | null = null;

  private rasterStyles(props: ChartProps, data: ChartData, seen: number[]): (RasterStyle | null)[] {
    const styles: (RasterStyle | null)[] = new Array(data.series.length).fill(null);
    const visible = seen.length;
    const grouped = data.series.some((s) => s.group);
    // Beyond a few lines the raw values belong to the one that is hovered.
    const calm = visible > calmFrom && !grouped;
    const bandAlpha = !props.band || calm ? 0 : grouped ? 0.2 : 0.22;
    for (const s of seen) {
      const style = props.style(s)!;
      const old = !data.series[s].current;
      styles[s] = {
        rgb: parseColor(style.color),
        alpha: old ? 0.35 : style.faint ? 0.3 : visible > 100 ? 0.5 : visible > 24 ? 0.75 : 1,
        bandAlpha: old || style.faint ? 0 : bandAlpha,
        width: visible > 50 ? 1 : 1.5,
        dash: style.dash,
        dots: visible <= 24,
        calm,
      };
    }
    return styles;
  }

  /** Over when the newest picture is on show. */
  drawn = (): Promise<void> => this.raster.drawn();

  private show(bitmap: ImageBitmap, id: number): void {
    const job = this.jobs.get(id);
    for (const known of [...this.jobs.keys()]) if (known <= id) this.jobs.delete(known);
    if (!job) {
      bitmap.close();
      return;
    }
    if (this.base.width !== bitmap.width || this.base.height !== bitmap.height) {
      this.base.width = bitmap.width;
      this.base.height = bitmap.height;
    }
    this.base.getContext("bitmaprenderer")!.transferFromImageBitmap(bitmap);
    this.base.style.visibility = "visible";
    this.say("", true);
    this.shown = { id, ...job };
    this.paintedAt = performance.now();
    this.element.dataset.painted = String(id);
    this.stretch();
  }

  /**
   * Until the exact picture is there, the old one is moved and stretched to where its data belongs
   * now.
   */
  private stretch(): void {
    const shown = this.shown;
    if (!shown) return;
    const { xs, ys } = shown;
    if (xs === this.xs && ys === this.ys && !this.panned) {
      this.base.style.transform = "";
      return;
    }
    const x0 = this.xs.pixel(xs.value(xs.start)) - this.xs.start;
    const x1 = this.xs.pixel(xs.value(xs.end)) - this.xs.start;
    const y0 = this.ys.pixel(ys.value(ys.end)) - this.ys.end;
    const y1 = this.ys.pixel(ys.value(ys.start)) - this.ys.end;
    const sx = (x1 - x0) / (xs.end - xs.start);
    const sy = (y1 - y0) / (ys.start - ys.end);
    const dx = this.panned?.dx ?? 0;
    const dy = this.panned?.dy ?? 0;
    const sound =
      [x0, y0, sx, sy].every(Number.isFinite) && Math.abs(sx) < 1e4 && Math.abs(sy) < 1e4;
    this.base.style.transform = sound
      ? `translate(${x0 + dx}px, ${y0 + dy}px) scale(${sx}, ${sy})`
      : "";
  }

  private drawAxes(): void {
    const props = this.props!;
    const colors = themes[props.theme];
    const c = this.axes.getContext("2d")!;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    c.font = this.font;
    c.fillStyle = colors.muted;
    c.strokeStyle = mix(colors.ground, colors.text, 0.24);
    c.lineWidth = 1;
    const t = this.tickValues();
    const bottom = Math.round(this.ys.start) + 0.5;
    c.beginPath();
    c.moveTo(this.left, bottom);
    c.lineTo(this.xs.end, bottom);
    c.textBaseline = "top";
    let free = -Infinity;
    const xLabels = formatAxisTicks(props.xAxis, t.x);
    t.x.forEach((v, i) => {
      const px = this.xs.pixel(v);
      const w = c.measureText(xLabels[i]).width;
      const left = Math.max(this.left - 8, Math.min(this.width - w - 2, px - w / 2));
      c.moveTo(Math.round(px) + 0.5, bottom);
      c.lineTo(Math.round(px) + 0.5, bottom + 4);
      if (left < free + 8) return;
      c.fillText(xLabels[i], left, bottom + 6);
      free = left + w;
    });
    c.stroke();
    c.textBaseline = "middle";
    c.textAlign = "right";
    const yLabels = formatTicks(t.y);
    t.y.forEach((v, i) => c.fillText(yLabels[i], this.left - 7, this.ys.pixel(v)));
    c.textAlign = "left";
    if (props.endLabels && props.data) this.drawEndLabels(c);
  }

  private drawEndLabels(c: CanvasRenderingContext2D): void {
    const { data, style } = this.props!;
    const labels: { y: number; text: string; color: string }[] = [];
    for (let s = 0; s < data!.series.length; s++) {
      const st = style(s);
      if (!st || !data!.series[s].current) continue;
      const bin = nearestBin(data!, s, this.xs.to);
      if (bin >= 0)
        labels.push({ y: this.ys.pixel(data!.raster.line[bin]), text: st.label, color: st.color });
    }
    if (labels.length > 8) return;
    labels.sort((a, b) => a.y - b.y);
    let free = -Infinity;
    for (const label of labels) {
      const y = Math.max(free, Math.min(this.ys.start - 6, Math.max(this.ys.end + 6, label.y)));
      c.fillStyle = label.color;
      c.fillText(
        label.text.length > 14 ? label.text.slice(0, 13) + "…" : label.text,
        this.xs.end + 6,
        y,
      );
      free = y + 13;
    }
  }

  private drawOverlaySoon(): void {
    if (this.overlayPending) return;
    this.overlayPending = true;
    requestAnimationFrame(() => {
      this.overlayPending = false;
      if (this.props) this.drawOverlay();
    });
  }

  /** Moves the shared cursor without a new layout; cheap enough for every frame. */
  setCursor(cursor: number | null, highlight: string | null): void {
    if (!this.props || (this.props.cursor === cursor && this.props.highlight === highlight)) return;
    this.props = { ...this.props, cursor, highlight };
    // Not a frame later: the cursor itself moves once a frame, and every view of it is painted
    // together.
    if (this.cursorPending) return;
    this.cursorPending = true;
    queueMicrotask(() => {
      this.cursorPending = false;
      this.drawOverlay();
    });
  }
  private cursorPending = false;

  private drawOverlay(): void {
    const props = this.props!;
    const colors = themes[props.theme];
    const c = this.overlay.getContext("2d")!;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    const top = this.ys.end;
    const bottom = this.ys.start;
    c.save();
    c.beginPath();
    c.rect(this.left, top - 2, this.xs.end - this.left, bottom - top + 4);
    c.clip();
    if (props.range) {
      const a = this.xs.pixel(props.range[0]);
      c.fillStyle = colors.accent + "1f";
      c.fillRect(a, top, this.xs.pixel(props.range[1]) - a, bottom - top);
    }
    const dimmed = this.strokeHighlight(c);
    this.base.style.opacity = dimmed ? "0.3" : "";
    for (const pin of props.pins) this.vertical(c, this.xs.pixel(pin), colors.accent, []);
    if (props.cursor !== null) {
      this.vertical(c, this.xs.pixel(props.cursor), colors.muted, [3, 3]);
      this.cursorDots(c);
    }
    if (this.box) {
      const { x0, x1 } = this.box;
      const whole = Math.abs(this.box.y1 - this.box.y0) < 24 || this.box.y0 > bottom;
      const y0 = whole ? top : this.box.y0;
      const y1 = whole ? bottom : this.box.y1;
      c.fillStyle = colors.accent + "2a";
      c.strokeStyle = colors.accent;
      c.fillRect(x0, y0, x1 - x0, y1 - y0);
      c.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
    c.restore();
  }

  private vertical(c: CanvasRenderingContext2D, x: number, color: string, dash: number[]): void {
    c.strokeStyle = color;
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(Math.round(x) + 0.5, this.ys.end);
    c.lineTo(Math.round(x) + 0.5, this.ys.start);
    c.stroke();
    c.setLineDash([]);
  }

  private cursorDots(c: CanvasRenderingContext2D): void {
    const { data, style, cursor } = this.props!;
    if (!data || data.series.length > 12) return;
    for (let s = 0; s < data.series.length; s++) {
      const st = style(s);
      if (!st || !data.series[s].current) continue;
      const bin = nearestBin(data, s, cursor!);
      if (bin < 0) continue;
      const x = this.xs.pixel(binX(data, s, bin));
      if (Math.abs(x - this.xs.pixel(cursor!)) > 12) continue;
      c.fillStyle = st.color;
      c.beginPath();
      c.arc(x, this.ys.pixel(data.raster.line[bin]), 3, 0, 7);
      c.fill();
    }
  }

  private strokeHighlight(c: CanvasRenderingContext2D): boolean {
    const { data, style, highlight } = this.props!;
    if (!data || !highlight) return false;
    let drawn = 0;
    for (let s = 0; s < data.series.length && drawn < 3; s++) {
      const { run, current } = data.series[s];
      if (!current || (run && run !== highlight)) continue;
      const st = style(s);
      if (!st || st.who !== highlight) continue;
      if (this.props!.band && data.series.length > calmFrom)
        paintRaw(c, data, s, this.xs, this.ys, st.hovered ?? st.color);
      const color = st.hovered ?? st.color;
      strokeSeries(c, data, s, this.xs, this.ys, { color, dash: st.dash });
      drawn++;
    }
    return drawn > 0 && data.series.length > 1;
  }

  private nearby(px: number, py: number, limit: number): Nearby[] {
    const props = this.props;
    if (!props?.data) return [];
    const { data } = props;
    const at = this.xs.value(px);
    // Nearest first, never more than `limit`: most of a thousand lines are turned away by one
    // comparison.
    const found: Nearby[] = [];
    for (let s = 0; s < data.series.length; s++) {
      if (!data.series[s].current) continue;
      const bin = nearestBin(data, s, at);
      if (bin < 0) continue;
      const x = binX(data, s, bin);
      const value = data.raster.line[bin];
      const away = Math.max(0, Math.abs(this.xs.pixel(x) - px) - 20);
      const distance = Math.abs(this.ys.pixel(value) - py) + away * 4;
      if (
        !Number.isFinite(distance) ||
        (found.length === limit && distance >= found[limit - 1].distance) ||
        !props.style(s)
      )
        continue;
      let place = found.length < limit ? found.length : limit - 1;
      while (place > 0 && found[place - 1].distance > distance) place--;
      found.splice(place, 0, { series: s, bin, x, value, distance });
      if (found.length > limit) found.pop();
    }
    return found;
  }

  /** Where the crosshair stands, and a pin would: at the nearest real point if one is near. */
  private snapped(px: number, nearest: Nearby | undefined): number {
    return nearest && Math.abs(this.xs.pixel(nearest.x) - px) < 24 ? nearest.x : this.xs.value(px);
  }

  private hover(px: number, py: number): void {
    const found = this.nearby(px, py, 8);
    // Runs that have nothing near here have nothing to say here, unless nobody else has.
    const close = found.filter((n) => Math.abs(this.xs.pixel(n.x) - px) < 60);
    const near = close.length ? close : found.slice(0, 1);
    const snap = this.snapped(px, near[0]);
    const box = this.element.getBoundingClientRect();
    this.keyboardBin = -1;
    this.events.hover(snap, near, { x: box.left + px, y: box.top + py });
  }

  private selectBox(box: Box | null, done: boolean): void {
    if (!box || !done) {
      this.box = box;
      this.drawOverlaySoon();
      return;
    }
    this.box = null;
    this.drawOverlaySoon();
    const clampX = (v: number) => Math.max(this.xs.start, Math.min(this.xs.end, v));
    const clampY = (v: number) => Math.max(this.ys.end, Math.min(this.ys.start, v));
    const a = clampX(Math.min(box.x0, box.x1));
    const b = clampX(Math.max(box.x0, box.x1));
    if (box.y0 > this.ys.start) {
      if (b - a >= 3) this.events.range(this.xs.value(a), this.xs.value(b));
      return;
    }
    const tall = Math.abs(box.y1 - box.y0) >= 24;
    if (b - a < 3 && !tall) return;
    const x: [number, number] =
      b - a < 3 ? [this.xs.from, this.xs.to] : [this.xs.value(a), this.xs.value(b)];
    const y: [number, number] | null = tall
      ? [
          this.ys.value(clampY(Math.max(box.y0, box.y1))),
          this.ys.value(clampY(Math.min(box.y0, box.y1))),
        ]
      : null;
    this.events.zoom(x, y);
  }

  private pan(dx: number, dy: number, done: boolean): void {
    this.panned ??= { dx: 0, dy: 0 };
    this.panned.dx += dx;
    this.panned.dy += dy;
    this.stretch();
    if (!done) return;
    const { dx: x, dy: y } = this.panned;
    this.panned = null;
    this.events.zoom(
      [this.xs.value(this.xs.start - x), this.xs.value(this.xs.end - x)],
      Math.abs(y) > 4
        ? [this.ys.value(this.ys.start - y), this.ys.value(this.ys.end - y)]
        : (this.props?.y ?? null),
    );
  }

  private zoomAt(px: number, py: number, factor: number, axis: "x" | "y"): void {
    const s = axis === "x" ? this.xs : this.ys;
    const p = axis === "x" ? px : py;
    const next: [number, number] = [
      s.value(p + (s.start - p) * factor),
      s.value(p + (s.end - p) * factor),
    ];
    if (!(next[1] > next[0])) return;
    if (axis === "x") this.events.zoom(next, this.props?.y ?? null);
    else this.events.zoom(this.props?.x ?? [this.xs.from, this.xs.to], next);
  }

  private key(event: KeyboardEvent): boolean {
    const data = this.props?.data;
    if (data && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      const s = data.series.findIndex((info, i) => info.current && this.props!.style(i));
      if (s < 0) return false;
      const { starts } = data.raster;
      const stride = (event.shiftKey ? 10 : 1) * (event.key === "ArrowLeft" ? -1 : 1);
      if (this.keyboardBin < 0)
        this.keyboardBin =
          this.props!.cursor !== null ? nearestBin(data, s, this.props!.cursor) : starts[s];
      else
        this.keyboardBin = Math.max(
          starts[s],
          Math.min(starts[s + 1] - 1, this.keyboardBin + stride),
        );
      const x = binX(data, s, this.keyboardBin);
      const px = this.xs.pixel(x);
      const py = this.ys.pixel(data.raster.line[this.keyboardBin]);
      const box = this.element.getBoundingClientRect();
      const held = this.keyboardBin;
      this.events.hover(x, this.nearby(px, py, 8), { x: box.left + px, y: box.top + py });
      this.keyboardBin = held;
      return true;
    }
    if (event.key === "Enter" && this.props?.cursor != null) {
      this.events.click(this.props.cursor, null, event);
      return true;
    }
    if (event.key === "+" || event.key === "=" || event.key === "-") {
      const centre =
        this.props?.cursor != null
          ? this.xs.pixel(this.props.cursor)
          : (this.xs.start + this.xs.end) / 2;
      this.zoomAt(centre, 0, event.key === "-" ? 1.5 : 1 / 1.5, "x");
      return true;
    }
    if (event.key === "0") {
      this.events.zoom(null, null);
      return true;
    }
    return this.events.key(event);
  }
}
