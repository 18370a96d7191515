// How the lines of a chart look: by run, by group, by metric or by rank. Colour is who, a dash is
// train, val or test, a paler tone is another metric or rank of the same run.
import { groupColor, runStyle, styleAmong } from "../state/colors";
import { groupName, groupOf } from "../state/groups";
import { runById } from "../state/runs";
import { theme } from "../state/settings";
import type { ChartData } from "../viz/chart_data";
import type { SeriesStyle } from "../viz/line_chart";
import {
  dashesOf,
  mix,
  placeColor,
  slotColor,
  themes,
  type Dash,
  type Theme,
} from "../viz/palette";

/** How pale the second, third, … of what shares a colour is. */
const paler = [0, 0.45, 0.65];
export const toneOf = (current: Theme, color: string, place: number) =>
  place > 0 ? mix(color, themes[current].ground, paler[place % paler.length]) : color;

export interface KeyLook {
  color: string | null; // null: the run's own
  dash: Dash | null;
  tone: number;
}

/** How each metric of a card is told from the others. */
export function keyLooks(keys: readonly string[], single: boolean, current: Theme): KeyLook[] {
  const dashes = dashesOf(keys);
  const split = dashes.some((d) => d !== null);
  return keys.map((_, i) => ({
    color: keys.length > 1 && single && !split ? placeColor(current, i) : null,
    dash: dashes[i],
    tone: keys.length > 1 && !single && !split ? i : 0,
  }));
}

/** `few`: a chart of chosen runs, whose colours are told apart whoever else is visible. */
export function styleOf(
  data: ChartData,
  keys: string[],
  few = false,
): (s: number) => SeriesStyle | null {
  const style = few
    ? styleAmong([...new Set(data.series.map((info) => info.run))])
    : runStyle.value;
  const byId = runById.value;
  const current = theme.value;
  const single = oneRun(data);
  const looks = new Map(keyLooks(keys, single, current).map((look, i) => [keys[i], look]));
  const ranks = [...new Set(data.series.map((s) => s.rank).filter((r) => r !== null))].sort(
    (a, b) => a - b,
  );
  return (s) => {
    const info = data.series[s];
    const look = looks.get(info.key);
    const dash = look?.dash ?? null;
    const tone = look?.tone ?? 0;
    if (info.group) {
      const group = groupOf.value(info.group.runs[0]);
      const place = group?.place ?? 0;
      return {
        color: toneOf(current, groupColor.value(place), tone),
        hovered: toneOf(current, slotColor(current, place), tone),
        dash,
        faint: false,
        label: group?.label ?? info.group.label,
        who: groupName(group?.label ?? info.group.label),
      };
    }
    const { color: own, drawn } = style(info.run);
    const name = look?.color ? info.key : (byId.get(info.run)?.name ?? info.run);
    // Of one run, colours tell its ranks apart; of several, tones do, and the colour stays the
    // run's.
    const place = info.rank === null ? 0 : ranks.indexOf(info.rank);
    const byRank = info.rank !== null && single && keys.length < 2;
    const colored = (run: string) =>
      byRank ? placeColor(current, place) : toneOf(current, look?.color ?? run, tone + place);
    const grey = drawn !== own;
    return {
      color: colored(grey ? drawn : own),
      hovered: colored(own),
      under: grey,
      dash,
      faint: !info.current,
      label: withRank(name, info),
      who: info.run,
    };
  };
}

const withRank = (name: string, { rank, ranks }: ChartData["series"][0]) =>
  rank !== null ? `${name} · rank ${rank}` : ranks > 1 ? `${name} · mean of ${ranks} ranks` : name;

export const oneRun = (data: ChartData) =>
  !data.header.groups && data.series.every((s) => s.run === data.series[0].run);
