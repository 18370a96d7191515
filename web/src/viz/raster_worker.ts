// Runs the rasteriser off the main thread and sends back finished bitmaps.
import { Raster, type RasterData, type RasterJob } from "./raster";

export interface DrawMessage {
  id: number;
  chart: number;
  job: RasterJob;
  data?: RasterData; // absent: the data sent last for this chart
}
export interface ForgetMessage {
  forget: number;
}
export interface DrawnMessage {
  id: number;
  chart: number;
  bitmap: ImageBitmap;
  ms: number;
}

const held = new Map<number, RasterData>();
const pending = new Map<number, DrawMessage>();
let scheduled = false;
let canvas: OffscreenCanvas | null = null;

function drawAll(): void {
  scheduled = false;
  for (const [chart, message] of pending) {
    pending.delete(chart);
    const data = held.get(chart);
    if (!data) continue;
    const began = performance.now();
    const raster = new Raster(message.job);
    raster.draw(data);
    const { width, height } = message.job;
    canvas ??= new OffscreenCanvas(width, height);
    canvas.width = width;
    canvas.height = height;
    canvas.getContext("2d")!.putImageData(new ImageData(raster.pixels, width, height), 0, 0);
    const bitmap = canvas.transferToImageBitmap();
    const reply: DrawnMessage = { id: message.id, chart, bitmap, ms: performance.now() - began };
    (self as unknown as Worker).postMessage(reply, [bitmap]);
  }
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
    setTimeout(drawAll, 0);
  }
};
