// Axis transforms: linear, log and symlog, their pixels and their ticks.

export type ScaleKind = "linear" | "log" | "symlog";

/** Axis value → the space in which the axis is drawn evenly. NaN where the axis cannot show it. */
export function transform(kind: ScaleKind, value: number): number {
  if (kind === "linear") return value;
  if (kind === "log") return value > 0 ? Math.log10(value) : NaN;
  return Math.sign(value) * Math.log10(1 + Math.abs(value));
}

export function untransform(kind: ScaleKind, value: number): number {
  if (kind === "linear") return value;
  if (kind === "log") return 10 ** value;
  return Math.sign(value) * (10 ** Math.abs(value) - 1);
}

/** The largest and the smallest span whose difference and quotient a double still holds. */
const widest = Number.MAX_VALUE / 4;
const narrowest = 1e-290;

/**
 * An axis as numbers: pixel = (transform(value) * unit - a) * factor. `unit` is 1 unless the span
 * of the axis is so wide or so narrow that a double could not hold it or its inverse.
 */
export interface AxisMap {
  unit: number;
  a: number;
  factor: number;
}

export function axisMap(kind: ScaleKind, from: number, to: number, size: number): AxisMap {
  const [low, high] = [transform(kind, from), transform(kind, to)];
  const reach = Math.max(Math.abs(low), Math.abs(high));
  const unit =
    reach > widest ? 1 / 16 : Math.abs(high - low) < narrowest && reach < 1 ? 2 ** 600 : 1;
  const a = low * unit;
  const span = high * unit - a;
  return { unit, a, factor: span !== 0 && Number.isFinite(span) ? size / span : 0 };
}

/**
 * Maps [from, to] to pixels [start, end]; end may be smaller than start (a y axis grows upwards).
 */
export class Scale {
  private readonly map: AxisMap;

  constructor(
    readonly kind: ScaleKind,
    readonly from: number,
    readonly to: number,
    readonly start: number,
    readonly end: number,
  ) {
    this.map = axisMap(kind, from, to, end - start);
  }

  pixel(value: number): number {
    const { unit, a, factor } = this.map;
    return this.start + (transform(this.kind, value) * unit - a) * factor;
  }

  value(pixel: number): number {
    const { unit, a, factor } = this.map;
    return factor === 0
      ? this.from
      : untransform(this.kind, (a + (pixel - this.start) / factor) / unit);
  }
}

const nice = [1, 2, 2.5, 5, 10];

function linearTicks(from: number, to: number, count: number, whole: boolean): number[] {
  // Each end by itself: their difference may be more than a double holds.
  const rough = to / Math.max(1, count) - from / Math.max(1, count);
  if (!(rough >= 0) || !Number.isFinite(rough) || !(to > from)) return [from];
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, Number.MIN_VALUE)));
  let step = Math.max(
    (nice.find((n) => n * power >= rough * 0.999) ?? 10) * power,
    Number.MIN_VALUE,
  );
  if (whole) step = Math.max(1, Math.round(step));
  const ticks: number[] = [];
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  for (let i = first; i <= last && ticks.length < 100; i++)
    ticks.push(Number((i * step).toPrecision(14)));
  // Beyond 14 digits several would read the same; one is enough.
  return ticks.filter((v, i) => i === 0 || v !== ticks[i - 1]);
}

/** Nice positions inside [from, to]; about `count` of them. `whole` keeps to whole numbers. */
export function ticks(
  kind: ScaleKind,
  from: number,
  to: number,
  count: number,
  whole = false,
): number[] {
  if (kind === "linear") return linearTicks(from, to, count, whole);
  const a = transform(kind, from);
  const b = transform(kind, to);
  if (kind === "log" && b - a < 1.2)
    return linearTicks(from, to, count, whole).filter((v) => v > 0);
  if (kind === "symlog" && b - a < 1) return linearTicks(from, to, count, whole);
  const out: number[] = [];
  const stride = Math.max(1, Math.ceil((b - a) / Math.max(1, count)));
  if (kind === "log") {
    const fine = b - a <= count / 2.5 ? [1, 2, 5] : [1];
    for (let e = Math.floor(a); e <= Math.ceil(b); e++) {
      if (((e % stride) + stride) % stride !== 0) continue;
      for (const m of fine) {
        const v = Number((m * 10 ** e).toPrecision(12));
        if (v >= from * 0.9999 && v <= to * 1.0001) out.push(v);
      }
    }
    return out;
  }
  for (let e = Math.floor(Math.max(Math.abs(a), Math.abs(b))); e >= 0; e -= stride) {
    const v = 10 ** e;
    if (-v >= from) out.push(-v);
    if (v <= to && v >= from) out.push(v);
  }
  if (from <= 0 && to >= 0) out.push(0);
  return out.sort((p, q) => p - q);
}
