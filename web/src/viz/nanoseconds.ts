// Times of profiles: nanoseconds in words, and ticks for them.
import { formatInteger, formatNumber, grouped } from "./format";

const units: [string, number][] = [
  ["s", 1e9],
  ["ms", 1e6],
  ["µs", 1e3],
  ["ns", 1],
];

/** 1.234 ms, 56.7 µs, 12 s: four digits. */
export function formatNs(ns: number): string {
  const size = Math.abs(ns);
  if (size === 0) return "0";
  const [unit, scale] = units.find(([, s]) => size >= s * 0.99995) ?? units[3];
  const value = ns / scale;
  const whole = Math.abs(value) >= 9999.5;
  return `${whole ? formatInteger(value) : formatNumber(value)} ${unit}`;
}

/** In milliseconds with three decimals, for columns that compare. */
export const formatMs = (ns: number): string => grouped((ns / 1e6).toFixed(3));

export const formatUs = (ns: number): string => grouped((ns / 1e3).toFixed(3));

export const formatShare = (share: number): string =>
  `${grouped((share * 100).toFixed(share > 0 && share < 0.001 ? 2 : 1))} %`;

/** Round times within a range, at most about `most`, with what to write at them. */
export function timeTicks(from: number, to: number, most: number): { at: number; text: string }[] {
  const span = Math.max(to - from, 1);
  const rough = span / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].find((m) => m * power >= rough)! * power);
  const [unit, scale] = units.find(([, s]) => step >= s) ?? units[3];
  const decimals = Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9));
  const list: { at: number; text: string }[] = [];
  for (let i = Math.ceil(from / step); i * step <= to; i++)
    list.push({ at: i * step, text: `${grouped(((i * step) / scale).toFixed(decimals))} ${unit}` });
  return list;
}

/** A value of a profile in its own unit. */
export function formatWeight(value: number, unit: string): string {
  if (unit === "nanoseconds") return formatNs(value);
  if (unit === "bytes") return `${formatInteger(Math.round(value))} B`;
  return `${Number.isInteger(value) ? formatInteger(value) : formatNumber(value, 5)}${unit && unit !== "count" ? " " + unit : ""}`;
}
