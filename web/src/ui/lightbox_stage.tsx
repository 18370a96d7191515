// The stage of the lightbox: one or two pictures at any size, dragged and zoomed, and what the
// pixel under the pointer holds.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { theme } from "../state/settings";
import { formatNumber } from "../viz/format";
import { themes } from "../viz/palette";
import {
  difference,
  fitted,
  fromRgba,
  pixelAt,
  zoomed,
  type Difference,
  type Pixels,
  type Placed,
} from "../viz/pixels";

export interface Shown {
  name: string;
  image: HTMLImageElement;
  exact: Pixels | null; // where the stored numbers are not those of the picture
}

export type StageMode = "one" | "swipe" | "difference";

/** Pixels this large have their values written on them. */
const readable = 44;

function rgbaOf(image: HTMLImageElement, width: number, height: number): Uint8ClampedArray {
  const c = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
  c.drawImage(image, 0, 0, width, height);
  return c.getImageData(0, 0, width, height).data;
}

const pixelsOf = ({ image, exact }: Shown): Pixels =>
  exact ??
  fromRgba(
    image.naturalWidth,
    image.naturalHeight,
    rgbaOf(image, image.naturalWidth, image.naturalHeight),
  );

export const wordsOf = (values: number[] | null) =>
  values ? values.map((v) => formatNumber(v, 6)).join(" ") : "–";

