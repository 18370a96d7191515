// Numbers, durations, times and sizes as people read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatAgo,
  formatAxisTicks,
  formatAxisValue,
  formatBytes,
  formatCell,
  formatDuration,
  formatExact,
  formatInteger,
  formatNumber,
  formatTicks,
  formatTime,
  formatColumn,
  formatSetting,
  formatSpread,
} from "../src/viz/format";
import { timeTicks } from "../src/viz/time_ticks";

const table = <T>(rows: [T, string][], format: (value: T) => string) => {
  for (const [value, text] of rows) assert.equal(format(value), text, String(value));
};

test("numbers have about four digits, and say what they are not", () => {
  table(
    [
      [0, "0"],
      [-0, "0"],
      [0.22912, "0.2291"],
      [1.5, "1.5"],
      [3e-4, "3e-4"],
      [1234, "1,234"],
      [-1234.56, "-1,235"],
      [9999.95, "10,000"],
      [123456, "123,456"],
      [-1234567.8, "-1,234,568"],
      [12345.67, "12,345.7"],
      [1e15, "1e15"],
      [NaN, "NaN"],
      [Infinity, "Inf"],
      [-Infinity, "-Inf"],
    ],
    (v) => formatNumber(v),
  );
  assert.equal(formatNumber(1234567, 4, true), "1.23M");
  assert.equal(formatNumber(999_999, 4, true), "1M");
  assert.equal(formatNumber(12345, 6), "12,345");
});

test("whole numbers are grouped, columns line up, exact means every digit", () => {
  table(
    [
      [1234567, "1,234,567"],
      [-1000, "-1,000"],
      [999, "999"],
    ],
    formatInteger,
  );
  table(
    [
      [0.5, "0.5000"],
      [12.25, "12.25"],
      [3, "3"],
      [5000, "5,000"],
      [5000.25, "5,000"],
      [9999.7, "10,000"],
      [NaN, "NaN"],
    ],
    formatCell,
  );
  table(
    [
      [0.1 + 0.2, "0.30000000000000004"],
      [1e21, "1e21"],
    ],
    formatExact,
  );
});

test("ticks of one axis have the same decimals, and no two read alike", () => {
  assert.deepEqual(formatTicks([0, 0.25, 0.5]), ["0", "0.25", "0.50"]);
  assert.deepEqual(formatTicks([0, 5000, 10000]), ["0", "5k", "10k"]);
  assert.deepEqual(formatTicks([0, 500, 1000, 1500]), ["0", "500", "1,000", "1,500"]);
  assert.deepEqual(formatTicks([1000, 1200, 1400]), ["1,000", "1,200", "1,400"]);
  assert.deepEqual(formatTicks([1234.5, 1235, 1235.5]), ["1,234.5", "1,235.0", "1,235.5"]);
  assert.deepEqual(formatTicks([1, 100, 10000]), ["1", "100", "10k"]);
  assert.deepEqual(formatTicks([1794810000, 1794810002]), ["1,794,810,000", "1,794,810,002"]);
  let seed = 3;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 4294967296;
  for (let i = 0; i < 500; i++) {
    const step = 10 ** Math.floor(random() * 20 - 8) * [1, 2, 5][i % 3];
    const first = Math.round(random() * 40 - 20);
    const values = [0, 1, 2, 3, 4].map((k) => Number(((first + k) * step).toPrecision(14)));
    assert.equal(new Set(formatTicks(values)).size, 5, values.join());
  }
});

test("durations, times and sizes", () => {
  table(
    [
      [0, "0 s"],
      [2.5e-6, "2.5 µs"],
      [0.0123, "12.3 ms"],
      [59.94, "59.9 s"],
      [61, "1 m 1 s"],
      [3 * 3600 + 120, "3 h 2 m"],
      [2 * 86400 + 3600, "2 d 1 h"],
      [-90, "-1 m 30 s"],
      [NaN, "–"],
    ],
    formatDuration,
  );
  assert.equal(formatTime(Date.UTC(2026, 9, 1, 8, 5, 9), true), "2026-10-01 08:05:09");
  table(
    [
      [999, "999 B"],
      [1000, "1 kB"],
      [1536000, "1.54 MB"],
      [999_600, "1 MB"],
      [5e15, "5,000 TB"],
    ],
    formatBytes,
  );
});

