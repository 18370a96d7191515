// Markdown to safe HTML. A worker turns it into HTML; that goes through DOMPurify before it becomes
// part of the page, so that no script, frame, form or foreign request comes out of whatever a run
// wrote.
import DOMPurify from "dompurify";
import { formatBytes, formatInteger } from "../viz/format";
import { LimitedWorker, TookTooLong } from "./limited";

declare const MARKDOWN_WORKER_URL: string;
const worker = new LimitedWorker<string, string>(MARKDOWN_WORKER_URL);

/**
 * What the page's own thread takes: cleaning and laying out happen there, a few hundred
 * milliseconds at most.
 */
const most = { characters: 400_000, tags: 20_000 };
const seconds = 3;

const purify = DOMPurify(window);
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("rel", "noopener noreferrer");
    node.setAttribute("target", "_blank");
  }
  // Pictures from elsewhere would tell that server who is reading; nothing leaves the origin.
  if (
    node.tagName === "IMG" &&
    !/^data:image\/(png|jpeg|gif|webp);/.test(node.getAttribute("src") ?? "")
  )
    node.removeAttribute("src");
});

function tagsIn(html: string): number {
  let count = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at + 1)) count++;
  return count;
}

/** The HTML of a text, or the reason why it is better shown as it is. */
export async function renderMarkdown(text: string): Promise<{ html: string } | { plain: string }> {
  if (text.length > most.characters)
    return { plain: `${formatBytes(text.length)} of Markdown are too much to format` };
  try {
    const html = await worker.ask(text, seconds).result;
    const tags = tagsIn(html);
    if (tags > most.tags) return { plain: `${formatInteger(tags)} parts are too many to format` };
    const rules = {
      USE_PROFILES: { html: true, mathMl: true },
      FORBID_TAGS: ["style", "form", "input", "button", "iframe", "svg", "video", "audio"],
      FORBID_ATTR: ["style", "srcset"],
      ALLOWED_URI_REGEXP: /^(https?:|mailto:|#|data:image\/)/i,
    };
    return { html: purify.sanitize(html, rules) };
  } catch (error) {
    return {
      plain:
        error instanceof TookTooLong
          ? `formatting it took longer than ${seconds} s`
          : `it could not be formatted: ${(error as Error).message}`,
    };
  }
}
