// A metric of one value a run on the exported page: sorted bars, the best first.
import { betterOf } from "../lib/goals";
import type { ChartData } from "../viz/chart_data";
import { formatCell, formatExact } from "../viz/format";

export interface BarLook {
  name: string;
  color: string;
  shown: boolean;
}

export const isSingle = (data: ChartData): boolean =>
  data.series.length > 0 && data.series.every((s) => s.points <= 1);

/** Draws them anew; again whenever runs are hidden, hovered or coloured otherwise. */
export function drawBars(
  body: HTMLElement,
  key: string,
  data: ChartData,
  goal: "minimize" | "maximize" | undefined,
  lookOf: (run: string) => BarLook | null,
  hover: (run: string | null) => void,
): void {
  const named = goal ? (goal === "minimize" ? -1 : 1) : betterOf("metric:" + key, []);
  const better = named || 1;
  const bars = data.series
    .map((s, i) => ({ run: s.run, value: data.raster.line[data.raster.starts[i]] }))
    .filter((_, i) => data.series[i].points > 0)
    .filter(({ run, value }) => Number.isFinite(value) && lookOf(run)?.shown)
    .sort((a, b) => (b.value - a.value) * better);
  const least = Math.min(0, ...bars.map((b) => b.value));
  const most = Math.max(0, ...bars.map((b) => b.value));
  const share = (v: number) => (most > least ? (v - least) / (most - least) : 0) * 100;
  body.replaceChildren(
    ...bars.map(({ run, value }) => {
      const { name, color } = lookOf(run)!;
      const row = document.createElement("div");
      row.className = "bar-row";
      row.title = `${name}: ${formatExact(value)}`;
      row.dataset.run = run;
      const [label, track, fill, text] = ["span", "span", "span", "span"].map((tag) =>
        document.createElement(tag),
      );
      label.className = "name";
      label.textContent = name;
      track.className = "bar-track";
      fill.className = "bar-fill";
      fill.style.left = share(Math.min(0, value)) + "%";
      fill.style.width = share(Math.max(0, value)) - share(Math.min(0, value)) + "%";
      fill.style.background = color;
      track.append(fill);
      text.className = "bar-value";
      text.textContent = formatCell(value);
      row.append(label, track, text);
      row.onpointerenter = () => hover(run);
      row.onpointerleave = () => hover(null);
      return row;
    }),
  );
}
