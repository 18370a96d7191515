// A list that mounts only the rows in sight, however many there are.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { TallScroll } from "./tall_scroll";
import { watchViewport } from "./watch_viewport";

export function rowHeight(): number {
  return parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 28;
}

export function VirtualList({
  count,
  height,
  render,
  label,
  scrollTo,
}: {
  count: number;
  height?: number;
  render: (index: number, top: number) => ComponentChildren;
  label: string;
  scrollTo?: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const row = height ?? rowHeight();
  const scroll = useRef<TallScroll | null>(null);
  scroll.current ??= new TallScroll(count, row);
  scroll.current.resize(count, row);
  const [range, setRange] = useState({ top: 0, size: 600 });
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () =>
      setRange({ top: scroll.current!.scrolled(element), size: element.clientHeight });
    return watchViewport(element, measure);
  }, []);
  useLayoutEffect(() => {
    if (scrollTo === undefined || scrollTo < 0) return;
    const element = box.current!;
    const { clientHeight } = element;
    const shown = scroll.current!.scrolled(element);
    if (scrollTo * row >= shown && (scrollTo + 1) * row <= shown + clientHeight) return;
    setRange({
      top: scroll.current!.show(element, scrollTo * row - clientHeight / 2),
      size: clientHeight,
    });
  }, [scrollTo]);
  const first = Math.max(0, Math.floor(range.top / row) - 6);
  const last = Math.min(count, Math.ceil((range.top + range.size) / row) + 6);
  const rows = [];
  for (let i = first; i < last; i++) rows.push(render(i, scroll.current.top(i)));
  return (
    <div ref={box} class="virtual" role="list" aria-label={label} tabIndex={0}>
      <div style={{ height: scroll.current.height, position: "relative" }}>{rows}</div>
    </div>
  );
}
