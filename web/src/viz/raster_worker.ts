// Runs the rasteriser off the main thread and sends back finished bitmaps.
import { Raster } from "./raster";
import type { RasterData, RasterJob } from "./raster_job";

export interface DrawMessage {
  id: number;
  chart: number;
  job: RasterJob;
  data?: RasterData; // absent: the data sent last for this chart
}
export interface ForgetMessage {
  forget: number;
}
/** Said before a picture is drawn: one that never ends is known by that. */
export interface BeganMessage {
  began: number;
}
export interface DrawnMessage {
  id: number;
  chart: number;
  bitmap: ImageBitmap | null; // null: it could not be drawn
  ms: number;
  densest: number; // lines through one pixel; 0 outside density mode
}

type Drawn = Pick<DrawnMessage, "bitmap" | "densest">;

const held = new Map<number, RasterData>();
const pending = new Map<number, DrawMessage>();
let scheduled = false;
let memory: ArrayBuffer | undefined;

// Straight from the pixels: a canvas of this worker would ask the page's thread about the GPU for
// every picture, and wait while that is busy.
async function draw(job: RasterJob, data: RasterData): Promise<Drawn> {
  const raster = new Raster(job, memory);
  memory = raster.pixels.buffer;
  raster.draw(data);
  const bitmap = await createImageBitmap(new ImageData(raster.pixels, job.width, job.height));
  return { bitmap, densest: raster.densest };
}

/** A browser short of memory may refuse a picture; one chart's trouble is not another's. */
const drawn = (job: RasterJob, data: RasterData) =>
  draw(job, data).catch((): Drawn => ({ bitmap: null, densest: 0 }));

async function drawAll(): Promise<void> {
  await ready;
  // What arrives meanwhile stands at the end of the map and is drawn by the same loop.
  for (const [chart, message] of pending) {
    pending.delete(chart);
    const data = held.get(chart);
    if (!data) continue;
    const began = performance.now();
    (self as unknown as Worker).postMessage({ began: chart } satisfies BeganMessage);
    const picture = await drawn(message.job, data);
    const { bitmap } = picture;
    const ms = performance.now() - began;
    const reply: DrawnMessage = { id: message.id, chart, ...picture, ms };
    (self as unknown as Worker).postMessage(reply, bitmap ? [bitmap] : []);
  }
  scheduled = false;
}

self.onmessage = (event: MessageEvent<DrawMessage | ForgetMessage>) => {
  const message = event.data;
  if ("forget" in message) {
    held.delete(message.forget);
    pending.delete(message.forget);
    return;
  }
  if (message.data) held.set(message.chart, message.data);
  // Only the newest picture of a chart is worth drawing; a slow drag therefore queues nothing.
  pending.set(message.chart, message);
  if (!scheduled) {
    scheduled = true;
    setTimeout(() => void drawAll(), 0);
  }
};

/**
 * Draws a made-up chart while the first real series are still on their way: by then the browser has
 * compiled what draws them.
 */
async function warmUp(): Promise<void> {
  const lines = 16;
  const bins = 256;
  const starts = Uint32Array.from({ length: lines + 1 }, (_, s) => s * bins);
  const wave = (offset: number) =>
    Float32Array.from({ length: lines * bins }, (_, i) => Math.sin(i) + offset);
  const { bitmap } = await drawn(
    {
      width: 256,
      height: 128,
      x: { kind: "linear", from: 0, to: bins },
      y: { kind: "linear", from: -2, to: 2 },
      ground: [255, 255, 255],
      grid: [0, 0, 0],
      gridX: [],
      gridY: [],
      styles: Array.from({ length: lines }, () => ({
        rgb: [0, 0, 0],
        alpha: 1,
        bandAlpha: 0.1,
        width: 1.5,
        dash: null,
        dots: false,
      })),
      order: Uint32Array.from({ length: lines }, (_, s) => s),
      density: null,
      ratio: 1,
    },
    {
      starts,
      shift: Int32Array.from({ length: lines }, (_, s) => -s * bins),
      raw: new Uint8Array(lines),
      x: Float64Array.from({ length: bins + 1 }, (_, i) => i),
      line: wave(0),
      low: wave(-0.2),
      high: wave(0.2),
      count: new Uint32Array(lines * bins).fill(2),
      under: null,
      markBin: new Uint32Array(0),
      markKind: new Uint8Array(0),
    },
  );
  bitmap?.close();
}
const ready = warmUp();
