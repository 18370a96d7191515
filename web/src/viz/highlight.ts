// The one series that is drawn over the others: its line, and the band of its raw values.
import { binX, type ChartData } from "./chart_data";
import type { Scale } from "./scale";

const inReach = (y: number) => Math.max(-1e4, Math.min(1e4, y));

export function strokeSeries(
  c: CanvasRenderingContext2D,
  data: ChartData,
  s: number,
  xs: Scale,
  ys: Scale,
  style: { color: string; dash: readonly [number, number] | null },
): void {
  const { starts, line, count } = data.raster;
  c.strokeStyle = style.color;
  c.lineWidth = 2.5;
  c.lineJoin = "round";
  c.setLineDash(style.dash ? [...style.dash] : []);
  c.beginPath();
  let pen = false;
  for (let i = starts[s]; i < starts[s + 1]; i++) {
    const v = line[i];
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
  c.setLineDash([]);
  c.lineWidth = 1;
}

/** Between the smallest and the largest value of each bin. */
export function fillBand(
  c: CanvasRenderingContext2D,
  data: ChartData,
  s: number,
  xs: Scale,
  ys: Scale,
  color: string,
): void {
  const { starts, low, high, raw } = data.raster;
  if (!low || !high || raw[s]) return;
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
