// One logged value that is not a scalar, shown by its kind.
import { useEffect, useRef, useState } from "preact/hooks";
import { apiUrl, getBytes } from "../api/client";
import type {
  AudioValue,
  ImageValue,
  MeshValue,
  TableValue,
  TextValue,
  VideoValue,
} from "../api/types";
import { theme } from "../state/settings";
import { change, view } from "../state/view";
import { formatInteger, formatNumber } from "../viz/format";
import { themes } from "../viz/palette";
import { IconButton } from "./controls";
import { DataTable } from "./data_table";
import { useEntry } from "./entry";
import { FigurePanel } from "./figure_panel";
import { FloatPicture } from "./float_picture";
import { Markdown } from "./markdown";
import { PlainText } from "./plain_text";

export const imageUrl = (run: string, key: string, index: number, item = 0, width = 0) =>
  apiUrl("image", { run, key, index, item: item || undefined, width: width || undefined });

/**
 * The pixels a tile of this size needs, in steps that share cached pictures; 0 asks for the whole
 * picture.
 */
export const tileWidth = (size: number, fit: boolean) =>
  fit ? Math.ceil((size * Math.min(3, window.devicePixelRatio || 1)) / 32) * 32 : 0;

/** From this many times as long as wide on, the short side would be less than a pixel. */
const sliver = 40;

function Stored({ url, alt, size, fit }: { url: string; alt: string; size: number; fit: boolean }) {
  const [state, setState] = useState<{
    of: string;
    broken: boolean;
    width: number;
    height: number;
  }>({ of: "", broken: false, width: 0, height: 0 });
  const known = state.of === url ? state : null;
  if (known?.broken)
    return (
      <div class="media-note" role="note" style={{ width: Math.max(140, size) }}>
        This is no picture that a browser can show.{" "}
        <a href={url} download="picture">
          Save its bytes
        </a>
      </div>
    );
  const long = known ? Math.max(known.width / known.height, known.height / known.width) : 1;
  return (
    <>
      <img
        class={`picture${fit ? (long > sliver ? " sliver" : " fit") : ""}`}
        src={url}
        alt={alt}
        loading="lazy"
        decoding="async"
        style={fit ? { width: size, height: size } : undefined}
        draggable={false}
        onError={() => setState({ of: url, broken: true, width: 0, height: 0 })}
        onLoad={(e) =>
          setState({
            of: url,
            broken: false,
            width: e.currentTarget.naturalWidth,
            height: e.currentTarget.naturalHeight,
          })
        }
      />
      {fit && known && long > sliver ? (
        <div class="small muted">
          {formatInteger(known.width)} × {formatInteger(known.height)}, not to scale
        </div>
      ) : null}
    </>
  );
}

export function Picture({
  run,
  name,
  index,
  item = 0,
  size,
  fit,
  against,
  floats,
  whole,
}: {
  run: string;
  name: string;
  index: number;
  item?: number;
  size: number;
  fit: boolean;
  against?: { run: string; index: number };
  floats?: boolean;
  whole?: boolean; // too long and thin to be shrunk
}) {
  const url = imageUrl(run, name, index, item);
  const alt = `${name} at entry ${index}`;
  if (against && against.run !== run && against.index >= 0)
    return <Difference a={url} b={imageUrl(against.run, name, against.index, item)} size={size} />;
  if (floats)
    return (
      <FloatPicture
        run={run}
        name={name}
        index={index}
        item={item}
        alt={alt}
        size={size}
        fit={fit}
      />
    );
  const tile = imageUrl(run, name, index, item, whole ? 0 : tileWidth(size, fit));
  return <Stored url={tile} alt={alt} size={size} fit={fit} />;
}

