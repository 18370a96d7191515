// A page of HTML that was logged, in a frame that can do nothing but show it: no scripts, nothing
// from other places, no way out.
import { useState } from "preact/hooks";
import { getBytes } from "../api/client";
import { Failed, Waiting } from "./states";
import { useLoad } from "./use_load";

const largest = 4 << 20; // of what is shown; the file itself is a click away

interface Page {
  run: string;
  sha: string;
  size: number;
  name: string;
}

function Frame({ run, sha, name }: Page) {
  const { value, error, again } = useLoad(run + sha, async () =>
    new TextDecoder().decode(await getBytes("blob", { run, sha })),
  );
  if (error) return <Failed message={error} retry={again} />;
  if (value === null) return <Waiting height="480px" />;
  return <iframe class="html-page" title={name} sandbox="" srcdoc={value} />;
}

export function HtmlPage({ open, ...page }: Page & { open: boolean }) {
  const [shown, setShown] = useState(open);
  if (page.size > largest) return <p class="muted">Too large to be shown here.</p>;
  if (shown) return <Frame {...page} />;
  return (
    <button type="button" class="button" onClick={() => setShown(true)}>
      Show
    </button>
  );
}
