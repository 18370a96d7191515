// Density mode: pixels coloured by how many series cross them. Min-max spans, so no spike is lost.
//
// A span costs two additions however tall it is: columns hold where spans begin and end, and a sum
// down each column gives the counts.
import type { Spans } from "./spans";
import { word } from "./raster_job";

/** How much of the full colour a pixel has that `n` lines cross, `most` being the most of any. */
export const densityShare = (n: number, most: number) =>
  0.18 + 0.82 * (Math.log(n) / Math.log(most + 1));

/** Returns how many lines cross the densest pixel. */
export function drawDensity(
  spans: Spans,
  order: Uint32Array,
  words: Uint32Array,
  ground: [number, number, number],
  color: [number, number, number],
): number {
  const { width, height, low, high } = spans;
  const column = height + 1;
  const hits = new Int32Array(width * column);
  for (const s of order) {
    spans.clear();
    spans.addLine(s, spans.data.line, null);
    if (spans.hasBand) spans.addBand(s);
    for (let c = spans.first; c <= spans.last; c++) {
      if (low[c] > high[c]) continue;
      const r0 = Math.max(0, Math.floor(low[c] - 0.5));
      const r1 = Math.min(height - 1, Math.floor(high[c] + 0.5));
      if (r0 > r1) continue;
      hits[c * column + r0]++;
      hits[c * column + r1 + 1]--;
    }
  }
  let most = 1;
  for (let c = 0; c < width; c++) {
    let open = 0;
    for (let at = c * column, end = at + height; at < end; at++) {
      open += hits[at];
      hits[at] = open;
      if (open > most) most = open;
    }
  }
  const table = new Uint32Array(most + 1);
  for (let n = 1; n <= most; n++) {
    const t = densityShare(n, most);
    table[n] = word(
      ground.map((g, k) => Math.round(g + (color[k] - g) * t)) as [number, number, number],
    );
  }
  for (let c = 0; c < width; c++) {
    for (let r = 0; r < height; r++) {
      const n = hits[c * column + r];
      if (n > 0) words[r * width + c] = table[n];
    }
  }
  return most;
}
