// A chart read as a table: one line per series, for people who do not see the picture and for exact
// reading.
import { axisId } from "../state/axis";
import { cursor, hoveredRun, isMarked } from "../state/cursor";
import { runById } from "../state/runs";
import { nearestBin, type ChartData } from "../viz/chart_data";
import { formatAxisValue, formatInteger, formatNumber } from "../viz/format";

export function SeriesTable({ data, keys }: { data: ChartData; keys: string[] }) {
  const { starts, low, high } = data.raster;
  const { axis } = data.header.x;
  const at = cursor.value?.axis === axisId(data.header.x) ? cursor.value.x : null;
  return (
    <div class="card-table" style={{ zIndex: 2, background: "var(--ground)" }} tabIndex={0}>
      <table class="plain-table">
        <thead>
          <tr>
            <th>run</th>
            {keys.length > 1 ? <th>metric</th> : null}
            <th class="number" data-cursor={at ?? undefined}>
              {at === null ? "at cursor" : `at ${formatAxisValue(axis, at)}`}
            </th>
            <th class="number">last</th>
            <th class="number">min</th>
            <th class="number">max</th>
            <th class="number">points</th>
          </tr>
        </thead>
        <tbody>
          {data.series.map((info, s) => {
            if (!info.current || s > 500) return null;
            let min = Infinity;
            let max = -Infinity;
            for (let i = starts[s]; i < starts[s + 1]; i++) {
              if (low && low[i] < min) min = low[i];
              if (high && high[i] > max) max = high[i];
            }
            const bin = at === null ? -1 : nearestBin(data, s, at);
            const value = bin < 0 ? NaN : (data.mean ?? data.raster.line)[bin];
            return (
              <tr
                key={s}
                data-run={info.run}
                class={isMarked(info.run) ? "hovered" : ""}
                onPointerEnter={() => (hoveredRun.value = info.run || null)}
                onPointerLeave={() => (hoveredRun.value = null)}
              >
                <td>
                  {info.group?.label ?? runById.value.get(info.run)?.name ?? info.run}
                  {info.rank !== null ? ` · rank ${info.rank}` : ""}
                </td>
                {keys.length > 1 ? <td>{info.key}</td> : null}
                <td class="number">{bin < 0 ? "–" : formatNumber(value, 5)}</td>
                <td class="number">{formatNumber(info.last, 5)}</td>
                <td class="number">{Number.isFinite(min) ? formatNumber(min, 5) : "–"}</td>
                <td class="number">{Number.isFinite(max) ? formatNumber(max, 5) : "–"}</td>
                <td class="number">{formatInteger(info.total)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {data.series.length > 500 ? (
        <p class="muted">The first 500 of {formatInteger(data.series.length)} series.</p>
      ) : null}
    </div>
  );
}
