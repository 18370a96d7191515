// Parallel coordinates: one vertical axis per column, one line per run, brushes along the axes.
import { formatNumber } from "./format";
import { clip } from "./plot";
import { mix, themes, type Theme } from "./palette";
import { Scale } from "./scale";

export interface ParallelAxis {
  id: string;
  title: string;
  log: boolean;
  inverted: boolean;
  names: string[] | null; // categories
  values: Float64Array; // one per run; NaN = absent
  from: number;
  to: number;
}

export interface ParallelLayout {
  axes: { axis: ParallelAxis; x: number; scale: Scale }[];
  top: number;
  bottom: number;
}

export function layoutParallel(axes: ParallelAxis[], width: number, height: number): ParallelLayout {
  const top = 44;
  const bottom = height - 26;
  const left = 56;
  const right = width - 56;
  return {
    top,
    bottom,
    axes: axes.map((axis, i) => {
      const x = axes.length > 1 ? left + ((right - left) * i) / (axes.length - 1) : width / 2;
      const [a, b] = axis.inverted ? [top, bottom] : [bottom, top];
      return { axis, x, scale: new Scale(axis.log ? "log" : "linear", axis.from, axis.to, a, b) };
    }),
  };
}

/** Where a run crosses an axis; absent values stand below the axis. */
export function crossing(layout: ParallelLayout, i: number, run: number): number {
  const { axis, scale } = layout.axes[i];
  const y = scale.pixel(axis.values[run]);
  return Number.isFinite(y) ? y : layout.bottom + 16;
}

export function drawParallel(canvas: HTMLCanvasElement, width: number, height: number, layout: ParallelLayout, options: { theme: Theme; color: (run: number) => string; active: (run: number) => boolean; highlight: number; brushes: Record<string, [number, number]> }): void {
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
    c.fillText(clip(c, axis.title, Math.max(40, room)), x, 14);
    c.fillStyle = colors.muted;
    if (axis.names) {
      axis.names.forEach((name, k) => {
        const y = scale.pixel(k);
        c.textAlign = "left";
        const label = clip(c, name, Math.max(30, room - 10));
        c.lineWidth = 4;
        c.strokeStyle = colors.ground;
        c.strokeText(label, x + 6, y + 4);
        c.lineWidth = 1;
        c.fillStyle = colors.text;
        c.fillText(label, x + 6, y + 4);
      });
    } else {
      const [topValue, bottomValue] = axis.inverted ? [axis.from, axis.to] : [axis.to, axis.from];
      c.fillText(formatNumber(topValue, 3), x, layout.top - 6);
      c.fillText(formatNumber(bottomValue, 3), x, layout.bottom + 12);
    }
    const brush = options.brushes[axis.id];
    if (brush) {
      const a = scale.pixel(brush[0]);
      const b = scale.pixel(brush[1]);
      c.fillStyle = colors.accent + "38";
      c.strokeStyle = colors.accent;
      c.fillRect(x - 7, Math.min(a, b), 14, Math.abs(b - a));
      c.strokeRect(x - 7, Math.min(a, b), 14, Math.abs(b - a));
    }
  }
  c.textAlign = "left";
}
