// The series of one chart: decoded from frames, grown by tails, asked by the cursor.
import type { Frame } from "../api/frame";
import type { FrameHeader, GroupInfo } from "../api/types";
import type { Numbers, RasterData } from "./raster_job";
import { transform, untransform, type ScaleKind } from "./scale";

export interface SeriesInfo {
  run: string; // "" for a group
  key: string;
  group: GroupInfo | null;
  rank: number | null; // null: not told apart
  ranks: number; // how many the line is the mean of
  attempt: number;
  current: boolean;
  points: number;
  total: number;
  lastX: number | null;
  last: number;
}

export interface ChartData {
  header: FrameHeader;
  series: SeriesInfo[];
  raster: RasterData;
  min: Numbers | null;
  max: Numbers | null;
  mean: Numbers | null;
  runs: Uint32Array | null;
  markCount: Uint32Array;
  smoothed: boolean;
  xFrom: number;
  xTo: number;
  xScale: ScaleKind;
  points: number;
  bins: number;
}

export function toNumber(value: number | string | null | undefined): number {
  if (typeof value === "number") return value;
  if (value === "Infinity") return Infinity;
  if (value === "-Infinity") return -Infinity;
  return NaN;
}

export function chartData(frame: Frame): ChartData {
  const { header, fields } = frame;
  const directory = header.series;
  const n = directory.bins.length;
  const starts = new Uint32Array(n + 1);
  const shift = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    starts[i + 1] = starts[i] + directory.bins[i];
    shift[i] = directory.x ? directory.x[i] - starts[i] : i;
  }
  const numbers = (name: string) => (fields.get(name) as Numbers | undefined) ?? null;
  const smooth = numbers("smooth");
  const mean = numbers("mean");
  const grouped = header.groups !== undefined;
  // Frames of nothing but points come without the spread that points do not have.
  const points = directory.raw.every((raw) => raw);
  const min = numbers("min") ?? (points ? mean : null);
  const max = numbers("max") ?? (points ? mean : null);
  const line = smooth ?? mean ?? numbers("max") ?? new Float32Array(starts[n]);
  return {
    header,
    series: directory.bins.map((_, i) => ({
      run: directory.run[i] >= 0 ? header.runs[directory.run[i]] : "",
      key: header.keys[directory.key[i]],
      group: grouped && directory.group ? header.groups![directory.group[i]] : null,
      rank: directory.rank && directory.rank[i] >= 0 ? directory.rank[i] : null,
      ranks: directory.ranks?.[i] ?? 1,
      attempt: directory.attempt[i],
      current: directory.current[i],
      points: directory.points[i],
      total: directory.total[i],
      lastX: directory.last_x[i],
      last: toNumber(directory.last[i]),
    })),
    raster: {
      starts,
      raw: Uint8Array.from(directory.raw, (v) => (v ? 1 : 0)),
      x: frame.x,
      shift,
      line,
      low: grouped ? numbers("low") : spread(numbers("low"), min),
      high: grouped ? numbers("high") : spread(numbers("high"), max),
      count: (fields.get("count") as Uint32Array | undefined) ?? null,
      under: smooth ? mean : null,
      markBin: (fields.get("mark_bin") as Uint32Array | undefined) ?? new Uint32Array(0),
      markKind: (fields.get("mark_kind") as Uint8Array | undefined) ?? new Uint8Array(0),
    },
    min,
    max,
    mean,
    runs: (fields.get("runs") as Uint32Array | undefined) ?? null,
    markCount: (fields.get("mark_count") as Uint32Array | undefined) ?? new Uint32Array(0),
    smoothed: smooth !== null,
    xFrom: header.x.from ?? 0,
    xTo: header.x.to ?? 1,
    xScale: (header.x.scale ?? "linear") as ScaleKind,
    points: directory.points.reduce((a, b) => a + b, 0),
    bins: starts[n],
  };
}

/** The band of means over ranks where a series is one, else its smallest and largest values. */
function spread(band: Numbers | null, ends: Numbers | null): Numbers | null {
  if (!band || !ends) return band ?? ends;
  return band.map((v, i) => (v === v ? v : ends[i])) as Numbers;
}

/**
 * Position of bin i of series s on the x axis: its point, or the middle of its edges as the axis
 * draws them.
 */
