// Brings the lightbox when a picture is opened for the first time.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { toast } from "../state/toast";
import { change, view } from "../state/view";

let ready: ComponentType | null = null;

export function LightboxLayer() {
  const [, again] = useState(0);
  const open = view.value.picture !== null;
  useEffect(() => {
    if (!open || ready) return;
    import("./lightbox").then(
      (m) => {
        ready = m.default;
        again((n) => n + 1);
      },
      () => {
        change({ picture: null }, true);
        toast("A part of the dashboard could not be fetched. Reload the page.", "bad");
      },
    );
  }, [open]);
  return open && ready ? <Open of={ready} /> : null;
}

function Open({ of: Lightbox }: { of: ComponentType }) {
  return <Lightbox />;
}
