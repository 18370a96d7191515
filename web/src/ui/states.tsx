// Empty, loading and failed, in plain words.
import type { ComponentChildren } from "preact";
import { toast } from "../state/toast";
import { Icon, type IconName } from "./icon";

export function Empty({
  icon,
  title,
  children,
}: {
  icon?: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="state">
      {icon ? <Icon name={icon} /> : null}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Failed({ message, retry }: { message: string; retry?: () => void }) {
  return (
    <div class="state" role="alert">
      <Icon name="warn" />
      <h2>This could not be loaded</h2>
      <p>{message}</p>
      {retry ? (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

export function Skeleton({ height = 120 }: { height?: number | string }) {
  return <div class="skeleton" style={{ height }} aria-hidden="true" />;
}

/** Where something will stand that is being fetched. */
export function Waiting({ height }: { height?: number | string }) {
  return (
    <div class="page-pad">
      <Skeleton height={height} />
    </div>
  );
}

export function CopyBlock({ text }: { text: string }) {
  return (
    <div class="stack">
      <pre>{text}</pre>
      <div>
        <button type="button" class="button" onClick={() => copyText(text)}>
          <Icon name="copy" />
          Copy
        </button>
      </div>
    </div>
  );
}

export function copyText(text: string): void {
  const done = () => toast("Copied");
  if (navigator.clipboard?.writeText) {
    navigator.clipboard.writeText(text).then(done, () => fallback(text));
    return;
  }
  fallback(text);
  function fallback(value: string) {
    // Clipboard access needs a secure context; plain http on another host has only this.
    const area = document.createElement("textarea");
    area.value = value;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    done();
  }
}
