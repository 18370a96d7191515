// Numbers, durations and times as people read them; the same rules on every page.

const suffixes: [number, string][] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** Whole numbers of four digits and more are read in groups of three, wherever they stand. */
export const grouped = (text: string): string => {
  const end = text.search(/[.e]/);
  const whole = end < 0 ? text : text.slice(0, end);
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + text.slice(whole.length);
};

/** `digits` significant ones, without zeros behind them and without an exponent. */
const plain = (value: number, digits: number): string =>
  grouped(String(Number(value.toPrecision(digits))));

/** About `digits` significant digits: 0.2291, 3e-4, 12,345.7; 1.2k with `short`. */
export function formatNumber(value: number, digits = 4, short = false): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e15) {
    return exponent(value, Math.max(0, digits - 1));
  }
  if (short) {
    const few = Math.max(3, digits - 1);
    const rounded = Number(size.toPrecision(few)); // 999.9 is 1k
    for (const [unit, suffix] of suffixes)
      if (rounded >= unit) return plain(value / unit, few) + suffix;
  }
  if (size >= 10 ** digits) {
    const whole = Number.isInteger(value) || size >= 10 ** (digits + 2);
    return grouped(whole ? String(Math.round(value)) : String(Number(value.toFixed(1))));
  }
  return plain(value, digits);
}

/** For columns of numbers: the same digits in every row, so that they line up. */
export function formatCell(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || Number.isInteger(value) || size < 1e-3 || size >= 1e4)
    return formatNumber(value, 4);
  const text = value.toPrecision(4);
  return text.includes("e") ? formatNumber(value) : grouped(text);
}

/** Every digit there is. */
export function formatExact(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  return String(value).replace("e+", "e");
}

/**
 * A setting as somebody would have written it: every digit, small ones as 3e-4. Beyond twelve
 * digits is what a computer made of 10 ** -4.
 */
export function formatSetting(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return formatExact(value);
  const written = Number(value.toPrecision(12));
  return Math.abs(written) < 1e-3 ? written.toExponential() : formatExact(written);
}

/** A mean, and how far its values spread in two digits. */
export function formatSpread(mean: number, deviation: number | null): string {
  const middle = formatCell(mean);
  if (deviation === null) return middle;
  // Both digits, a zero too: below and above each other 0.020 and 0.032 are read alike.
  const both = deviation >= 1e-3 && deviation < 9.95;
  return `${middle} ± ${both ? deviation.toPrecision(2) : formatNumber(deviation, 2)}`;
}

export function formatInteger(value: number): string {
  return grouped(String(Math.round(value)));
}

const exponent = (value: number, digits: number) =>
  value
    .toExponential(digits)
    .replace(/\.?0+e/, "e")
    .replace("e+", "e");

/** As few digits as tell the values apart. */
function exponents(values: number[]): string[] {
  for (let digits = 2; ; digits++) {
    const out = values.map((v) => (v === 0 ? "0" : exponent(v, digits)));
    if (digits === 15 || new Set(out).size === new Set(values).size) return out;
  }
}

/** Ticks 1, 2, 5, 10 … of a logarithmic axis; those of a linear one lie equally far apart. */
function uneven(values: number[], gaps: number[], reach: number): boolean {
  if (values.length === 2) return reach > 2.5 && values[0] > 0;
  return reach > 2.5 && Math.max(...gaps) > 1.5 * Math.min(...gaps);
}

/** Labels of one axis: the same number of decimals for all, unless the axis is logarithmic. */
export function formatTicks(values: number[]): string[] {
  const sizes = values.map(Math.abs).filter((v) => v > 0);
  if (sizes.length === 0) return values.map(() => "0");
  const largest = Math.max(...sizes);
  const smallest = Math.min(...sizes);
  const gaps = values
    .slice(1)
    .map((v, i) => Math.abs(v - values[i]))
    .filter((v) => v > 0);
  const distinct = gaps.length ? Math.min(...gaps) : largest;
  const decades = values.length > 2 && largest / smallest >= 1e3; // no linear axis has such ticks
  if (
    largest < 1e-3 ||
    largest >= 1e15 ||
    (decades && largest / smallest >= 1e4 && smallest < 1e-3)
  )
    return exponents(values);
  if (decades || uneven(values, gaps, largest / smallest))
    return values.map((v) => formatNumber(v, 4, true));
  let unit = 1;
  let suffix = "";
  if (largest >= 1e4) {
    const found = suffixes.find(
      ([u]) => largest >= u && (distinct / u >= 1e-3 || values.length < 2),
    );
    // A number of six digits before its suffix is read more easily whole.
    if (found && largest / found[0] < 1e5) [unit, suffix] = found;
  }
  let decimals = 0;
  while (
    decimals < 8 &&
    values.some(
      (v) => Math.abs((v / unit) * 10 ** decimals - Math.round((v / unit) * 10 ** decimals)) > 1e-6,
    )
  )
    decimals++;
  return values.map((v) => (v === 0 ? "0" : grouped((v / unit).toFixed(decimals)) + suffix));
}

