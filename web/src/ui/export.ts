// Takes a chart away: PNG at twice the size, SVG, or the raw points as CSV (streamed by the server,
// never the bins).
import { post } from "../api/client";
import type { AxisQuery, ExportQuery, ExportTicket } from "../api/types";
import type { CardSpec } from "../state/ask";
import { axisTitle } from "../state/axis";
import { runById, visibleIds } from "../state/runs";
import { theme } from "../state/settings";
import { toast } from "../state/toast";
import type { ChartData } from "../viz/chart_data";
import { partialWords } from "../viz/export_words";
import type { LineChart } from "../viz/line_chart";
import { fileName, saveBlob, saveUrl, svgToPng } from "../viz/save";
import { chartSvg } from "../viz/svg";
import { styleOf } from "./series_style";

/** Has the server prepare a file and saves it. What the file will lack is said: its rows cannot. */
export async function download(query: ExportQuery): Promise<void> {
  const ticket = await post<ExportTicket>("exports", query);
  saveUrl(new URL(ticket.href, document.baseURI).href, ticket.name);
  if (ticket.partial?.length)
    toast(
      partialWords(ticket, (id) => runById.value.get(id)?.name ?? id),
      "warn",
    );
}

export async function exportSeries(runs: string[], keys: string[], x?: AxisQuery): Promise<void> {
  await download({ format: "csv", shape: "tidy", runs, keys, x });
}

export async function exportChart(
  kind: "png" | "svg" | "csv",
  spec: CardSpec,
  data: ChartData | null,
  chart: LineChart | null,
): Promise<void> {
  try {
    if (kind === "csv" && !data) return await exportSeries([...visibleIds.value], spec.keys);
    if (!data || !chart) return;
    if (kind === "csv") {
      const runs = [
        ...new Set(data.series.flatMap((s) => (s.run ? [s.run] : (s.group?.runs ?? [])))),
      ];
      await exportSeries(runs, spec.keys, data.header.x);
      return;
    }
    const { axis } = data.header.x;
    const svg = chartSvg(
      spec.title,
      axisTitle(data.header.x),
      data,
      styleOf(data, spec.keys),
      chart.scales,
      theme.value,
      axis,
    );
    if (kind === "svg")
      saveBlob(new Blob([svg], { type: "image/svg+xml" }), fileName(spec.title) + ".svg");
    else saveBlob(await svgToPng(svg, 2), fileName(spec.title) + ".png");
  } catch (error) {
    toast((error as Error).message, "bad");
  }
}
