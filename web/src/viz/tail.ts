// Joins the tail of a live series to what is already held, so that history is never fetched twice.
import type { ChartData } from "./chart_data";
import type { Numbers } from "./raster_job";

interface Columns {
  x: number[];
  fields: Map<keyof Fields, number[]>;
}
interface Fields {
  line: Numbers;
  low: Numbers;
  high: Numbers;
  mean: Numbers;
  min: Numbers;
  max: Numbers;
  count: Uint32Array;
}

const names: (keyof Fields)[] = ["line", "low", "high", "mean", "min", "max", "count"];

function field(data: ChartData, name: keyof Fields): ArrayLike<number> | null {
  switch (name) {
    case "line":
    case "low":
    case "high":
    case "count":
      return data.raster[name];
    default:
      return data[name];
  }
}

function slice(data: ChartData, s: number, from: number, to: number): Columns {
  const x: number[] = [];
  const shift = data.raster.shift[s];
  for (let i = from; i <= to; i++) x.push(data.raster.x[i + shift]);
  const fields = new Map<keyof Fields, number[]>();
  for (const name of names) {
    const array = field(data, name);
    if (array) fields.set(name, Array.prototype.slice.call(array, from, to));
  }
  return { x, fields };
}

/**
 * Joins neighbours until no more than `limit` bins are left; exact for min, max, mean and count.
 */
function halve(columns: Columns, limit: number): void {
  while (columns.x.length - 1 > limit) {
    const n = columns.x.length - 1;
    const counts = columns.fields.get("count");
    const weight = (i: number) => (counts ? counts[i] : 1);
    const out: Columns = { x: [], fields: new Map() };
    for (let i = 0; i < n; i += 2) out.x.push(columns.x[i]);
    out.x.push(columns.x[n]);
    for (const [name, values] of columns.fields) {
      const joined: number[] = [];
      for (let i = 0; i < n; i += 2) {
        const a = values[i];
        if (i + 1 >= n) {
          joined.push(a);
          continue;
        }
        const b = values[i + 1];
        if (name === "count") joined.push(a + b);
        else if (a !== a || b !== b) joined.push(a === a ? a : b);
        else if (name === "min" || name === "low") joined.push(Math.min(a, b));
        else if (name === "max" || name === "high") joined.push(Math.max(a, b));
        else
          joined.push((a * weight(i) + b * weight(i + 1)) / Math.max(1, weight(i) + weight(i + 1)));
      }
      out.fields.set(name, joined);
    }
    columns.x = out.x;
    columns.fields = out.fields;
  }
}

// What grows is the current series, whichever attempt it came from; older attempts never do.
const id = (data: ChartData, s: number) =>
  `${data.series[s].run}\n${data.series[s].key}\n${data.series[s].rank ?? ""}\n${data.series[s].current ? "" : data.series[s].attempt}`;

/** What is new of some series: all their points from `from` on. */
export interface Tail {
  data: ChartData;
  from: number;
}

