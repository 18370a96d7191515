// Which line is whose, below the title of a card: hovering a name marks its run everywhere.
import { hoveredRun, isMarked } from "../state/cursor";
import { change } from "../state/view";
import type { ChartData } from "../viz/chart_data";
import { Swatch } from "./controls";
import { styleOf } from "./series_style";

const limit = 12;

export function RunLegend({ data, keys, few }: { data: ChartData; keys: string[]; few: boolean }) {
  const look = styleOf(data, keys, few);
  const byRun = new Map<string, { label: string; color: string; last: number }>();
  data.series.forEach((s, i) => {
    const style = s.current && !byRun.has(s.run) ? look(i) : null;
    if (style) byRun.set(s.run, { label: style.label, color: style.color, last: s.last });
  });
  // As the lines end, from top to bottom.
  const list = [...byRun].sort((a, b) => (b[1].last || 0) - (a[1].last || 0));
  return (
    <div class="legend run-legend" role="group" aria-label="Runs of this chart">
      {list.slice(0, limit).map(([run, { label, color }]) => (
        <button
          type="button"
          key={run}
          data-run={run}
          class={isMarked(run) ? "hovered" : ""}
          onPointerEnter={() => (hoveredRun.value = run)}
          onPointerLeave={() => (hoveredRun.value = null)}
          onClick={() => change({ page: "run", run, tab: "overview" })}
        >
          <Swatch color={color} />
          {label}
        </button>
      ))}
      {list.length > limit ? <span class="muted">and {list.length - limit} more</span> : null}
    </div>
  );
}
