// Parallel coordinates: one vertical axis per column, one line per run, brushes along the axes.
import { formatNumber, formatTicks } from "./format";
import { clip } from "./plot";
import { mix, themes, type Theme } from "./palette";
import { Scale, ticks } from "./scale";

export interface ParallelAxis {
  id: string;
  title: string;
  log: boolean;
  canLog: boolean; // numbers above zero only
  inverted: boolean;
  names: string[] | null; // categories
  values: Float64Array; // one per run; NaN = absent
  from: number;
  to: number;
}

/** A span of values, or the runs without one. */
export type Brush = [number, number] | "missing";

export const hasMissing = (axis: ParallelAxis) => axis.values.some((v) => !Number.isFinite(v));

export interface ParallelLayout {
  axes: { axis: ParallelAxis; x: number; scale: Scale }[];
  top: number;
  bottom: number;
  missing: number; // height of the tick for runs without a value
}

export function layoutParallel(
  axes: ParallelAxis[],
  width: number,
  height: number,
): ParallelLayout {
  const top = 44;
  const missing = height - 14;
  const bottom = axes.some(hasMissing) ? missing - 40 : height - 26;
  const left = 56;
  const right = width - 56;
  return {
    top,
    bottom,
    missing,
    axes: axes.map((axis, i) => {
      const x = axes.length > 1 ? left + ((right - left) * i) / (axes.length - 1) : width / 2;
      const [a, b] = axis.inverted ? [top, bottom] : [bottom, top];
      return { axis, x, scale: new Scale(axis.log ? "log" : "linear", axis.from, axis.to, a, b) };
    }),
  };
}

/** Where a run crosses an axis; absent values have a tick of their own below it. */
export function crossing(layout: ParallelLayout, i: number, run: number): number {
  const { axis, scale } = layout.axes[i];
  const y = scale.pixel(axis.values[run]);
  return Number.isFinite(y) ? y : layout.missing;
}

export function drawParallel(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  layout: ParallelLayout,
  options: {
    theme: Theme;
    color: (run: number) => string;
    active: (run: number) => boolean;
    highlight: number;
    brushes: Record<string, Brush>;
  },
): void {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const c = canvas.getContext("2d")!;
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  const colors = themes[options.theme];
  c.fillStyle = colors.ground;
  c.fillRect(0, 0, width, height);
  const runs = layout.axes[0]?.axis.values.length ?? 0;
  const stroke = (run: number) => {
    c.beginPath();
    for (let i = 0; i < layout.axes.length; i++) {
      const { x } = layout.axes[i];
      const y = crossing(layout, i, run);
      if (i === 0) {
        c.moveTo(x, y);
        continue;
      }
      const px = layout.axes[i - 1].x;
      const py = crossing(layout, i - 1, run);
      c.bezierCurveTo((px + x) / 2, py, (px + x) / 2, y, x, y);
    }
    c.stroke();
  };
  c.lineWidth = 1;
  c.strokeStyle = mix(colors.ground, colors.text, 0.1);
  for (let r = 0; r < runs; r++) if (!options.active(r)) stroke(r);
  c.lineWidth = runs > 200 ? 1 : 1.5;
  c.globalAlpha = runs > 200 ? 0.5 : 0.85;
  for (let r = 0; r < runs; r++) {
    if (!options.active(r)) continue;
    c.strokeStyle = options.color(r);
    stroke(r);
  }
  c.globalAlpha = 1;
  if (options.highlight >= 0) {
    c.lineWidth = 3;
    c.strokeStyle = options.color(options.highlight);
    stroke(options.highlight);
  }
  c.lineWidth = 1;
  c.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  const room = layout.axes.length > 1 ? layout.axes[1].x - layout.axes[0].x - 8 : 160;
  for (const { axis, x, scale } of layout.axes) {
    c.strokeStyle = mix(colors.ground, colors.text, 0.4);
    c.beginPath();
    c.moveTo(x, layout.top);
    c.lineTo(x, layout.bottom);
    c.stroke();
    c.textAlign = "center";
    c.fillStyle = colors.text;
    c.fillText(clip(c, axis.log ? `${axis.title} (log)` : axis.title, Math.max(40, room)), x, 14);
    c.fillStyle = colors.muted;
    const tick = (text: string, y: number, color: string) => {
      c.textAlign = "left";
      const label = clip(c, text, Math.max(30, room - 10));
      c.lineWidth = 4;
      c.strokeStyle = colors.ground;
      c.strokeText(label, x + 6, y + 4);
      c.lineWidth = 1;
      c.fillStyle = color;
      c.fillText(label, x + 6, y + 4);
      c.strokeStyle = mix(colors.ground, colors.text, 0.4);
      c.beginPath();
      c.moveTo(x - 3, y);
      c.lineTo(x + 3, y);
      c.stroke();
    };
    if (axis.names) axis.names.forEach((name, k) => tick(name, scale.pixel(k), colors.text));
    else {
      const [topValue, bottomValue] = axis.inverted ? [axis.from, axis.to] : [axis.to, axis.from];
      c.fillText(formatNumber(topValue, 3), x, layout.top - 6);
      c.fillText(formatNumber(bottomValue, 3), x, layout.bottom + 12);
      const [least, most] = [Math.min(axis.from, axis.to), Math.max(axis.from, axis.to)];
      const marks = ticks(axis.log ? "log" : "linear", least, most, 5);
      const labels = formatTicks(marks);
      marks.forEach((mark, k) => {
        const y = scale.pixel(mark);
        if (Math.min(y - layout.top, layout.bottom - y) > 14) tick(labels[k], y, colors.muted);
      });
    }
    if (hasMissing(axis)) {
      c.setLineDash([1, 3]);
      c.beginPath();
      c.moveTo(x, layout.bottom + 18);
      c.lineTo(x, layout.missing);
      c.stroke();
      c.setLineDash([]);
      tick("missing", layout.missing, colors.muted);
    }
    const brush = options.brushes[axis.id];
    if (brush) {
      const [a, b] =
        brush === "missing"
          ? [layout.missing - 8, layout.missing + 8]
          : brush.map((v) => scale.pixel(v));
      c.fillStyle = colors.accent + "38";
      c.strokeStyle = colors.accent;
      c.fillRect(x - 7, Math.min(a, b), 14, Math.abs(b - a));
      c.strokeRect(x - 7, Math.min(a, b), 14, Math.abs(b - a));
    }
  }
  c.textAlign = "left";
}
