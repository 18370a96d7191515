// A picture of floats: which values are black and white is chosen, said, and the same for every
// such picture of the page.
import { useEffect, useState } from "preact/hooks";
import { apiUrl } from "../api/client";
import { change, view } from "../state/view";
import { formatInteger, formatNumber } from "../viz/format";
import { Select } from "./controls";

/** How values become shades; the server's words. */
export const floatRanges = [
  { value: "", label: "1 … 99 %" },
  { value: "full", label: "least … largest" },
  { value: "unit", label: "0 … 1" },
];

interface Shown {
  of: string;
  source: string;
  words: string;
  error: string;
}

/**
 * What the server says of the picture: the values at both ends and how many pixels are no number.
 */
function wordsOf(response: Response): string {
  const [low, high, odd] = (response.headers.get("Taffrail-Range") ?? "").split(" ").map(Number);
  if (!Number.isFinite(low)) return "no pixel holds a finite number";
  return `${formatNumber(low, 4)} … ${formatNumber(high, 4)}${odd ? `, ${formatInteger(odd)} not finite (magenta)` : ""}`;
}

export function FloatPicture({
  run,
  name,
  index,
  item,
  alt,
  size,
  fit,
}: {
  run: string;
  name: string;
  index: number;
  item: number;
  alt: string;
  size: number;
  fit: boolean;
}) {
  const range = view.value.media.range;
  const url = apiUrl("image", {
    run,
    key: name,
    index,
    item: item || undefined,
    range: range || undefined,
  });
  const [shown, setShown] = useState<Shown>({ of: "", source: "", words: "", error: "" });
  useEffect(() => {
    const abort = new AbortController();
    let source = "";
    fetch(url, { signal: abort.signal })
      .then(async (response) => {
        if (!response.ok)
          throw new Error(
            ((await response.json()) as { error?: { message: string } }).error?.message ??
              `the server answered ${response.status}`,
          );
        source = URL.createObjectURL(await response.blob());
        if (!abort.signal.aborted)
          setShown({ of: url, source, words: wordsOf(response), error: "" });
      })
      .catch(
        (error: Error) =>
          abort.signal.aborted ||
          setShown({ of: url, source: "", words: "", error: error.message }),
      );
    return () => {
      abort.abort();
      if (source) URL.revokeObjectURL(source);
    };
  }, [url]);
  if (shown.of === url && shown.error)
    return (
      <div class="media-note bad" style={{ width: Math.max(140, size) }}>
        {shown.error}
      </div>
    );
  const change_ = (value: string) => change({ media: { ...view.value.media, range: value } });
  return (
    <div data-floats={name}>
      <img
        class={`picture${fit ? " fit" : ""}`}
        src={shown.source || undefined}
        alt={alt}
        style={fit ? { width: size, height: size } : undefined}
        draggable={false}
      />
      <div class="row small muted" style={{ maxWidth: Math.max(180, size), flexWrap: "wrap" }}>
        <Select label="Values shown" value={range} onChange={change_} options={floatRanges} />
        <span>{shown.of === url ? shown.words : "…"}</span>
      </div>
    </div>
  );
}
