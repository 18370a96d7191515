// Markdown to safe HTML. Raw HTML in the text stays text; what is left goes through DOMPurify before it becomes part of the page,
// so that no script, frame, form or foreign request comes out of whatever a run wrote.
import DOMPurify from "dompurify";
import { Marked, type Tokens } from "marked";

let maths: typeof import("temml").default | null = null;

/** Loads the maths renderer when the text needs it. */
export async function prepareMarkdown(text: string): Promise<void> {
  if (!maths && /\$[^$\n]+\$/.test(text)) maths = (await import("temml")).default;
}

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
  // Handing raw HTML on, even to be sanitised, would already make the browser report every inline handler in it.
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
        return match ? { type: "maths", raw: match[0], source: match[1] ?? match[2], display: match[1] !== undefined } : undefined;
      },
      renderer: (token) => renderMaths(String(token.source), token.display === true),
    },
  ],
});

const purify = DOMPurify(window);
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("rel", "noopener noreferrer");
    node.setAttribute("target", "_blank");
  }
  // Pictures from elsewhere would tell that server who is reading; nothing leaves the origin.
  if (node.tagName === "IMG" && !/^data:image\/(png|jpeg|gif|webp);/.test(node.getAttribute("src") ?? "")) node.removeAttribute("src");
});

export function renderMarkdown(text: string): string {
  const html = marked.parse(text, { async: false });
  return purify.sanitize(html, { USE_PROFILES: { html: true, mathMl: true }, FORBID_TAGS: ["style", "form", "input", "button", "iframe", "svg", "video", "audio"], FORBID_ATTR: ["style", "srcset"], ALLOWED_URI_REGEXP: /^(https?:|mailto:|#|data:image\/)/i });
}
