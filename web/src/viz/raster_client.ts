// The main thread's side of the raster worker: one worker for every chart of the page.
import type { RasterData, RasterJob } from "./raster_job";
import type { BeganMessage, DrawMessage, DrawnMessage } from "./raster_worker";

let worker: Worker | null = null;
let nextChart = 1;
let nextId = 1;
const clients = new Map<number, RasterClient>();

/** Counters for tests and benchmarks. */
export const rasterStats = {
  draws: 0,
  lastMs: 0,
  totalMs: 0,
  restarts: 0,
  ended: 0,
  /** Charts whose newest picture is not there yet. */
  get pending() {
    let count = 0;
    for (const client of clients.values()) if (client.waits) count++;
    return count;
  },
};

/** The worker is there when the first series arrive, which takes a few round trips. */
export function startRaster(): void {
  ensure();
}

function ensure(): Worker {
  if (!worker) {
    // A page that is a file may start a classic worker of what it made itself, and no other.
    const type = RASTER_WORKER_URL.startsWith("blob:") ? "classic" : "module";
    worker = new Worker(new URL(RASTER_WORKER_URL, document.baseURI), { type });
    worker.onmessage = (event: MessageEvent<DrawnMessage | BeganMessage>) => {
      clearTimeout(watch);
      if ("began" in event.data) return watchOver(event.data.began);
      const { chart, id, bitmap, ms, densest } = event.data;
      rasterStats.draws++;
      rasterStats.lastMs = ms;
      rasterStats.totalMs += ms;
      const client = clients.get(chart);
      if (client) client.receive(bitmap, id, densest);
      else bitmap?.close();
    };
    // Its program did not arrive, or it ended: without another one no chart would ever be drawn
    // again.
    worker.onerror = () => {
      worker?.terminate();
      worker = null;
      setTimeout(restart, Math.min(30000, 500 * 2 ** rasterStats.restarts++));
    };
  }
  return worker;
}

/** Seconds after which a picture is given up: a thousand runs take a tenth of one. */
const patience = 10;
let watch = 0;

function watchOver(chart: number): void {
  // Twice, so that messages which a busy or sleeping page has not heard yet come first.
  watch = window.setTimeout(
    () => (watch = window.setTimeout(() => end(chart), 1000)),
    patience * 1000,
  );
}

/** One picture that never ends would keep every other chart of the page waiting. */
function end(chart: number): void {
  worker?.terminate();
  worker = null;
  rasterStats.ended++;
  clients
    .get(chart)
    ?.giveUp(
      `Drawing this took more than ${patience} s and was ended. Other charts are not affected; reload the page to try again.`,
    );
  restart();
}

function restart(): void {
  ensure();
  for (const client of clients.values()) client.drawAgain(true);
}

/** One chart's line to the worker. */
export class RasterClient {
  private readonly chart = nextChart++;
  private sent: RasterData | null = null;
  private last: { id: number; data: RasterData; job: RasterJob } | null = null;
  private received = 0;

  private rest = { until: 0, turns: 0 };

  constructor(
    private readonly onBitmap: (bitmap: ImageBitmap, id: number, densest: number) => void,
    private readonly onTrouble: (words: string) => void,
  ) {
    clients.set(this.chart, this);
  }

  draw(data: RasterData, job: RasterJob): number {
    const id = nextId++;
    this.last = { id, data, job };
    this.drawAgain();
    return id;
  }

  get waits(): boolean {
    return (
      this.last !== null && performance.now() >= this.rest.until && this.received !== this.last.id
    );
  }

  /** `anew`: to a worker that has heard of nothing yet. */
  drawAgain(anew = false): void {
    if (anew) this.sent = null;
    if (!this.last || performance.now() < this.rest.until) return;
    const { id, data, job } = this.last;
    const message: DrawMessage = { id, chart: this.chart, job };
    if (this.sent !== data) message.data = this.sent = data;
    ensure().postMessage(message);
  }

  receive(bitmap: ImageBitmap | null, id: number, densest: number): void {
    this.received = id;
    if (!bitmap)
      setTimeout(() => id === this.last?.id && clients.has(this.chart) && this.drawAgain(), 1000);
    else if (this.last && id < this.last.id - 1) bitmap.close();
    else this.onBitmap(bitmap, id, densest);
    if (!this.waits) this.tellDrawn();
  }

  /** Over when the newest picture has come, or after half a second. */
  drawn(): Promise<void> {
    return new Promise((done) => {
      if (!this.waits) return done();
      this.awaited.push(done);
      setTimeout(done, 500);
    });
  }
  private awaited: (() => void)[] = [];

  private tellDrawn(): void {
    for (const done of this.awaited.splice(0)) done();
  }

  /** Not again at once: while this chart is drawn, or tried, the others wait. */
  giveUp(words: string): void {
    this.rest = {
      until: performance.now() + 30_000 * 2 ** this.rest.turns,
      turns: Math.min(8, this.rest.turns + 1),
    };
    this.onTrouble(words);
  }

  destroy(): void {
    clients.delete(this.chart);
    worker?.postMessage({ forget: this.chart });
    this.tellDrawn();
  }
}

declare const RASTER_WORKER_URL: string;
