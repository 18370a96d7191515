// Text as it was logged. Of a very long one the beginning is shown: the browser would need seconds
// to lay the rest out.
import { saveBlob } from "../viz/save";
import { formatBytes } from "../viz/format";

const shown = 100_000;

export function PlainText({ text, why }: { text: string; why?: string }) {
  const cut = text.length > shown;
  const words = [
    why ? `Shown as plain text: ${why}.` : "",
    cut ? `The first ${formatBytes(shown)} of ${formatBytes(text.length)}.` : "",
  ]
    .filter(Boolean)
    .join(" ");
  return (
    <>
      {words ? (
        <p class="media-note" role="note">
          {words}
          {cut ? (
            <>
              {" "}
              <button
                type="button"
                class="button"
                onClick={() => saveBlob(new Blob([text], { type: "text/plain" }), "text.txt")}
              >
                Save all of it
              </button>
            </>
          ) : null}
        </p>
      ) : null}
      <pre class="plain-text">{cut ? text.slice(0, shown) + "…" : text}</pre>
    </>
  );
}
