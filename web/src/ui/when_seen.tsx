// Mounts what is costly when it comes near the part of the page in sight, and keeps its place until
// then.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export function WhenSeen({ height, children }: { height: number; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry.isIntersecting && setSeen(true), {
      rootMargin: "300px",
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return seen ? <>{children}</> : <div ref={box} style={{ height }} />;
}
