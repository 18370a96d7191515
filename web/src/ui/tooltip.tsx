// The tooltip of every chart: nearest runs first, exact values, never under the cursor.
import { useLayoutEffect, useRef } from "preact/hooks";
import { tooltip } from "../state/cursor";
import { formatExact, formatNumber } from "../viz/format";
import { Swatch } from "./controls";

export function TooltipLayer() {
  const tip = tooltip.value;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !tip) return;
    const { width, height } = element.getBoundingClientRect();
    let left = tip.x + 16;
    if (left + width > innerWidth - 8) left = tip.x - width - 16;
    const top = Math.max(8, Math.min(innerHeight - height - 8, tip.y - height / 2));
    element.style.left = Math.max(8, left) + "px";
    element.style.top = top + "px";
  });
  if (!tip) return null;
  const manyKeys = new Set(tip.rows.map((r) => r.key)).size > 1;
  const smoothed = tip.rows.some((r) => r.smooth !== null);
  return (
    <div ref={box} class={`tooltip${tip.frozen ? " frozen" : ""}`} role="status" aria-live="polite">
      <div class="title">
        {tip.title}
        {tip.frozen ? " · frozen, Space releases" : ""}
      </div>
      <table>
        <tbody>
          {tip.rows.map((row) => (
            <tr key={row.run + row.key + row.rank}>
              <td>
                <Swatch color={row.color} dash={row.dash} />
              </td>
              <td>{row.label}</td>
              {manyKeys ? <td class="muted">{row.key}</td> : null}
              {smoothed ? (
                <td class="value">{row.smooth === null ? "" : formatNumber(row.smooth, 5)}</td>
              ) : null}
              <td
                class={smoothed ? "value muted" : "value"}
                title={formatExact(row.value)}
                data-exact={row.exact ? formatExact(row.value) : undefined}
              >
                {row.exact ? formatNumber(row.value, 9) : formatNumber(row.value, 5)}
              </td>
              <td class="muted">{row.extra}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {tip.more > 0 ? <div class="muted">and {tip.more} more</div> : null}
    </div>
  );
}

export function tooltipText(): string {
  const tip = tooltip.value;
  if (!tip) return "";
  return [
    tip.title,
    ...tip.rows.map((r) =>
      [r.label, r.key, formatExact(r.value), r.smooth === null ? "" : formatExact(r.smooth)]
        .filter(Boolean)
        .join("\t"),
    ),
  ].join("\n");
}
