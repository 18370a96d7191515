// Places of the frames of a profile as boxes (flame, icicle) and as rings (sunburst), without any
// canvas.
import type { Flame } from "../api/types";

export type FlameMode = "flame" | "icicle" | "sunburst";

export interface Box {
  index: number; // in the answer
  x: number;
  y: number;
  width: number;
}

export const rowHeight = 20;

export const deepest = (flame: Flame): number => flame.depth.reduce((m, d) => Math.max(m, d), 0);

const placer = (flame: Flame, mode: FlameMode, width: number) => {
  const whole = flame.total[0] || 1;
  const rows = deepest(flame);
  return (index: number): Box => ({
    index,
    x: (flame.begin[index] / whole) * width,
    y: (mode === "flame" ? rows - flame.depth[index] : flame.depth[index]) * rowHeight,
    width: (flame.total[index] / whole) * width,
  });
};

/** Boxes of a flame (roots at the bottom) or an icicle (roots at the top), `width` pixels wide. */
export function boxes(flame: Flame, mode: FlameMode, width: number): Box[] {
  const place = placer(flame, mode, width);
  return flame.node.map((_, index) => place(index));
}

/** One of them. */
export const boxOf = (flame: Flame, mode: FlameMode, width: number, index: number): Box =>
  placer(flame, mode, width)(index);

/** The frame under a point of the boxes; -1 where there is none. */
export function boxAt(flame: Flame, mode: FlameMode, width: number, x: number, y: number): number {
  const rows = deepest(flame);
  const row = Math.floor(y / rowHeight);
  const depth = mode === "flame" ? rows - row : row;
  const value = (x / width) * (flame.total[0] || 1);
  return flame.node.findIndex(
    (_, i) =>
      flame.depth[i] === depth &&
      value >= flame.begin[i] &&
      value < flame.begin[i] + flame.total[i],
  );
}

/** How many rings a sunburst shows, and how wide each is. */
export function rings(
  flame: Flame,
  radius: number,
): { count: number; width: number; hole: number } {
  const count = Math.max(1, Math.min(deepest(flame), 14));
  const hole = Math.max(24, radius * 0.16);
  return { count, width: (radius - hole) / count, hole };
}

/** The frame under a point of a sunburst, measured from its middle; the root in the hole. */
export function ringAt(flame: Flame, radius: number, x: number, y: number): number {
  const { count, width, hole } = rings(flame, radius);
  const distance = Math.hypot(x, y);
  if (distance < hole) return 0;
  const depth = Math.floor((distance - hole) / width) + 1;
  if (depth > count) return -1;
  const turn = (Math.atan2(x, -y) / (2 * Math.PI) + 1) % 1;
  const value = turn * (flame.total[0] || 1);
  return flame.node.findIndex(
    (_, i) =>
      flame.depth[i] === depth &&
      value >= flame.begin[i] &&
      value < flame.begin[i] + flame.total[i],
  );
}

/** The frame a key leads to: in, out, to the neighbours. */
export function neighbour(flame: Flame, at: number, to: "in" | "out" | "next" | "back"): number {
  const depth = flame.depth[at];
  if (to === "in") return flame.depth[at + 1] === depth + 1 ? at + 1 : at;
  if (to === "next") {
    for (let i = at + 1; i < flame.node.length && flame.depth[i] >= depth; i++)
      if (flame.depth[i] === depth) return i;
    return at;
  }
  for (let i = at - 1; i >= 0; i--) {
    if (flame.depth[i] < depth) return to === "out" ? i : at;
    if (to === "back" && flame.depth[i] === depth) return i;
  }
  return at;
}