test("how long ago, by the server's clock; what lies ahead says so", () => {
  const now = Date.UTC(2026, 0, 2);
  table(
    [
      [now, "now"],
      [now - 30e3, "30 s ago"],
      [now - 180e3, "3 min ago"],
      [now - 7200e3, "2 h ago"],
      [now - 86400e3 * 3, "3 d ago"],
    ],
    (ms) => formatAgo(ms, now),
  );
  assert.match(formatAgo(now + 3600e3, now), /ahead of this clock$/);
});

test("positions on an axis are read as what the axis counts", () => {
  assert.equal(formatAxisValue("step", 12345.4), "12,345");
  assert.equal(formatAxisValue("relative", 61), "1 m 1 s");
  assert.equal(formatAxisValue("metric", 0.123456789), "0.123457");
  assert.deepEqual(formatAxisTicks("wall", [0, 3600]), ["01-01", "01:00"]);
});

test("finding D11: ticks of time are whole seconds, minutes, hours or days", () => {
  const labels = (axis: string, from: number, to: number) =>
    formatAxisTicks(axis, timeTicks(axis, from, to, 6)!);
  assert.deepEqual(labels("relative", 0, 1000), ["0", "5 m", "10 m", "15 m"]);
  assert.deepEqual(labels("relative", 0, 5400), [
    "0",
    "15 m",
    "30 m",
    "45 m",
    "1 h",
    "1 h 15 m",
    "1 h 30 m",
  ]);
  assert.deepEqual(labels("relative", 10, 40), [
    "10 s",
    "15 s",
    "20 s",
    "25 s",
    "30 s",
    "35 s",
    "40 s",
  ]);
  const evening = Date.UTC(2026, 0, 1, 20, 13) / 1000;
  assert.deepEqual(labels("wall", evening, evening + 8 * 3600), [
    "22:00",
    "01-02",
    "02:00",
    "04:00",
  ]);
  assert.deepEqual(labels("wall", evening, evening + 4 * 86400), [
    "01-02",
    "01-03",
    "01-04",
    "01-05",
  ]);
  assert.equal(timeTicks("relative", 0, 0.5, 6), null);
  assert.equal(timeTicks("step", 0, 500, 6), null);
});

test("a column has the same decimals in every row, five digits of its largest number", () => {
  assert.deepEqual(formatColumn([0.349341, 0.02, 1.5]), ["0.3493", "0.0200", "1.5000"]);
  assert.deepEqual(formatColumn([12, 3]), ["12", "3"]);
  assert.deepEqual(formatColumn([1234.5, 2]), ["1,234.5", "2.0"]);
  assert.deepEqual(formatColumn([43_600, 1]), ["43,600", "1"]);
  assert.deepEqual(formatColumn([1e-5, 0.5]), ["1e-5", "0.5"]);
  assert.deepEqual(formatColumn([NaN, 2.5]), ["NaN", "2.5000"]);
});

test("finding U05: a setting as somebody wrote it; a mean with the spread in two digits", () => {
  const cases: [number, string][] = [
    [0.001, "0.001"],
    [3e-4, "3e-4"],
    [10 ** -4 * (1 - 1e-16), "1e-4"],
    [100000, "100000"],
    [0, "0"],
    [-2.5e-7, "-2.5e-7"],
    [NaN, "NaN"],
  ];
  for (const [value, text] of cases) assert.equal(formatSetting(value), text);
  assert.equal(formatSpread(0.88081, 0.0262), "0.8808 ± 0.026");
  assert.equal(formatSpread(0.2329, 0.02), "0.2329 ± 0.020");
  assert.equal(formatSpread(12.5, 9.97), "12.50 ± 10");
  assert.equal(formatSpread(20, null), "20");
});
