// A page whose code arrives when it is first opened.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failed, Skeleton } from "./states";

export function lazy(load: () => Promise<ComponentType>): ComponentType {
  let ready: ComponentType | null = null;
  return function Lazy() {
    const [, again] = useState(0);
    const [error, setError] = useState("");
    useEffect(() => {
      if (ready) return;
      load().then(
        (page) => {
          ready = page;
          again((n) => n + 1);
        },
        () =>
          setError(
            "A part of the dashboard could not be fetched. If the server was upgraded, reload the page.",
          ),
      );
    }, []);
    if (ready) {
      const Page = ready;
      return <Page />;
    }
    if (error)
      return (
        <div class="page">
          <Failed message={error} retry={() => location.reload()} />
        </div>
      );
    return (
      <div class="page page-pad">
        <Skeleton height="60vh" />
      </div>
    );
  };
}