export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const sign = seconds < 0 ? "-" : "";
  let s = Math.abs(seconds);
  if (s < 1)
    return (
      sign +
      (s === 0
        ? "0 s"
        : s < 1e-3
          ? `${formatNumber(s * 1e6, 3)} µs`
          : `${formatNumber(s * 1e3, 3)} ms`)
    );
  if (s < 60) return sign + formatNumber(s, 3) + " s";
  s = Math.round(s);
  const days = Math.floor(s / 86400);
  const hours = Math.floor((s % 86400) / 3600);
  const minutes = Math.floor((s % 3600) / 60);
  if (days) return `${sign}${days} d ${hours} h`;
  if (hours) return `${sign}${hours} h ${minutes} m`;
  return `${sign}${minutes} m ${s % 60} s`;
}

const pad = (n: number) => String(n).padStart(2, "0");

export function formatTime(ms: number, withSeconds = false): string {
  const d = new Date(ms);
  return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())} ${pad(d.getHours())}:${pad(d.getMinutes())}${withSeconds ? ":" + pad(d.getSeconds()) : ""}`;
}

/**
 * "3 min ago": `now` is the server's clock. What lies ahead of it says so: somebody's clock is
 * wrong.
 */
export function formatAgo(ms: number, now: number): string {
  const s = (now - ms) / 1000;
  if (s < -120) return `${formatTime(ms)}, ahead of this clock`;
  if (s < 5) return "now";
  if (s < 60) return `${Math.floor(s)} s ago`;
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
  if (s < 86400 * 60) return `${Math.floor(s / 86400)} d ago`;
  return formatTime(ms).slice(0, 10);
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes;
  let i = -1;
  do {
    value /= 1000;
    i++;
  } while (value >= 999.5 && i < units.length - 1);
  return `${value >= 999.5 ? formatInteger(value) : plain(value, 3)} ${units[i]}`;
}

/** A duration without the parts that are zero: 1 h, 1 h 30 m, 20 s. */
function shortDuration(seconds: number): string {
  return seconds === 0 ? "0" : formatDuration(seconds).replace(/(\d+ [dhm]) 0 [hms]$/, "$1");
}

/** Labels for an axis in seconds (relative) or seconds since 1970 (wall). */
export function formatAxisTicks(axis: string, values: number[]): string[] {
  if (axis === "relative") return values.map(shortDuration);
  if (axis === "wall") {
    const step = values.length > 1 ? values[1] - values[0] : 0;
    return values.map((v, i) => {
      const text = formatTime(v * 1000, step < 60 && values.length > 1);
      const clock = text.slice(11);
      // A new day is named, the hours of a day are not repeated with it.
      const midnight = /^00:00(:00)?$/.test(clock);
      if (step >= 86400 || midnight) return text.slice(5, 10);
      return values.length === 1 || (i === 0 && values.at(-1)! - v > 86400 * 7)
        ? text.slice(5, 16)
        : clock;
    });
  }
  return formatTicks(values);
}

/** Numbers of one column: five digits of the largest, the same decimals in every row. */
export function formatColumn(values: readonly number[], digits = 5): string[] {
  const sizes = values.filter((v) => Number.isFinite(v) && v !== 0).map(Math.abs);
  const largest = Math.max(0, ...sizes);
  const smallest = Math.min(...sizes, largest);
  const wide = largest >= 1e7 || largest < 1e-3 || (smallest < 1e-3 && largest / smallest > 1e3);
  if (wide || values.every((v) => Number.isInteger(v)))
    return values.map((v) => formatNumber(v, digits));
  const decimals = Math.max(0, Math.min(digits + 2, digits - 1 - Math.floor(Math.log10(largest))));
  return values.map((v) => (Number.isFinite(v) ? grouped(v.toFixed(decimals)) : formatNumber(v)));
}

export function formatAxisValue(axis: string, value: number): string {
  if (axis === "relative") return formatDuration(value);
  if (axis === "wall") return formatTime(value * 1000, true);
  if (axis === "step" || axis === "samples") return formatInteger(value);
  return formatNumber(value, 6);
}

/** A run's state for a tooltip; the word itself unless it needs saying more. */
export function stateWords(state: string): string {
  return state === "idle"
    ? "idle: nothing new for ten minutes; its files do not say how it ended"
    : state;
}