/** Absolute difference of two images, amplified to be seen; the mean difference as a number. */
function Difference({ a, b, size }: { a: string; b: string; size: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [mean, setMean] = useState<number | null>(null);
  useEffect(() => {
    let stale = false;
    const load = (url: string) =>
      new Promise<HTMLImageElement>((resolve, reject) => {
        const image = new Image();
        image.onload = () => resolve(image);
        image.onerror = () => reject(new Error("an image could not be loaded"));
        image.src = url;
      });
    Promise.all([load(a), load(b)]).then(
      ([p, q]) => {
        if (stale || !canvas.current) return;
        const { naturalWidth: w, naturalHeight: h } = p;
        const pixels = (image: HTMLImageElement) => {
          const c = new OffscreenCanvas(w, h).getContext("2d")!;
          c.drawImage(image, 0, 0, w, h);
          return c.getImageData(0, 0, w, h).data;
        };
        const x = pixels(p);
        const y = pixels(q);
        const out = new ImageData(w, h);
        let sum = 0;
        for (let i = 0; i < x.length; i += 4) {
          for (let k = 0; k < 3; k++) {
            const d = Math.abs(x[i + k] - y[i + k]);
            sum += d;
            out.data[i + k] = Math.min(255, d * 3);
          }
          out.data[i + 3] = 255;
        }
        canvas.current.width = w;
        canvas.current.height = h;
        canvas.current.getContext("2d")!.putImageData(out, 0, 0);
        setMean(sum / (w * h * 3));
      },
      () => undefined,
    );
    return () => {
      stale = true;
    };
  }, [a, b]);
  return (
    <figure class="difference">
      <canvas
        ref={canvas}
        class="picture fit"
        style={{ width: size, height: size }}
        role="img"
        aria-label="Difference"
      />
      <figcaption class="small muted">
        {mean === null ? "…" : `mean |Δ| ${formatNumber(mean, 3)} of 255`}
      </figcaption>
    </figure>
  );
}

function RawVideo({ run, value, size }: { run: string; value: VideoValue; size: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [playing, setPlaying] = useState(false);
  const [problem, setProblem] = useState("");
  const bytes = useRef<Uint8Array | null>(null);
  const frame = useRef(0);
  const show = () => {
    const data = bytes.current;
    if (!data || !canvas.current) return;
    const { width: w, height: h, channels } = value;
    const image = new ImageData(w, h);
    const base = frame.current * w * h * channels;
    for (let i = 0; i < w * h; i++) {
      for (let k = 0; k < 3; k++)
        image.data[i * 4 + k] = data[base + i * channels + (channels >= 3 ? k : 0)];
      image.data[i * 4 + 3] = 255;
    }
    canvas.current.getContext("2d")!.putImageData(image, 0, 0);
    canvas.current.dataset.frame = String(frame.current);
  };
  useEffect(() => {
    let stale = false;
    getBytes("blob", { run, sha: value.data.sha }).then(
      (b) => {
        if (stale) return;
        bytes.current = new Uint8Array(b);
        frame.current = 0;
        setProblem("");
        show();
      },
      (error: Error) => stale || setProblem(error.message),
    );
    return () => {
      stale = true;
    };
  }, [value.data.sha]);
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(
      () => {
        frame.current = (frame.current + 1) % Math.max(1, value.frames);
        show();
      },
      1000 / (value.frames_per_second || 10),
    );
    return () => clearInterval(timer);
  }, [playing]);
  return (
    <div>
      <canvas
        ref={canvas}
        class="picture"
        width={value.width}
        height={value.height}
        style={{ width: size }}
        role="img"
        aria-label={value.caption || "Video"}
      />
      {problem ? (
        <div role="alert" class="muted">
          {problem}
        </div>
      ) : (
        <div>
          <button type="button" class="button" onClick={() => setPlaying(!playing)}>
            {playing ? "Pause" : "Play"}
          </button>
        </div>
      )}
    </div>
  );
}