export function binX(data: ChartData, s: number, i: number): number {
  const { raster } = data;
  const at = i + raster.shift[s];
  const a = raster.x[at];
  if (raster.raw[s]) return a;
  const b = raster.x[at + 1];
  if (data.xScale === "linear") return (a + b) / 2;
  return untransform(data.xScale, (transform(data.xScale, a) + transform(data.xScale, b)) / 2);
}

/** The bin of series s nearest to x, or -1. Only bins with a value count. */
export function nearestBin(data: ChartData, s: number, x: number): number {
  const { starts, raw, x: xs, line } = data.raster;
  const shift = data.raster.shift[s];
  let low = starts[s];
  let high = starts[s + 1] - 1;
  if (high < low) return -1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (xs[middle + shift] <= x) low = middle;
    else high = middle - 1;
  }
  if (
    raw[s] &&
    low + 1 < starts[s + 1] &&
    Math.abs(xs[low + 1 + shift] - x) < Math.abs(xs[low + shift] - x)
  )
    low++;
  for (let d = 0; d < 64; d++) {
    if (low - d >= starts[s] && line[low - d] === line[low - d]) return low - d;
    if (low + d < starts[s + 1] && line[low + d] === line[low + d]) return low + d;
    if (low - d < starts[s] && low + d >= starts[s + 1]) break;
  }
  return -1;
}

/** First and last + 1 bin of series s that x limits leave. */
function binsWithin(data: ChartData, s: number, x: [number, number] | null): [number, number] {
  const { starts, x: xs } = data.raster;
  const shift = data.raster.shift[s];
  let from = starts[s];
  let to = starts[s + 1];
  if (x) {
    while (from < to && xs[from + shift + 1] < x[0]) from++;
    while (to > from && xs[to - 1 + shift] > x[1]) to--;
  }
  return [from, to];
}

// NaN fails every comparison; infinities are left out. Plain loops: they run over a million bins
// for every picture of a thousand runs.
function smallest(values: Numbers, begin: number, end: number, above: number): number {
  let found = Infinity;
  for (let i = begin; i < end; i++) if (values[i] < found && values[i] > above) found = values[i];
  return found;
}
function largest(values: Numbers, begin: number, end: number, above: number): number {
  let found = -Infinity;
  for (let i = begin; i < end; i++)
    if (values[i] > found && values[i] > above && values[i] < Infinity) found = values[i];
  return found;
}

/**
 * Finite range of what is drawn between x limits; with `ignoreOutliers` the 5-95 % range, widened
 * by a tenth.
 */
export function valueRange(
  data: ChartData,
  visible: (s: number) => boolean,
  kind: ScaleKind,
  x: [number, number] | null,
  ignoreOutliers: boolean,
  band: boolean,
): [number, number] | null {
  const { line, low, high } = data.raster;
  const least = kind === "log" ? 0 : -Infinity; // values up to here are not drawn
  let from = Infinity;
  let to = -Infinity;
  const sample: number[] = [];
  for (let s = 0; s < data.series.length; s++) {
    if (!visible(s)) continue;
    const [begin, end] = binsWithin(data, s, x);
    from = Math.min(from, smallest(line, begin, end, least));
    to = Math.max(to, largest(line, begin, end, least));
    if (ignoreOutliers)
      for (let i = begin; i < end; i++) Number.isFinite(line[i]) && sample.push(line[i]);
    else if (band && low && high) {
      from = Math.min(from, smallest(low, begin, end, least));
      to = Math.max(to, largest(high, begin, end, least));
    }
  }
  if (!(from <= to)) return null;
  if (ignoreOutliers && sample.length > 20) {
    sample.sort((p, q) => p - q);
    from = sample[Math.floor(sample.length * 0.05)];
    to = sample[Math.ceil(sample.length * 0.95) - 1];
    if (kind === "log") from = Math.max(from, Number.MIN_VALUE);
  }
  return [from, to];
}

/** Adds air above and below, in axis space, and keeps a constant series in the middle. */
export function padRange(range: [number, number], kind: ScaleKind): [number, number] {
  let a = transform(kind, range[0]);
  let b = transform(kind, range[1]);
  if (b - a <= 1e-14 * Math.max(Math.abs(a), Math.abs(b))) {
    const half = kind === "linear" ? Math.abs(a) * 0.1 || 1 : 0.5;
    a -= half;
    b += half;
  } else {
    const air = b * 0.05 - a * 0.05;
    a -= air;
    b += air;
  }
  // The air may leave the numbers that there are.
  const finite = (v: number) => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, v));
  return [finite(untransform(kind, a)), finite(untransform(kind, b))];
}
