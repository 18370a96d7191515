// How the lines of a chart look: by run, by group, by metric or by rank.
import { runById, runStyle } from "../state/runs";
import { theme } from "../state/settings";
import type { ChartData } from "../viz/chart_data";
import type { SeriesStyle } from "../viz/line_chart";
import { dashes, slotColor } from "../viz/palette";

export function styleOf(data: ChartData, keys: string[]): (s: number) => SeriesStyle | null {
  const style = runStyle.value;
  const byId = runById.value;
  const current = theme.value;
  const byKey = keys.length > 1 && oneRun(data);
  const labels = data.header.groups ? [...new Set(data.header.groups.map((g) => g.label))] : [];
  const ranks = [...new Set(data.series.map((s) => s.rank).filter((r) => r !== null))].sort(
    (a, b) => a - b,
  );
  const single = oneRun(data);
  return (s) => {
    const info = data.series[s];
    const keyDash = keys.length > 1 ? dashes[keys.indexOf(info.key) % dashes.length] : null;
    if (info.group) {
      const slot = labels.indexOf(info.group.label);
      return {
        color: slotColor(current, slot),
        dash: keyDash ?? dashes[Math.floor(slot / 8) % 3],
        faint: false,
        label: info.group.label,
      };
    }
    // One run, several metrics: colours tell the metrics apart.
    if (byKey)
      return {
        color: slotColor(current, keys.indexOf(info.key)),
        dash: dashes[
          (Math.floor(keys.indexOf(info.key) / 8) + Math.max(0, ranks.indexOf(info.rank ?? -1))) % 3
        ],
        faint: !info.current,
        label: withRank(info.key, info),
      };
    const own = style(info.run);
    const label = withRank(byId.get(info.run)?.name ?? info.run, info);
    if (info.rank !== null) {
      // Of one run, colours tell its ranks apart; of several, dashes do, and the colour stays the
      // run's.
      const place = ranks.indexOf(info.rank);
      return {
        color: single && !keyDash ? slotColor(current, place) : own.color,
        dash: keyDash ?? dashes[(single ? Math.floor(place / 8) : place) % 3],
        faint: !info.current,
        label,
      };
    }
    return {
      color: own.color,
      dash: keys.length > 1 ? keyDash : own.dash,
      faint: !info.current,
      label,
    };
  };
}

const withRank = (name: string, { rank, ranks }: ChartData["series"][0]) =>
  rank !== null ? `${name} · rank ${rank}` : ranks > 1 ? `${name} · mean of ${ranks} ranks` : name;

export const oneRun = (data: ChartData) =>
  !data.header.groups && data.series.every((s) => s.run === data.series[0].run);