export function Stage({
  a,
  b,
  mode,
  label,
  zoom,
  say,
}: {
  a: Shown | null;
  b: Shown | null;
  mode: StageMode;
  label: string;
  zoom: { factor: number; turn: number }; // 0: fit, 1: one to one, else by this much
  say: (words: string) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<[number, number]>([0, 0]);
  const [placed, setPlaced] = useState<Placed | null>(null); // null: fit
  const [split, setSplit] = useState(0.5);
  const pixels = useRef<{ a: [Shown, Pixels] | null; b: [Shown, Pixels] | null }>({
    a: null,
    b: null,
  });
  const diff = useRef<{ of: [Shown, Shown]; value: Difference; picture: OffscreenCanvas } | null>(
    null,
  );
  const two = mode !== "one" && b !== null && a !== null;
  const [width, height] = a ? [a.image.naturalWidth, a.image.naturalHeight] : [1, 1];
  const at = placed ?? fitted(width, height, size[0], size[1]);

  useLayoutEffect(() => {
    const observer = new ResizeObserver(([e]) =>
      setSize([Math.round(e.contentRect.width), Math.round(e.contentRect.height)]),
    );
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!zoom.turn) return;
    const [cx, cy] = [size[0] / 2, size[1] / 2];
    if (zoom.factor === 0) setPlaced(null);
    else setPlaced(zoomed(at, zoom.factor === 1 ? 1 / at.scale : zoom.factor, cx, cy));
  }, [zoom.turn]);

  const known = (which: "a" | "b", of: Shown): Pixels => {
    const kept = pixels.current[which];
    if (kept && kept[0] === of) return kept[1];
    const found = pixelsOf(of);
    pixels.current[which] = [of, found];
    return found;
  };
  const differ = (): typeof diff.current => {
    if (!a || !b) return null;
    if (diff.current && diff.current.of[0] === a && diff.current.of[1] === b) return diff.current;
    const value = difference(rgbaOf(a.image, width, height), rgbaOf(b.image, width, height));
    const picture = new OffscreenCanvas(width, height);
    const data = new ImageData(width, height);
    data.data.set(value.rgba);
    picture.getContext("2d")!.putImageData(data, 0, 0);
    diff.current = { of: [a, b], value, picture };
    return diff.current;
  };

  useLayoutEffect(() => {
    const c = canvas.current!.getContext("2d")!;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    canvas.current!.width = Math.max(1, Math.round(size[0] * ratio));
    canvas.current!.height = Math.max(1, Math.round(size[1] * ratio));
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (!a || size[0] < 2) return;
    c.imageSmoothingEnabled = at.scale < 1;
    c.imageSmoothingQuality = "high";
    const put = (what: CanvasImageSource) =>
      c.drawImage(what, at.x, at.y, width * at.scale, height * at.scale);
    const found = two && mode === "difference" ? differ() : null;
    put(found?.picture ?? a.image);
    if (two && mode === "swipe") {
      const x = split * size[0];
      c.save();
      c.beginPath();
      c.rect(x, 0, size[0] - x, size[1]);
      c.clip();
      c.fillStyle = themes[theme.value].sunken;
      c.fillRect(x, 0, size[0] - x, size[1]);
      put(b.image);
      c.restore();
      c.fillStyle = themes[theme.value].accent;
      c.fillRect(x - 1, 0, 2, size[1]);
      c.beginPath();
      c.arc(x, size[1] / 2, 9, 0, 7);
      c.fill();
    }
    if (at.scale >= readable && mode !== "swipe")
      writeValues(c, found ? null : known("a", a), found, at, size);
    canvas.current!.dataset.drawn = `${mode} ${at.scale}`;
    if (found)
      say(`mean |Δ| ${formatNumber(found.value.mean, 4)}, largest ${found.value.largest} of 255`);
  }, [a, b, mode, size, placed, split, theme.value]);

  const point = (e: MouseEvent): [number, number] => {
    const r = canvas.current!.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  const drag = useRef<{ x: number; y: number; from: Placed; swipe: boolean } | null>(null);
  const hover = (px: number, py: number) => {
    if (!a) return;
    const [x, y] = [Math.floor((px - at.x) / at.scale), Math.floor((py - at.y) / at.scale)];
    const first = pixelAt(known("a", a), x, y);
    if (!first) return say("");
    const other = two ? pixelAt(known("b", b), x, y) : null;
    const words = other
      ? `${a.name}: ${wordsOf(first)} · ${b!.name}: ${wordsOf(other)}`
      : wordsOf(first);
    say(`x ${x}, y ${y}: ${words}`);
  };
  return (
    <div class="stage" ref={box}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        style={{ width: size[0], height: size[1] }}
        onWheel={(e) => {
          e.preventDefault();
          setPlaced(zoomed(at, Math.exp(-e.deltaY / 300), ...point(e)));
        }}
        onDblClick={() => setPlaced(null)}
        onPointerDown={(e) => {
          const [x, y] = point(e);
          const swipe = two && mode === "swipe" && Math.abs(x - split * size[0]) < 24;
          drag.current = { x, y, from: at, swipe };
          e.currentTarget.setPointerCapture(e.pointerId);
        }}
        onPointerMove={(e) => {
          const [x, y] = point(e);
          const d = drag.current;
          if (d?.swipe) setSplit(Math.max(0, Math.min(1, x / size[0])));
          else if (d) setPlaced({ ...d.from, x: d.from.x + x - d.x, y: d.from.y + y - d.y });
          else hover(x, y);
        }}
        onPointerUp={() => (drag.current = null)}
        onPointerCancel={() => (drag.current = null)}
        onPointerLeave={() => say("")}
      />
      {two && mode === "swipe" ? (
        <>
          <input
            type="range"
            class="visually-hidden"
            aria-label="Where the first picture ends"
            min={0}
            max={100}
            value={Math.round(split * 100)}
            onInput={(e) => setSplit(Number(e.currentTarget.value) / 100)}
          />
          <span class="stage-name left">{a.name}</span>
          <span class="stage-name right">{b.name}</span>
        </>
      ) : null}
    </div>
  );
}

/** The numbers of every pixel in sight, dark on light and light on dark. */
function writeValues(
  c: CanvasRenderingContext2D,
  pixels: Pixels | null,
  diff: { value: Difference; picture: OffscreenCanvas } | null,
  at: Placed,
  size: [number, number],
): void {
  const { width, height } = pixels ?? diff!.picture;
  const from = (v: number) => Math.max(0, Math.floor(-v / at.scale));
  const to = (v: number, room: number, most: number) =>
    Math.min(most, Math.ceil((room - v) / at.scale));
  c.font = "10px ui-monospace, monospace";
  c.textAlign = "center";
  c.textBaseline = "middle";
  for (let y = from(at.y); y < to(at.y, size[1], height); y++)
    for (let x = from(at.x); x < to(at.x, size[0], width); x++) {
      const values = pixels
        ? pixelAt(pixels, x, y)!
        : [0, 1, 2].map((k) => Math.round(diff!.value.rgba[(y * width + x) * 4 + k] / 3));
      const [px, py] = [at.x + (x + 0.5) * at.scale, at.y + (y + 0.5) * at.scale];
      c.lineWidth = 3;
      c.strokeStyle = "rgb(0 0 0 / 60%)";
      c.fillStyle = "#ffffff";
      values.forEach((v, k) => {
        const line = py + (k - (values.length - 1) / 2) * 12;
        c.strokeText(formatNumber(v, 3), px, line);
        c.fillText(formatNumber(v, 3), px, line);
      });
    }
}
