// Feeds charts with series: one request for all charts that ask in the same frame, replies as they
// stream in, tails while live.
import { ApiError, postRaw } from "../api/client";
import { readFrames, type Frame } from "../api/frame";
import type { ChartQuery, SeriesGrew } from "../api/types";
import { chartData, type ChartData } from "../viz/chart_data";
import { transform, type ScaleKind } from "../viz/scale";
import { joinTails, type Tail } from "../viz/tail";
import { listenLive } from "./live";
import { runs } from "./runs";

export type ChartAsk = Omit<ChartQuery, "id">;

/** Counters for tests and benchmarks. */
export const feedStats = {
  requests: 0,
  bytes: 0,
  tails: 0,
  cacheHits: 0,
  lastMs: 0,
  /** Bytes of series kept for charts; in shared memory, which the browser counts to no heap. */
  get held() {
    return cacheBytes;
  },
  /** Charts that wait for data. */
  get pending() {
    let count = 0;
    for (const feed of feeds) if (feed.loading) count++;
    return count;
  },
};

const cacheLimit = 64e6;
const cache = new Map<string, ChartData>(); // in order of use
let cacheBytes = 0;

/** Bytes of its arrays; several may stand in the same memory. */
function sizeOf({ raster, mean, min, max }: ChartData): number {
  const arrays = [
    raster.x,
    raster.line,
    raster.low,
    raster.high,
    raster.count,
    raster.under,
    mean,
    min,
    max,
  ];
  const buffers = new Set(arrays.flatMap((array) => (array ? [array.buffer] : [])));
  let bytes = 1000;
  for (const buffer of buffers) bytes += buffer.byteLength;
  return bytes;
}

function remember(key: string, data: ChartData): void {
  const old = cache.get(key);
  if (old) cacheBytes -= sizeOf(old);
  cache.delete(key);
  cache.set(key, data);
  cacheBytes += sizeOf(data);
  for (const [k, d] of cache) {
    if (cacheBytes <= cacheLimit) break;
    cache.delete(k);
    cacheBytes -= sizeOf(d);
  }
}

export function forgetSeries(): void {
  cache.clear();
  cacheBytes = 0;
  for (const feed of feeds) feed.refetch();
}

const feeds = new Set<Feed>();
const waiting = new Set<Feed>();
let scheduled = false;
let urgentDone: Promise<void> = Promise.resolve();

export class Feed {
  data: ChartData | null = null;
  error = "";
  loading = false;
  /**
   * Somebody waits for this chart: its next question goes before all others, which are asked once
   * this is over too. What they cost the server and this page would hold its picture up.
   */
  urgent: (() => Promise<void>) | null = null;
  private ask_: ChartAsk | null = null;
  key = "";
  batch: Batch | null = null;
  private dirty = new Set<string>();

  constructor(private readonly changed: () => void) {
    feeds.add(this);
  }

  get asked(): ChartAsk | null {
    return this.ask_;
  }

  ask(ask: ChartAsk | null): void {
    const key = ask ? JSON.stringify(ask) : "";
    if (key === this.key) return;
    this.key = key;
    this.ask_ = ask;
    this.dirty.clear();
    this.batch?.leave(this);
    if (!ask) {
      this.data = null;
      this.loading = false;
      this.changed();
      return;
    }
    const held = cache.get(key);
    if (held) {
      feedStats.cacheHits++;
      this.urgent = null;
      this.deliver(held, "");
      return;
    }
    this.refetch();
  }

  refetch(): void {
    if (!this.ask_) return;
    this.loading = true;
    this.error = "";
    this.dirty.clear();
    if (this.urgent) {
      // Not even the end of this frame is waited for; the others of the frame follow when this one
      // is done.
      const { urgent } = this;
      this.urgent = null;
      waiting.delete(this);
      this.batch?.leave(this);
      urgentDone = new Batch([this]).done.then(urgent);
    } else {
      // What is under way was asked before whatever made this necessary.
      this.batch?.leave(this);
      waiting.add(this);
      schedule();
    }
    this.changed();
  }

  /**
   * After a broken connection: the chart shows what is wrong, and mends itself once the server
   * answers.
   */
  refetchLater(delay: number): void {
    const key = this.key;
    setTimeout(
      () => feeds.has(this) && this.key === key && this.error && !this.loading && this.refetch(),
      delay,
    );
  }

  deliver(data: ChartData | null, error: string): void {
    this.loading = false;
    this.error = error;
    if (data) {
      this.data = data;
      remember(this.key, data);
      // The run grew while the reply was on its way, and may never grow again.
      if (this.dirty.size) tailsSoon();
    }
    this.changed();
  }

  destroy(): void {
    feeds.delete(this);
    waiting.delete(this);
    this.batch?.leave(this);
  }