function Sound({ run, value, size }: { run: string; value: AudioValue; size: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const source = { run, sha: value.data.sha, size: value.data.size, format: value.format };
  const url = apiUrl("blob", source);
  const color = themes[theme.value].accent;
  useEffect(() => {
    let stale = false;
    // The waveform is an extra: where the format cannot be decoded the player alone remains.
    void getBytes("blob", source)
      .then((b) => new OfflineAudioContext(1, 1, value.sample_rate || 44100).decodeAudioData(b))
      .then((sound) => {
        if (stale || !canvas.current) return;
        const c = canvas.current.getContext("2d")!;
        const { width, height } = canvas.current;
        const samples = sound.getChannelData(0);
        c.clearRect(0, 0, width, height);
        c.fillStyle = color;
        for (let x = 0; x < width; x++) {
          let low = 1;
          let high = -1;
          for (
            let i = Math.floor((x / width) * samples.length);
            i < ((x + 1) / width) * samples.length;
            i++
          ) {
            if (samples[i] < low) low = samples[i];
            if (samples[i] > high) high = samples[i];
          }
          if (high >= low)
            c.fillRect(x, ((1 - high) / 2) * height, 1, Math.max(1, ((high - low) / 2) * height));
        }
      })
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [url, color]);
  return (
    <div style={{ width: Math.max(240, size) }}>
      <canvas
        ref={canvas}
        width={Math.max(240, size)}
        height={56}
        style={{ width: "100%", height: 56 }}
        role="img"
        aria-label="Waveform"
      />
      <audio controls preload="metadata" src={url} style={{ width: "100%", height: 36 }} />
    </div>
  );
}

function MeshItem(props: { run: string; value: MeshValue; size: number }) {
  const [Panel, setPanel] = useState<typeof import("./mesh_panel").default | null>(null);
  useEffect(() => void import("./mesh_panel").then((m) => setPanel(() => m.default)), []);
  return Panel ? (
    <Panel {...props} />
  ) : (
    <div class="mesh" style={{ width: props.size, height: props.size }} />
  );
}

export function MediaItem({
  run,
  name,
  kind,
  index,
  items,
  size,
  fit,
  against,
}: {
  run: string;
  name: string;
  kind: string;
  index: number;
  items: number;
  size: number;
  fit: boolean;
  against?: { run: string; index: number };
}) {
  const { entry, error } = useEntry(run, name, index);
  if (index < 0)
    return (
      <div class="media-note" style={{ width: size }}>
        nothing logged yet at this step
      </div>
    );
  const value = entry?.value;
  // What the entry is counts, not what others of its key are: one key may hold several kinds.
  if (value ? value.kind === "image" : kind === "image" && !error) {
    const image = value?.kind === "image" ? (value as ImageValue) : null;
    const captions = image?.captions ?? [];
    const other = against && against.run !== run ? against.run : "";
    const enlarge = (item: number) =>
      change({
        media: { ...view.value.media, step: entry?.step ?? view.value.media.step },
        picture: { run, key: name, item, mode: other ? "difference" : "one", against: other },
      });
    return (
      <div class="media-images">
        {Array.from(
          { length: image ? Math.max(1, Math.min(items, image.images.length)) : items },
          (_, i) => (
            <figure
              key={i}
              class="enlarged"
              onClick={(e) =>
                /^(img|canvas)$/i.test((e.target as HTMLElement).tagName) && enlarge(i)
              }
            >
              <Picture
                run={run}
                name={name}
                index={index}
                item={i}
                size={size}
                fit={fit}
                against={against}
                floats={image?.format === "raw"}
                whole={
                  !!image &&
                  Math.max(image.width / image.height, image.height / image.width) > sliver / 4
                }
              />
              <IconButton
                tiny
                icon="expand"
                class="enlarge"
                label={`Show ${name} in full size`}
                onClick={() => enlarge(i)}
              />
              {(captions[i] ?? (i === 0 ? captions[0] : "")) ? (
                <figcaption class="small muted ellipsis" style={{ maxWidth: size }}>
                  {captions[i] ?? captions[0]}
                </figcaption>
              ) : null}
            </figure>
          ),
        )}
      </div>
    );
  }
  if (error) return <div class="media-note bad">{error}</div>;
  if (!value) return <div class="skeleton" style={{ width: size, height: size / 2 }} />;
  switch (value.kind) {
    case "audio":
      return <Sound run={run} value={value as AudioValue} size={size} />;
    case "video": {
      const v = value as VideoValue;
      if (v.format === "frames") return <RawVideo run={run} value={v} size={size} />;
      const url = apiUrl("blob", { run, sha: v.data.sha, size: v.data.size, format: v.format });
      if (v.format === "gif")
        return <img class="picture" src={url} alt={v.caption || name} style={{ width: size }} />;
      return (
        <video
          class="picture"
          src={url}
          controls
          loop
          muted
          preload="metadata"
          style={{ width: Math.max(200, size) }}
        />
      );
    }
    case "mesh":
      return <MeshItem run={run} value={value as MeshValue} size={Math.max(160, size)} />;
    case "text": {
      const t = value as TextValue;
      return (
        <div class="text-item" style={{ maxWidth: Math.max(280, size * 2) }}>
          {t.plain ? <PlainText text={t.text} /> : <Markdown text={t.text} />}
        </div>
      );
    }
    case "table":
      return <DataTable run={run} name={name} step={entry.step} value={value as TableValue} />;
    case "figure":
      return <FigurePanel run={run} value={value} size={Math.max(300, size)} />;
    default:
      return <div class="media-note">{kind} values have their own page.</div>;
  }
}
