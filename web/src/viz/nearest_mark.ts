// Which drawn mark is under the pointer.
import type { Scale } from "./scale";

export interface Marks {
  xs: ArrayLike<number>;
  ys: ArrayLike<number>;
}

/** The mark nearest to a place, in pixels of the plot; null when none is within reach. */
export function nearestMark(
  x: Scale,
  y: Scale,
  series: readonly Marks[],
  px: number,
  py: number,
  reach = 28,
): { series: number; index: number } | null {
  let best: { series: number; index: number } | null = null;
  let least = reach * reach;
  series.forEach(({ xs, ys }, s) => {
    for (let i = 0; i < xs.length; i++) {
      const dx = x.pixel(xs[i]) - px;
      if (Math.abs(dx) > reach) continue;
      const dy = y.pixel(ys[i]) - py;
      const away = dx * dx + dy * dy;
      if (away < least) {
        least = away;
        best = { series: s, index: i };
      }
    }
  });
  return best;
}
