// The main thread's side of the raster worker: one worker for every chart of the page.
import type { RasterData, RasterJob } from "./raster";
import type { DrawMessage, DrawnMessage } from "./raster_worker";

let worker: Worker | null = null;
let nextChart = 1;
let nextId = 1;
const listeners = new Map<number, (message: DrawnMessage) => void>();

/** Counters for tests and benchmarks. */
export const rasterStats = { draws: 0, lastMs: 0, totalMs: 0, pending: 0 };

/** The worker is there when the first series arrive, which takes a few round trips. */
export function startRaster(): void {
  ensure();
}

function ensure(): Worker {
  if (!worker) {
    worker = new Worker(new URL(RASTER_WORKER_URL, document.baseURI), { type: "module" });
    worker.onmessage = (event: MessageEvent<DrawnMessage>) => {
      rasterStats.draws++;
      rasterStats.lastMs = event.data.ms;
      rasterStats.totalMs += event.data.ms;
      const listener = listeners.get(event.data.chart);
      if (listener) listener(event.data);
      else event.data.bitmap.close();
    };
  }
  return worker;
}

/** One chart's line to the worker. */
export class RasterClient {
  private readonly chart = nextChart++;
  private sent: RasterData | null = null;
  private wanted = 0;

  constructor(private readonly onBitmap: (bitmap: ImageBitmap, id: number) => void) {
    listeners.set(this.chart, (message) => {
      if (message.id < this.wanted - 1) message.bitmap.close();
      else this.onBitmap(message.bitmap, message.id);
    });
  }

  draw(data: RasterData, job: RasterJob): number {
    const id = nextId++;
    this.wanted = id;
    const message: DrawMessage = { id, chart: this.chart, job };
    if (this.sent !== data) message.data = this.sent = data;
    ensure().postMessage(message);
    return id;
  }

  destroy(): void {
    listeners.delete(this.chart);
    worker?.postMessage({ forget: this.chart });
  }
}

declare const RASTER_WORKER_URL: string;
