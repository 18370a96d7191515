// The one series that is drawn over the others: its line, and the band of its raw values.
import { binX, type ChartData } from "./chart_data";
import type { Numbers } from "./raster_job";
import type { Scale } from "./scale";

const inReach = (y: number) => Math.max(-1e4, Math.min(1e4, y));

/** From value to value; a bin without one ends the line, one without points does not. */
function trace(
  c: CanvasRenderingContext2D,
  data: ChartData,
  s: number,
  xs: Scale,
  ys: Scale,
  values: Numbers,
): void {
  const { starts, count } = data.raster;
  c.beginPath();
  let pen = false;
  for (let i = starts[s]; i < starts[s + 1]; i++) {
    const v = values[i];
    if (v !== v) {
      if (!count || count[i] > 0) pen = false;
      continue;
    }
    const x = xs.pixel(binX(data, s, i));
    const y = inReach(ys.pixel(v));
    if (pen) c.lineTo(x, y);
    else c.moveTo(x, y);
    pen = true;
  }
  c.stroke();
}

export function strokeSeries(
  c: CanvasRenderingContext2D,
  data: ChartData,
  s: number,
  xs: Scale,
  ys: Scale,
  style: { color: string; dash: readonly [number, number] | null },
): void {
  c.strokeStyle = style.color;
  c.lineWidth = 2.5;
  c.lineJoin = "round";
  c.setLineDash(style.dash ? [...style.dash] : []);
  trace(c, data, s, xs, ys, data.raster.line);
  c.setLineDash([]);
  c.lineWidth = 1;
}

/** What was logged, behind the line that it was smoothed to: every value, or the band of bins. */
export function paintRaw(
  c: CanvasRenderingContext2D,
  data: ChartData,
  s: number,
  xs: Scale,
  ys: Scale,
  color: string,
): void {
  const { under, raw } = data.raster;
  if (!raw[s]) return fillBand(c, data, s, xs, ys, color);
  if (!under) return;
  c.strokeStyle = color + "59";
  trace(c, data, s, xs, ys, under);
}

/** Between the smallest and the largest value of each bin. */
function fillBand(
  c: CanvasRenderingContext2D,
  data: ChartData,
  s: number,
  xs: Scale,
  ys: Scale,
  color: string,
): void {
  const { starts, low, high } = data.raster;
  if (!low || !high) return;
  c.fillStyle = color + "38";
  c.beginPath();
  const edge = (values: ArrayLike<number>, i: number) => {
    const y = inReach(ys.pixel(values[i]));
    if (y === y) c.lineTo(xs.pixel(binX(data, s, i)), y);
  };
  for (let i = starts[s]; i < starts[s + 1]; i++) edge(high, i);
  for (let i = starts[s + 1] - 1; i >= starts[s]; i--) edge(low, i);
  c.fill();
}
