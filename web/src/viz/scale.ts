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

/** Maps [from, to] to pixels [start, end]; end may be smaller than start (a y axis grows upwards). */
export class Scale {
  private readonly a: number;
  private readonly factor: number;

  constructor(
    readonly kind: ScaleKind,
    readonly from: number,
    readonly to: number,
    readonly start: number,
    readonly end: number,
  ) {
    this.a = transform(kind, from);
    const span = transform(kind, to) - this.a;
    this.factor = span !== 0 && Number.isFinite(span) ? (end - start) / span : 0;
  }

  pixel(value: number): number {
    return this.start + (transform(this.kind, value) - this.a) * this.factor;
  }

  value(pixel: number): number {
    return this.factor === 0 ? this.from : untransform(this.kind, this.a + (pixel - this.start) / this.factor);
  }
}

const nice = [1, 2, 2.5, 5, 10];

function linearTicks(from: number, to: number, count: number, whole: boolean): number[] {
  const span = to - from;
  if (!(span > 0) || !Number.isFinite(span)) return [from];
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = (nice.find((n) => n * power >= rough * 0.999) ?? 10) * power;
  if (whole) step = Math.max(1, Math.round(step));
  const ticks: number[] = [];
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  for (let i = first; i <= last && ticks.length < 100; i++) ticks.push(Number((i * step).toPrecision(14)));
  return ticks;
}

/** Nice positions inside [from, to]; about `count` of them. `whole` keeps to whole numbers. */
export function ticks(kind: ScaleKind, from: number, to: number, count: number, whole = false): number[] {
  if (kind === "linear") return linearTicks(from, to, count, whole);
  const a = transform(kind, from);
  const b = transform(kind, to);
  if (kind === "log" && b - a < 1.2) return linearTicks(from, to, count, whole).filter((v) => v > 0);
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
