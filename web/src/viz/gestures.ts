// Mouse, touch, wheel and keyboard on a chart, turned into a few intentions. Knows pixels only.

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface GestureTarget {
  hover(x: number, y: number): void;
  leave(): void;
  select(box: Box | null, done: boolean): void; // dragged box; null = given up
  pan(dx: number, dy: number, done: boolean): void;
  zoom(x: number, y: number, factor: number, axis: "x" | "y"): void;
  reset(): void;
  click(x: number, y: number, event: PointerEvent): void;
  key(event: KeyboardEvent): boolean;
  inside(x: number, y: number): boolean;
}

/** Listens on `element`; returns the function that stops it. */
export function listen(element: HTMLElement, target: GestureTarget): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  let drag: {
    x: number;
    y: number;
    pan: boolean;
    moved: boolean;
    lastX: number;
    lastY: number;
  } | null = null;
  const touches = new Map<number, { x: number; y: number }>();
  let pinch = 0;
  const at = (event: MouseEvent) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  element.addEventListener(
    "pointerdown",
    (event) => {
      const p = at(event);
      if (event.button !== 0 || !target.inside(p.x, p.y)) return;
      if (event.pointerType === "touch") {
        touches.set(event.pointerId, p);
        if (touches.size === 2) {
          const [a, b] = [...touches.values()];
          pinch = Math.hypot(a.x - b.x, a.y - b.y);
          drag = null;
          target.select(null, true);
          return;
        }
        target.hover(p.x, p.y);
      }
      drag = { x: p.x, y: p.y, pan: event.shiftKey, moved: false, lastX: p.x, lastY: p.y };
      if (event.pointerType !== "touch") element.setPointerCapture(event.pointerId);
    },
    { signal },
  );

  element.addEventListener(
    "pointermove",
    (event) => {
      const p = at(event);
      if (event.pointerType === "touch" && touches.has(event.pointerId)) {
        touches.set(event.pointerId, p);
        if (touches.size === 2) {
          const [a, b] = [...touches.values()];
          const distance = Math.hypot(a.x - b.x, a.y - b.y);
          if (pinch > 0 && distance > 0)
            target.zoom((a.x + b.x) / 2, (a.y + b.y) / 2, pinch / distance, "x");
          pinch = distance;
          return;
        }
      }
      if (drag && !drag.moved && Math.hypot(p.x - drag.x, p.y - drag.y) > 4)
        drag.moved = event.pointerType !== "touch";
      if (drag?.moved) {
        if (drag.pan) target.pan(p.x - drag.lastX, p.y - drag.lastY, false);
        else target.select({ x0: drag.x, y0: drag.y, x1: p.x, y1: p.y }, false);
        drag.lastX = p.x;
        drag.lastY = p.y;
        return;
      }
      if (target.inside(p.x, p.y)) target.hover(p.x, p.y);
      else target.leave();
    },
    { signal },
  );

  const finish = (event: PointerEvent) => {
    touches.delete(event.pointerId);
    if (!drag) return;
    const p = at(event);
    const ended = drag;
    drag = null;
    if (!ended.moved) {
      if (event.type === "pointerup" && event.pointerType !== "touch")
        target.click(p.x, p.y, event);
    } else if (ended.pan) target.pan(0, 0, true);
    else target.select({ x0: ended.x, y0: ended.y, x1: p.x, y1: p.y }, true);
  };
  element.addEventListener("pointerup", finish, { signal });
  element.addEventListener("pointercancel", finish, { signal });
  element.addEventListener(
    "pointerleave",
    (event) => {
      // A lifted finger leaves too; what the tap showed stays until the next one.
      if (!drag && event.pointerType !== "touch") target.leave();
    },
    { signal },
  );
  element.addEventListener("dblclick", () => target.reset(), { signal });
  element.addEventListener(
    "wheel",
    (event) => {
      // The page keeps its scrolling: a chart takes the wheel once it was clicked, or with a
      // modifier.
      if (!event.ctrlKey && !event.altKey && document.activeElement !== element) return;
      event.preventDefault();
      const p = at(event);
      const amount = event.deltaY || event.deltaX;
      target.zoom(
        p.x,
        p.y,
        Math.exp(Math.max(-100, Math.min(100, amount)) * 0.003),
        event.ctrlKey ? "y" : "x",
      );
    },
    { signal, passive: false },
  );
  element.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape" && drag) {
        drag = null;
        target.select(null, true);
        event.preventDefault();
      } else if (target.key(event)) {
        event.preventDefault();
        event.stopPropagation();
      }
    },
    { signal },
  );
  return () => abort.abort();
}
