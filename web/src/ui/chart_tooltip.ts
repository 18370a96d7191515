// What the tooltip of a chart says: the nearest runs with their values of every metric of the card,
// exact ones a moment later.
import { post } from "../api/client";
import type { Points } from "../api/types";
import { smoothingOf, type CardSpec } from "../state/ask";
import { axisTitle, type CardAxis } from "../state/axis";
import { tooltip, type TooltipRow, type TooltipValue } from "../state/cursor";
import { binX, nearestBin, toNumber, type ChartData, type SeriesInfo } from "../viz/chart_data";
import { formatAxisValue, formatNumber } from "../viz/format";
import type { Nearby, SeriesStyle } from "../viz/line_chart";
import { view } from "../state/view";
import { dashesOf } from "../viz/palette";
import { withoutCommon } from "../lib/names";

const rowLimit = 7;
/** Pixels: a line that is nearer to the pointer is the hovered one. */
export const markReach = 30;

/** Train and val of a run are columns of its row; any other metric is a row of its own. */
const rowOf = (s: SeriesInfo, columns: boolean) =>
  [s.run || s.group?.label, s.rank ?? "", columns ? "" : s.key].join("\n");

/** Series of each row; found once for the data of a chart. */
const byRow = new WeakMap<ChartData, Map<string, number[]>>();
function seriesOf(data: ChartData, columns: boolean): Map<string, number[]> {
  let found = byRow.get(data);
  if (!found) {
    found = new Map();
    data.series.forEach((s, i) => {
      if (!s.current) return;
      const name = rowOf(s, columns);
      if (!found!.has(name)) found!.set(name, []);
      found!.get(name)!.push(i);
    });
    byRow.set(data, found);
  }
  return found;
}

function valueAt(data: ChartData, s: number, bin: number, style: SeriesStyle): TooltipValue {
  const info = data.series[s];
  const half =
    data.raster.low && data.raster.high
      ? formatNumber((data.raster.high[bin] - data.raster.low[bin]) / 2, 3)
      : "";
  const spread = !half
    ? ""
    : info.group
      ? `± ${half} n=${data.runs?.[bin] ?? ""}`
      : info.ranks > 1
        ? `± ${half}`
        : "";
  const range =
    !info.group && data.min && data.max && data.max[bin] > data.min[bin]
      ? `${formatNumber(data.min[bin], 3)} … ${formatNumber(data.max[bin], 3)}`
      : "";
  return {
    key: info.key,
    dash: style.dash,
    value: data.mean ? data.mean[bin] : data.raster.line[bin],
    smooth: data.smoothed ? data.raster.line[bin] : null,
    x: binX(data, s, bin),
    exact: false,
    extra: spread || range,
  };
}

/** Shows the tooltip of a card at x. */
export function showTooltip(
  spec: CardSpec,
  data: ChartData,
  axis: CardAxis,
  look: (s: number) => SeriesStyle | null,
  x: number,
  near: Nearby[],
  at: { x: number; y: number },
  card: Element,
): void {
  const columns = dashesOf(spec.keys).some((dash) => dash !== null);
  const series = seriesOf(data, columns);
  const short = withoutCommon(spec.keys);
  const rows: TooltipRow[] = [];
  const asked: SeriesInfo[] = [];
  const seen = new Set<string>();
  for (const n of near) {
    const info = data.series[n.series];
    const name = rowOf(info, columns);
    if (seen.has(name) || rows.length === rowLimit) continue;
    seen.add(name);
    const style = look(n.series)!;
    const values = (series.get(name) ?? [n.series]).flatMap((s) => {
      const bin = s === n.series ? n.bin : nearestBin(data, s, x);
      const own = bin < 0 ? null : look(s);
      if (!own) return [];
      asked.push(data.series[s]);
      return [valueAt(data, s, bin, own)];
    });
    const key = short[spec.keys.indexOf(info.key)];
    const label =
      columns || spec.keys.length < 2 || style.label.startsWith(info.key)
        ? style.label
        : `${style.label} · ${key ?? info.key}`;
    // The line that stands out has its own colour, here as well.
    const marked = !rows.length && n.distance < markReach && data.series.length > 1;
    const color = marked ? (style.hovered ?? style.color) : style.color;
    rows.push({ run: style.who, rank: info.rank, label, color, values });
  }
  const { left, right, top, bottom } = card.getBoundingClientRect();
  tooltip.value = {
    title: `${axisTitle(axis)} ${formatAxisValue(axis.axis, x)}`,
    keys: columns ? spec.keys : [],
    names: short,
    rows,
    more: Math.max(0, series.size - rows.length),
    box: { left, right, top, bottom },
    at,
    source: spec.id,
    frozen: false,
  };
  exactRows(
    spec,
    data,
    x,
    rows,
    asked.filter((s) => s.run && s.ranks === 1),
  );
}

/** A pointer that moves on before this would find the answer in its way. */
const restMs = 150;
let lookup = 0;
export const stopLookup = () => clearTimeout(lookup);

/** Asks for the exact points behind the tooltip once the cursor rests. */
function exactRows(
  spec: CardSpec,
  data: ChartData,
  x: number,
  rows: TooltipRow[],
  asked: SeriesInfo[],
): void {
  clearTimeout(lookup);
  lookup = window.setTimeout(async () => {
    if (!asked.length) return;
    try {
      const reply = await post<Points>("series:points", {
        series: asked.map((s) => ({ run: s.run, key: s.key, rank: s.rank ?? undefined })),
        x: { ...data.header.x, from: undefined, to: undefined },
        at: x,
        smoothing: data.smoothed ? smoothingOf(view.peek().panels[spec.id]) : undefined,
      });
      const tip = tooltip.peek();
      if (!tip || tip.rows !== rows) return;
      const { axis } = data.header.x;
      const exact = (row: TooltipRow, old: TooltipValue): TooltipValue => {
        const i = asked.findIndex(
          (s) => s.run === row.run && s.key === old.key && s.rank === row.rank,
        );
        const point = i >= 0 ? reply.points[i] : null;
        if (!point) return old;
        const at = formatAxisValue(axis, point.x);
        return {
          ...old,
          value: toNumber(point.value),
          smooth: point.smooth === undefined ? old.smooth : toNumber(point.smooth),
          x: point.x,
          exact: true,
          extra: at === formatAxisValue(axis, x) ? "" : `@ ${at}`,
        };
      };
      // A number of the page does not hold every step; the server's text does.
      const nearest = reply.points.find((p) => p?.x === x)?.step_text;
      const title =
        nearest && axis === "step" ? `step ${nearest.replace(/\B(?=(\d{3})+$)/g, ",")}` : tip.title;
      tooltip.value = {
        ...tip,
        title,
        rows: rows.map((row) => ({ ...row, values: row.values.map((v) => exact(row, v)) })),
      };
    } catch {
      // The binned values on show stay; the next move asks again.
    }
  }, restMs);
}