  /** Notes which runs grew; returns whether this chart shows any of it. */
  touch(event: SeriesGrew): boolean {
    const ask = this.ask_;
    if (!ask) return false;
    for (const g of event.grew) {
      if (ask.runs.includes(g.run) && (ask.expression || ask.keys.some((k) => g.keys.includes(k))))
        this.soil(g.run);
    }
    return this.dirty.size > 0;
  }

  /** A run may have more points than this chart, or the reply that it waits for, has. */
  soil(run: string): void {
    const ask = this.ask_;
    if (!ask?.runs.includes(run)) return;
    // A zoom away from the end does not move: what is new lies outside.
    const info =
      ask.x.to !== undefined
        ? this.data?.series.find((s) => s.run === run && s.current)
        : undefined;
    if (info?.lastX != null && info.lastX > ask.x.to!) return;
    this.dirty.add(run);
  }

  /** Queries for what is new, or null when everything has to be asked again. */
  tailQueries(): TailQuery[] | null {
    const ask = this.ask_!;
    const data = this.data!;
    const runs = new Set(this.dirty);
    this.dirty.clear();
    if (ask.group || data.series.length === 0 || data.series.some((s) => s.ranks > 1)) return null;
    const scale = data.xScale as ScaleKind;
    const ends: SeriesEnd[] = [];
    let size = 0;
    for (let s = 0; s < data.series.length; s++) {
      const { run, key, current } = data.series[s];
      if (!runs.has(run) || !current) continue;
      const end = data.raster.starts[s + 1];
      if (end === data.raster.starts[s]) return null;
      const edge = end + data.raster.shift[s];
      const from = data.raster.x[edge - 1];
      ends.push({
        run,
        key: ask.expression ? "" : key,
        from,
        at: transform(scale, from),
        raw: data.raster.raw[s] === 1,
      });
      if (!data.raster.raw[s])
        size = Math.max(size, transform(scale, data.raster.x[edge]) - transform(scale, from));
    }
    if (ends.length === 0) return null;
    if (size === 0)
      size = (transform(scale, data.xTo) - transform(scale, data.xFrom)) / ask.width || 1;
    const lists = clusters(ends, size);
    if (lists.length > 128) return null;
    return lists.map((list) => {
      const from = Math.min(...list.map((e) => e.from));
      return {
        query: {
          ...ask,
          runs: [...new Set(list.map((e) => e.run))],
          keys: ask.expression ? ask.keys : [list[0].key],
          attempts: "winning",
          x: { ...ask.x, from },
          bin: size,
          raw_limit: 64,
          precision: "f32",
          fields: undefined,
        },
        from,
      };
    });
  }

  get isDirty(): boolean {
    return this.dirty.size > 0;
  }
}

interface TailQuery {
  query: ChartAsk;
  from: number;
}

interface SeriesEnd {
  run: string;
  key: string;
  from: number; // begin of the last bin
  at: number; // the same on the scale of the axis
  raw: boolean;
}

/**
 * Series that end near each other: one query has one beginning, and runs of one chart may be
 * thousands of steps apart. Points may begin anywhere; bins are continued exactly at their edge, or
 * points would count twice.
 */
