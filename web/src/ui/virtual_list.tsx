// A list that mounts only the rows in sight.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export function rowHeight(): number {
  return parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 28;
}

export function VirtualList({ count, height, render, label, scrollTo }: { count: number; height?: number; render: (index: number, top: number) => ComponentChildren; label: string; scrollTo?: number }) {
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ top: 0, size: 600 });
  const row = height ?? rowHeight();
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => setRange({ top: element.scrollTop, size: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  useLayoutEffect(() => {
    if (scrollTo === undefined || scrollTo < 0) return;
    const element = box.current!;
    if (scrollTo * row < element.scrollTop || (scrollTo + 1) * row > element.scrollTop + element.clientHeight) element.scrollTop = scrollTo * row - element.clientHeight / 2;
  }, [scrollTo]);
  const first = Math.max(0, Math.floor(range.top / row) - 6);
  const last = Math.min(count, Math.ceil((range.top + range.size) / row) + 6);
  const rows = [];
  for (let i = first; i < last; i++) rows.push(render(i, i * row));
  return (
    <div ref={box} class="virtual" role="list" aria-label={label} tabIndex={0}>
      <div style={{ height: count * row, position: "relative" }}>{rows}</div>
    </div>
  );
}
