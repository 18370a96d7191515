// Markdown text; its renderer is fetched when first needed, and works where it cannot hold the page
// up.
import { useEffect, useState } from "preact/hooks";
import { PlainText } from "./plain_text";

export function Markdown({ text }: { text: string }) {
  const [made, setMade] = useState<{ html: string } | { plain: string } | null>(null);
  useEffect(() => {
    let stale = false;
    void import("../lib/markdown")
      .then((m) => m.renderMarkdown(text))
      .then((done) => stale || setMade(done));
    return () => {
      stale = true;
    };
  }, [text]);
  if (!made || "plain" in made) return <PlainText text={text} why={made?.plain} />;
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: made.html }} />;
}
