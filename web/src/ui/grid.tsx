// A table that mounts only the rows and columns in sight; the first column stays put.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { rowHeight } from "./virtual_list";
import { watchViewport } from "./watch_viewport";

export interface GridColumn {
  id: string;
  title: ComponentChildren;
  mark?: string; // whole, whatever becomes of the title
  width: number;
  number?: boolean;
  label: string;
}

export interface GridProps {
  label: string;
  columns: GridColumn[]; // the first one is pinned
  count: number;
  rowKey: (row: number) => string;
  rowClass?: (row: number) => string;
  cell: (row: number, column: GridColumn) => ComponentChildren;
  onSort?: (id: string, add: boolean) => void;
  onResize?: (id: string, width: number) => void;
  onRowEnter?: (row: number) => void;
  onRowLeave?: () => void;
  onRange?: (first: number, last: number) => void;
}

export function Grid(props: GridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [port, setPort] = useState({ left: 0, top: 0, width: 1000, height: 600 });
  const row = rowHeight();
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () =>
      setPort({
        left: element.scrollLeft,
        top: element.scrollTop,
        width: element.clientWidth,
        height: element.clientHeight,
      });
    measure();
    return watchViewport(element, measure);
  }, []);
  const { columns, count } = props;
  const lefts: number[] = [];
  let total = 0;
  for (const c of columns) {
    lefts.push(total);
    total += c.width;
  }
  const first = Math.max(0, Math.floor(port.top / row) - 4);
  const last = Math.min(count, Math.ceil((port.top + port.height) / row) + 4);
  useLayoutEffect(() => props.onRange?.(first, last), [first, last, count]);
  const shown = columns
    .map((_, i) => i)
    .filter(
      (i) =>
        i > 0 &&
        lefts[i] + columns[i].width > port.left - 200 &&
        lefts[i] < port.left + port.width + 200,
    );
  const startResize = (event: PointerEvent, c: GridColumn) => {
    event.preventDefault();
    event.stopPropagation();
    const x = event.clientX;
    const move = (e: PointerEvent) => props.onResize?.(c.id, Math.max(48, c.width + e.clientX - x));
    const up = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  };
  const head = (i: number) => {
    const c = columns[i];
    return (
      <div
        key={c.id}
        class={`cell${i === 0 ? " pinned" : ""}`}
        role="columnheader"
        tabIndex={0}
        title={c.label}
        aria-colindex={i + 1}
        aria-sort={c.mark === "↓" ? "descending" : c.mark === "↑" ? "ascending" : undefined}
        style={
          i === 0
            ? { left: 0, width: c.width }
            : { left: lefts[i], width: c.width, justifyContent: c.number ? "flex-end" : undefined }
        }
        onClick={(e) => props.onSort?.(c.id, e.shiftKey)}
        onKeyDown={(e) =>
          (e.key === "Enter" || e.key === " ") &&
          e.target === e.currentTarget &&
          (e.preventDefault(), props.onSort?.(c.id, e.shiftKey))
        }
      >
        <span class="ellipsis">{c.title}</span>
        {c.mark ? <span class="sort-mark">{c.mark}</span> : null}
        <span
          class="resize"
          onPointerDown={(e) => startResize(e, c)}
          onClick={(e) => e.stopPropagation()}
        />
      </div>
    );
  };
  const rows = [];
  for (let r = first; r < last; r++) {
    rows.push(
      <div
        key={props.rowKey(r)}
        class={`grid-row ${props.rowClass?.(r) ?? ""}`}
        role="row"
        aria-rowindex={r + 2}
        style={{ top: r * row, width: total }}
        onPointerEnter={() => props.onRowEnter?.(r)}
        onPointerLeave={() => props.onRowLeave?.()}
      >
        <div class="cell pinned name" role="rowheader" style={{ left: 0, width: columns[0].width }}>
          {props.cell(r, columns[0])}
        </div>
        {shown.map((i) => (
          <div
            key={columns[i].id}
            class={`cell${columns[i].number ? " number" : ""}`}
            role="gridcell"
            aria-colindex={i + 1}
            style={{ left: lefts[i], width: columns[i].width }}
          >
            {props.cell(r, columns[i])}
          </div>
        ))}
      </div>,
    );
  }
  return (
    <div
      class="grid"
      ref={box}
      role="grid"
      aria-label={props.label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      tabIndex={0}
    >
      <div class="grid-head" role="row" style={{ width: total }}>
        {head(0)}
        {shown.map(head)}
      </div>
      <div style={{ position: "relative", height: count * row, width: total }}>{rows}</div>
    </div>
  );
}
