// A canvas that draws itself again on resize and on a change of theme, with hover and the export
// menu.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { csvOf } from "../lib/csv";
import { theme } from "../state/settings";
import { fileName, saveBlob } from "../viz/save";
import { Icon } from "./icon";
import { MenuItem, PopoverButton } from "./popover";

/** What the tooltip of a place says; a picture stands above it. */
export interface Said {
  text: string;
  picture?: preact.ComponentChildren;
}
interface Hover extends Said {
  x: number;
  y: number;
}

export function CanvasPlot({
  draw,
  label,
  height,
  least = 0,
  deps,
  onMove,
  onClick,
  title,
  actions,
  csv,
}: {
  draw: (canvas: HTMLCanvasElement, width: number, height: number) => void;
  label: string;
  height: number;
  least?: number; // pixels it needs; a narrower card scrolls
  deps: unknown[];
  onMove?: (x: number, y: number) => string | Said | null;
  onClick?: (x: number, y: number) => void;
  title?: string;
  actions?: preact.ComponentChildren;
  csv?: () => (string | number)[][];
}) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState(0);
  const [scrolls, setScrolls] = useState(false);
  const [hover, setHover] = useState<Hover | null>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const around = entry.target.parentElement;
      setSize(Math.round(entry.contentRect.width));
      setScrolls(!!around && around.scrollWidth > around.clientWidth);
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  // A layout effect, so that a moved cursor is painted in the same frame as everywhere else.
  useLayoutEffect(() => {
    if (size > 10) draw(canvas.current!, size, height);
  }, [size, height, theme.value, ...deps]);
  const at = (e: MouseEvent): [number, number] => {
    const r = canvas.current!.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  const savePng = () =>
    canvas.current!.toBlob((b) => b && saveBlob(b, fileName(title ?? label) + ".png"));
  return (
    <div class="canvas-plot">
      {title !== undefined ? (
        <div class="card-head">
          <span class="title ellipsis" style={{ cursor: "default" }} title={title}>
            {title}
          </span>
          {actions}
          <div class="actions" style={{ opacity: 1 }}>
            <PopoverButton
              menu
              class="icon-button tiny"
              label={`Export ${title}`}
              trigger={<Icon name="download" />}
            >
              {(close) => (
                <div onClick={close}>
                  <MenuItem icon="download" onClick={savePng}>
                    PNG picture
                  </MenuItem>
                  {csv ? (
                    <MenuItem
                      icon="download"
                      onClick={() =>
                        saveBlob(
                          new Blob([csvOf(csv())], { type: "text/csv" }),
                          fileName(title) + ".csv",
                        )
                      }
                    >
                      CSV
                    </MenuItem>
                  ) : null}
                </div>
              )}
            </PopoverButton>
          </div>
        </div>
      ) : null}
      <div
        class="canvas-around"
        {...(scrolls ? { tabIndex: 0, role: "group", "aria-label": title ?? "plot" } : {})}
      >
        <div ref={box} style={{ position: "relative", height, minWidth: least || undefined }}>
          <canvas
            ref={canvas}
            role="img"
            aria-label={label}
            style={{ width: "100%", height }}
            onPointerMove={(e) => {
              if (!onMove) return;
              const [x, y] = at(e);
              const found = onMove(x, y);
              const said = typeof found === "string" ? { text: found } : found;
              setHover(said?.text ? { x: e.clientX, y: e.clientY, ...said } : null);
            }}
            onPointerLeave={() => {
              setHover(null);
              onMove?.(-1, -1);
            }}
            onClick={(e) => onClick?.(...at(e))}
          />
        </div>
      </div>
      {hover ? (
        <div
          class="tooltip"
          style={{
            left: Math.min(innerWidth - 220, hover.x + 14),
            top: hover.y + 14,
            whiteSpace: "pre",
          }}
        >
          {hover.picture}
          {hover.text}
        </div>
      ) : null}
    </div>
  );
}
