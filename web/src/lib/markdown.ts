// Markdown to safe HTML. Whatever a run wrote, no script, frame, form or foreign request comes out of it.
import DOMPurify from "dompurify";
import { Marked } from "marked";

const marked = new Marked({ gfm: true, breaks: false });
let maths: typeof import("temml").default | null = null;

/** Loads the maths renderer when the text needs it. */
export async function prepareMarkdown(text: string): Promise<void> {
  if (!maths && /\$[^$\n]+\$/.test(text)) maths = (await import("temml")).default;
}

function renderMaths(text: string): string {
  if (!maths) return text;
  const render = (source: string, displayMode: boolean) => {
    try {
      return maths!.renderToString(source, { displayMode, trust: false, throwOnError: false });
    } catch {
      return source;
    }
  };
  return text.replace(/\$\$([^$]+)\$\$/g, (_, source: string) => render(source, true)).replace(/\$([^$\n]+)\$/g, (_, source: string) => render(source, false));
}

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
  const html = marked.parse(renderMaths(text), { async: false });
  return purify.sanitize(html, { USE_PROFILES: { html: true, mathMl: true }, FORBID_TAGS: ["style", "form", "input", "button", "iframe", "svg", "video", "audio"], FORBID_ATTR: ["style", "srcset"], ALLOWED_URI_REGEXP: /^(https?:|mailto:|#|data:image\/)/i });
}
