// The tooltip of every chart: nearest runs first, metrics as columns, beside its card.
import { useLayoutEffect, useRef } from "preact/hooks";
import { tooltip, type Tooltip, type TooltipValue } from "../state/cursor";
import { formatColumn, formatExact } from "../viz/format";
import { Swatch } from "./controls";

/**
 * Right of the card if there is room, else left of it, else beside the cursor. A card as wide as
 * the page has nothing beside it but what belongs to the page.
 */
function placeBeside(element: HTMLElement, { box, at }: Tooltip): void {
  const { width, height } = element.getBoundingClientRect();
  const fits = (left: number) => left >= 4 && left + width <= innerWidth - 4;
  const outside = box.right - box.left < 0.6 * innerWidth;
  const places = [
    ...(outside ? [box.right + 6, box.left - width - 6] : []),
    at.x + 20,
    at.x - width - 20,
  ];
  const left = places.find(fits) ?? Math.max(4, Math.min(innerWidth - width - 4, at.x + 20));
  const top = Math.max(8, Math.min(innerHeight - height - 8, box.top));
  // Moved, not laid out again: this runs with every move of the pointer.
  element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

export function TooltipLayer() {
  const tip = tooltip.value;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (element.current && tip) placeBeside(element.current, tip);
  });
  if (!tip) return null;
  const { rows, keys } = tip;
  const smoothed = rows.some((r) => r.values.some((v) => v.smooth !== null));
  const several = keys.length > 1;
  const of = (values: TooltipValue[], key: string) => values.find((v) => v.key === key);
  // One column a metric: what is drawn, and beside it what was logged where that is not the same.
  const columns = (several ? keys : [""]).map((key) => {
    const cells = rows.map((r) => (several ? of(r.values, key) : r.values[0]));
    const column = (pick: (v: TooltipValue) => number) =>
      formatColumn(cells.map((v) => (v ? pick(v) : NaN)));
    const extras = new Set(cells.flatMap((v) => (v ? [v.extra] : [])));
    // Where all of them stand at one other step, it is said once, above them.
    const common = several && extras.size === 1 ? [...extras][0] : "";
    return {
      key,
      cells,
      common,
      raw: column((v) => v.value),
      smooth: smoothed ? column((v) => v.smooth ?? v.value) : null,
      extra: !common && cells.some((v) => v?.extra),
    };
  });
  return (
    <div
      ref={element}
      class={`tooltip${tip.frozen ? " frozen" : ""}`}
      role="status"
      aria-live="polite"
    >
      <div class="title">
        {tip.title}
        {tip.frozen ? " · frozen, Space releases" : ""}
      </div>
      <table>
        {several || smoothed ? (
          <thead>
            {several ? (
              <tr>
                <td colSpan={2} />
                {columns.map((c, i) => (
                  <th key={c.key} colSpan={(c.smooth ? 2 : 1) + (c.extra ? 1 : 0)}>
                    <Swatch line color="currentColor" dash={dashOf(rows, c.key)} />
                    {tip.names[i]}
                    {c.common ? <span class="extra"> {c.common}</span> : null}
                  </th>
                ))}
              </tr>
            ) : null}
            {smoothed ? (
              <tr>
                <td colSpan={2} />
                {columns.map((c) => (
                  <>
                    <th>smoothed</th>
                    <th>raw</th>
                    {c.extra ? <td /> : null}
                  </>
                ))}
              </tr>
            ) : null}
          </thead>
        ) : null}
        <tbody>
          {rows.map((row, r) => (
            <tr key={r}>
              <td>
                <Swatch color={row.color} />
              </td>
              <td class="who ellipsis">{row.label}</td>
              {columns.map((c) => {
                const value = c.cells[r];
                return (
                  <>
                    {c.smooth ? <td class="value">{value ? c.smooth[r] : ""}</td> : null}
                    <td
                      class={c.smooth ? "value muted" : "value"}
                      title={value ? formatExact(value.value) : undefined}
                      data-exact={value?.exact ? formatExact(value.value) : undefined}
                    >
                      {value ? c.raw[r] : ""}
                    </td>
                    {c.extra ? <td class="muted extra">{value?.extra}</td> : null}
                  </>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {tip.more > 0 ? <div class="muted">and {tip.more} more</div> : null}
    </div>
  );
}

const dashOf = (rows: Tooltip["rows"], key: string) =>
  rows.flatMap((r) => r.values).find((v) => v.key === key)?.dash ?? null;

export function tooltipText(): string {
  const tip = tooltip.value;
  if (!tip) return "";
  return [
    tip.title,
    ...tip.rows.flatMap((r) =>
      r.values.map((v) =>
        [r.label, v.key, formatExact(v.value), v.smooth === null ? "" : formatExact(v.smooth)]
          .filter(Boolean)
          .join("\t"),
      ),
    ),
  ].join("\n");
}
