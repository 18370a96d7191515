// Markdown text; its renderer is fetched when first needed.
import { useEffect, useState } from "preact/hooks";

export function Markdown({ text }: { text: string }) {
  const [html, setHtml] = useState<string | null>(null);
  useEffect(() => {
    let stale = false;
    void import("../lib/markdown").then(async (m) => {
      await m.prepareMarkdown(text);
      if (!stale) setHtml(m.renderMarkdown(text));
    });
    return () => {
      stale = true;
    };
  }, [text]);
  if (html === null) return <pre class="plain-text">{text}</pre>;
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
