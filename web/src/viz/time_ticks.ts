// Ticks of time axes: at whole seconds, minutes, hours and days, as clocks and calendars have them.

const minute = 60;
const hour = 3600;
const day = 86400;
const steps = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((n) => n * day),
];

function stepFor(from: number, to: number, count: number): number | null {
  const rough = (to - from) / Math.max(1, count);
  if (!(rough > 0.2) || !Number.isFinite(rough)) return null;
  return steps.find((s) => s >= rough * 0.999) ?? Math.ceil(rough / (364 * day)) * 364 * day;
}

/** Seconds since the local midnight before 1970 began: where local days start. */
const offset = (seconds: number) => new Date(seconds * 1000).getTimezoneOffset() * minute;

/**
 * Seconds of an axis "relative" or "wall" to mark; null below a second, where decimal ticks are
 * right.
 */
export function timeTicks(axis: string, from: number, to: number, count: number): number[] | null {
  const step = stepFor(from, to, count);
  if (step === null || (axis !== "relative" && axis !== "wall")) return null;
  const shift = axis === "wall" ? offset((from + to) / 2) : 0;
  const out: number[] = [];
  const first = Math.ceil((from - shift) / step - 1e-9);
  for (let i = first; out.length < 100; i++) {
    const at = i * step + shift;
    if (at > to + step * 1e-9) break;
    out.push(at);
  }
  return out;
}
