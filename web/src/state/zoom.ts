// Zooms of the charts: shared along x when asked, with their own back and forward.
import { sharedZoom } from "./axis";
import { change, view, type View, type Zoom } from "./view";

type Zooms = Record<string, Zoom>;
let past: Zooms[] = [];
let future: Zooms[] = [];

interface Card {
  id: string;
  keys: string[];
}

/** Cards on the same axis share its zoom; a range of steps means nothing on another one. */
export function zoomOf(card: Card, v: View = view.value): Zoom {
  const own = v.zoom[card.id];
  return {
    x: (v.zoomTogether ? v.zoom[sharedZoom(card, v)]?.x : own?.x) ?? null,
    y: own?.y ?? null,
  };
}

export function setZoom(of: Card, x: [number, number] | null, y: [number, number] | null): void {
  const { zoom, zoomTogether } = view.value;
  const card = of.id;
  const next: Zooms = { ...zoom };
  if (zoomTogether) {
    const shared = sharedZoom(of);
    if (x) next[shared] = { x, y: null };
    else delete next[shared];
    if (y) next[card] = { x: null, y };
    else delete next[card];
    if (!x && !y) for (const id of Object.keys(next)) if (id !== card) delete next[id];
  } else if (x || y) next[card] = { x, y };
  else delete next[card];
  past.push(zoom);
  if (past.length > 100) past = past.slice(-100);
  future = [];
  // Wheel turns in quick succession are one step of undo.
  const now = performance.now();
  change({ zoom: next }, now - lastChange < 400);
  lastChange = now;
}
let lastChange = -1000;

export function zoomBack(): void {
  const to = past.pop();
  if (!to) return;
  future.push(view.value.zoom);
  change({ zoom: to });
}

export function zoomForward(): void {
  const to = future.pop();
  if (!to) return;
  past.push(view.value.zoom);
  change({ zoom: to });
}