function clusters(ends: SeriesEnd[], size: number): SeriesEnd[][] {
  const out: SeriesEnd[][] = [];
  const kinds = new Map<string, SeriesEnd[]>();
  for (const end of ends) {
    const kind = `${end.key}\n${end.raw}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), end]);
  }
  for (const list of kinds.values()) {
    list.sort((a, b) => a.at - b.at);
    const span = list[0].raw ? Math.max(8 * size, (list[list.length - 1].at - list[0].at) / 12) : 0;
    let open: SeriesEnd[] = [];
    for (const end of list) {
      if (open.length && end.at - open[0].at > span) (out.push(open), (open = []));
      open.push(end);
    }
    out.push(open);
  }
  return out;
}

class Batch {
  private readonly abort = new AbortController();
  private readonly members: Set<Feed>;
  readonly done: Promise<void>;

  constructor(list: Feed[]) {
    this.members = new Set(list);
    for (const feed of list) feed.batch = this;
    this.done = this.run(list);
  }

  leave(feed: Feed): void {
    feed.batch = null;
    this.members.delete(feed);
    if (this.members.size === 0) this.abort.abort();
  }

  private async run(list: Feed[]): Promise<void> {
    const keys = list.map((feed) => feed.key);
    const began = performance.now();
    const charts: ChartQuery[] = list.map((feed, i) => ({ ...feed.asked!, id: String(i) }));
    feedStats.requests++;
    const each = (frame: Frame) => {
      const i = Number(frame.header.chart);
      const feed = list[i];
      if (!this.members.has(feed) || feed.key !== keys[i]) return;
      this.members.delete(feed);
      feed.batch = null;
      if (frame.header.error) feed.deliver(null, frame.header.error.message);
      else feed.deliver(chartData(frame), "");
    };
    try {
      feedStats.bytes += await readFrames(
        await postRaw("series:query", { charts }, this.abort.signal),
        each,
      );
      feedStats.lastMs = performance.now() - began;
    } catch (error) {
      if (this.abort.signal.aborted) return;
      for (const feed of this.members) {
        feed.batch = null;
        feed.deliver(null, (error as Error).message);
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500)
          feed.refetchLater(3000);
      }
    }
  }
}

/**
 * What is asked in one frame travels together. The first cards of a page are made in one turn: they
 * need not wait for a frame.
 */
function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  if (feedStats.requests === 0) queueMicrotask(flush);
  else requestAnimationFrame(flush);
}

function flush(): void {
  scheduled = false;
  const list = [...waiting];
  waiting.clear();
  void send(parts(list), urgentDone);
}

const heavySeries = 1000;

/**
 * Few lines travel together. Charts of very many come one or two at a time: the first is drawn
 * before the last is computed.
 */
function parts(list: Feed[]): Feed[][] {
  const out: Feed[][] = [];
  let series = Infinity;
  for (const feed of list) {
    const own = (feed.asked?.runs.length ?? 0) * Math.max(1, feed.asked?.keys.length ?? 1);
    if (series + own > 2 * heavySeries || out[out.length - 1].length === 32)
      (out.push([]), (series = 0));
    series += own;
    out[out.length - 1].push(feed);
  }
  return out;
}

/**
 * One part after the other; a chart that asked for something else meanwhile has its place in a
 * later call.
 */
async function send(list: Feed[][], after: Promise<void>): Promise<void> {
  const keys = new Map(list.flat().map((feed) => [feed, feed.key]));
  await after;
  for (const part of list) {
    const left = part.filter(
      (feed) =>
        feeds.has(feed) &&
        feed.key === keys.get(feed) &&
        feed.loading &&
        !feed.batch &&
        !waiting.has(feed),
    );
    if (left.length) await new Batch(left).done;
  }
}

let tailTimer = 0;
let tailBusy = false;
let tailsAt = -Infinity; // when points were asked for last

/** A point after a pause is asked for at once; of many in a row, four times a second. */
function tailsSoon(delay?: number): void {
  const rest = Math.max(10, 250 - (performance.now() - tailsAt));
  if (!tailTimer) tailTimer = window.setTimeout(() => void fetchTails(), delay ?? rest);
}

/**
 * Whether points were logged before the end that a chart held, as by a counter that began anew: a
 * tail does not bring those.
 */
function wentBack(ask: ChartAsk, held: ChartData, joined: ChartData): boolean {
  if (ask.x.from !== undefined || ask.x.to !== undefined) return false;
  return held.series.some(
    (before, s) =>
      before.current &&
      before.points >= before.total &&
      joined.series[s].points < joined.series[s].total,
  );
}

async function fetchTails(): Promise<void> {
  tailTimer = 0;
  if (document.hidden || tailBusy) {
    if (!document.hidden) tailsSoon();
    return;
  }
  const jobs: { feed: Feed; key: string; held: ChartData; from: number; query: ChartAsk }[] = [];
  for (const feed of feeds) {
    if (!feed.isDirty || feed.loading || !feed.data) continue;
    const held = feed.data;
    const tails = feed.tailQueries();
    if (tails) for (const tail of tails) jobs.push({ feed, key: feed.key, held, ...tail });
    else {
      cache.delete(feed.key);
      feed.refetch();
    }
  }
  if (jobs.length === 0) return;
  tailBusy = true;
  tailsAt = performance.now();
  feedStats.tails++;
  try {
    const tails = new Map<Feed, Tail[]>();
    for (let first = 0; first < jobs.length; first += 64) {
      const part = jobs.slice(first, first + 64);
      const charts = part.map((job, i) => ({ ...job.query, id: String(i) }));
      feedStats.bytes += await readFrames(await postRaw("series:query", { charts }), (frame) => {
        const { feed, from } = part[Number(frame.header.chart)];
        if (!frame.header.error)
          tails.set(feed, [...(tails.get(feed) ?? []), { data: chartData(frame), from }]);
      });
    }
    for (const [feed, list] of tails) {
      const { key, held } = jobs.find((job) => job.feed === feed)!;
      if (feed.key !== key || feed.data !== held) continue;
      const joined = joinTails(held, list, feed.asked!.width * 2);
      if (wentBack(feed.asked!, held, joined)) {
        cache.delete(key);
        feed.refetch();
      } else feed.deliver(joined, "");
    }
  } catch {
    // The connection banner speaks for us.
    for (const { feed, key, query } of jobs)
      if (feed.key === key) for (const run of query.runs) feed.soil(run);
    tailsSoon(3000);
  } finally {
    tailBusy = false;
  }
}

listenLive({
  series(event) {
    let any = false;
    for (const feed of feeds) any = feed.touch(event) || any;
    if (any) tailsSoon();
  },
  behind() {
    const growing = runs.peek().filter((run) => run.state === "running");
    for (const feed of feeds) for (const run of growing) feed.soil(run.id);
    tailsSoon();
  },
  reset: forgetSeries,
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) tailsSoon(0);
});