/** `held` with the series of each tail continued. Series that are new appear at the end. */
export function joinTails(held: ChartData, tails: Tail[], limit: number): ChartData {
  const byId = new Map(
    tails.flatMap((tail) =>
      tail.data.series.map((_, s) => [id(tail.data, s), { tail, s }] as const),
    ),
  );
  const parts: Columns[] = [];
  const raw: number[] = [];
  const series = held.series.slice();
  const marks: { bin: number; kind: number; count: number }[] = [];
  let base = 0;
  const takeMarks = (data: ChartData, first: number, end: number, offset: number) => {
    for (let m = 0; m < data.raster.markBin.length; m++) {
      const bin = data.raster.markBin[m];
      if (bin >= first && bin < end)
        marks.push({
          bin: base + offset + bin - first,
          kind: data.raster.markKind[m],
          count: data.markCount[m],
        });
    }
  };
  for (let s = 0; s < held.series.length; s++) {
    const begin = held.raster.starts[s];
    const end = held.raster.starts[s + 1];
    const found = byId.get(id(held, s));
    let part: Columns;
    let isRaw = held.raster.raw[s];
    if (found === undefined) {
      part = slice(held, s, begin, end);
      takeMarks(held, begin, end, 0);
    } else {
      byId.delete(id(held, s));
      const { data: tail, from } = found.tail;
      const other = found.s;
      let cut = end;
      while (cut > begin && held.raster.x[cut - 1 + held.raster.shift[s]] >= from) cut--;
      part = slice(held, s, begin, cut);
      takeMarks(held, begin, cut, 0);
      const a = tail.raster.starts[other];
      const b = tail.raster.starts[other + 1];
      const more = slice(tail, other, a, b);
      takeMarks(tail, a, b, cut - begin);
      if (b > a) {
        part.x.pop();
        part.x.push(...more.x);
        for (const [name, values] of part.fields) values.push(...(more.fields.get(name) ?? []));
      }
      isRaw = isRaw && tail.raster.raw[other] ? 1 : 0;
      const before = part.x.length;
      halve(part, limit);
      if (part.x.length !== before) {
        isRaw = 0;
        const shift = Math.round(Math.log2((before - 1) / (part.x.length - 1)));
        for (const m of marks) if (m.bin >= base) m.bin = base + ((m.bin - base) >> shift);
      }
      const news = tail.series[other];
      const points = part.fields.get("count")?.reduce((n, c) => n + c, 0) ?? news.total;
      series[s] = {
        ...held.series[s],
        total: news.total,
        last: news.last,
        lastX: news.lastX,
        points,
      };
    }
    parts.push(part);
    raw.push(isRaw);
    base += part.x.length - 1;
  }
  for (const {
    tail: { data: tail },
    s,
  } of byId.values()) {
    const part = slice(tail, s, tail.raster.starts[s], tail.raster.starts[s + 1]);
    takeMarks(tail, tail.raster.starts[s], tail.raster.starts[s + 1], 0);
    parts.push(part);
    raw.push(tail.raster.raw[s]);
    series.push(tail.series[s]);
    base += part.x.length - 1;
  }
  const starts = new Uint32Array(parts.length + 1);
  parts.forEach((p, i) => (starts[i + 1] = starts[i] + p.x.length - 1));
  const total = starts[parts.length];
  const gather = (name: keyof Fields): Numbers | null => {
    if (!field(held, name)) return null;
    const double = [held, ...tails.map((tail) => tail.data)].some(
      (data) => field(data, name) instanceof Float64Array,
    );
    const out = double ? new Float64Array(total) : new Float32Array(total);
    parts.forEach((p, i) => out.set(p.fields.get(name) ?? [], starts[i]));
    return out;
  };
  const x = new Float64Array(total + parts.length);
  parts.forEach((p, i) => x.set(p.x, starts[i] + i));
  const mean = gather("mean");
  const count = gather("count");
  const sound = marks.filter((m) => m.bin < total).sort((p, q) => p.bin - q.bin);
  return {
    ...held,
    series,
    raster: {
      starts,
      x,
      shift: Int32Array.from(parts, (_, i) => i),
      raw: Uint8Array.from(raw),
      line: gather("line")!,
      low: gather("low"),
      high: gather("high"),
      count: count && Uint32Array.from(count),
      under: held.raster.under ? mean : null,
      markBin: Uint32Array.from(sound, (m) => m.bin),
      markKind: Uint8Array.from(sound, (m) => m.kind),
    },
    min: gather("min"),
    max: gather("max"),
    mean,
    markCount: Uint32Array.from(sound, (m) => m.count),
    xTo: Math.max(held.xTo, ...tails.map((tail) => tail.data.xTo)),
    points: series.reduce((n, s) => n + s.points, 0),
    bins: total,
  };
}
