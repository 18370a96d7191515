// Markdown and maths to HTML, off the main thread: some texts take minutes, and this thread can be
// ended. Raw HTML in the text stays text.
import { Marked, type Tokens } from "marked";
import { answer } from "./limited";

let maths: typeof import("temml").default | null = null;

const escapeHtml = (text: string) => text.replace(/[<>&"']/g, (c) => `&#${c.charCodeAt(0)};`);

function renderMaths(source: string, displayMode: boolean): string {
  if (!maths) return escapeHtml(source);
  try {
    return maths.renderToString(source, { displayMode, trust: false, throwOnError: false });
  } catch {
    return escapeHtml(source);
  }
}

const marked = new Marked({ gfm: true, breaks: false });
marked.use({
  // Handing raw HTML on, even to be sanitised, would already make the browser report every inline
  // handler in it.
  renderer: { html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text) },
  extensions: [
    {
      name: "maths",
      level: "inline",
      start: (source: string) => {
        const at = source.indexOf("$");
        return at < 0 ? undefined : at;
      },
      tokenizer(source: string) {
        const match = /^\$\$([^$]+)\$\$|^\$([^$\n]+)\$/.exec(source);
        return match
          ? {
              type: "maths",
              raw: match[0],
              source: match[1] ?? match[2],
              display: match[1] !== undefined,
            }
          : undefined;
      },
      renderer: (token) => renderMaths(String(token.source), token.display === true),
    },
  ],
});

answer(
  (text: string) => marked.parse(text, { async: false }),
  async (text: string) => {
    // The renderer of maths is larger than everything else here: it comes when a text needs it.
    if (!maths && /\$[^$\n]+\$/.test(text)) maths = (await import("temml")).default;
  },
);
