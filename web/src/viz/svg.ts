// A chart as SVG: the same bins as on the screen, as vectors, with axes and legend. Small by
// construction.
import { binX, type ChartData } from "./chart_data";
import { formatAxisTicks, formatTicks } from "./format";
import type { SeriesStyle } from "./line_chart";
import { mix, themes, type Theme } from "./palette";
import { Scale, ticks } from "./scale";

export const escapeXml = (text: string) =>
  text
    .replace(/[<>&"']/g, (c) => `&#${c.charCodeAt(0)};`)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");
const round = (v: number) => String(Math.round(v * 10) / 10);

export function chartSvg(
  title: string,
  xTitle: string,
  data: ChartData,
  style: (s: number) => SeriesStyle | null,
  scales: { x: Scale; y: Scale },
  theme: Theme,
  xAxis: string,
): string {
  const width = 800;
  const height = 420;
  const box = { left: 60, right: 20, top: 36, bottom: 46 };
  const colors = themes[theme];
  const shown = data.series.map((_, s) => s).filter((s) => style(s));
  const legend = shown.filter((s) => data.series[s].current).slice(0, 40);
  const legendRows = Math.ceil(legend.length / 3);
  const x = new Scale(scales.x.kind, scales.x.from, scales.x.to, box.left, width - box.right);
  const y = new Scale(scales.y.kind, scales.y.from, scales.y.to, height - box.bottom, box.top);
  const out: string[] = [];
  const total = height + legendRows * 16 + 8;
  out.push(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="11">`,
  );
  out.push(
    `<title>${escapeXml(title)}</title><rect width="100%" height="100%" fill="${colors.ground}"/><text x="${box.left}" y="22" font-size="14" font-weight="600" fill="${colors.text}">${escapeXml(title)}</text>`,
  );
  const xt = ticks(x.kind, x.from, x.to, 9, xAxis === "step");
  const yt = ticks(y.kind, y.from, y.to, 8);
  const grid = mix(colors.ground, colors.text, 0.1);
  const yLabels = formatTicks(yt);
  yt.forEach((v, i) =>
    out.push(
      `<path d="M${box.left} ${round(y.pixel(v))}H${width - box.right}" stroke="${grid}"/><text x="${box.left - 6}" y="${round(y.pixel(v) + 4)}" text-anchor="end" fill="${colors.muted}">${escapeXml(yLabels[i])}</text>`,
    ),
  );
  const xLabels = formatAxisTicks(xAxis, xt);
  xt.forEach((v, i) =>
    out.push(
      `<text x="${round(x.pixel(v))}" y="${height - box.bottom + 16}" text-anchor="middle" fill="${colors.muted}">${escapeXml(xLabels[i])}</text>`,
    ),
  );
  out.push(
    `<text x="${(box.left + width - box.right) / 2}" y="${height - 12}" text-anchor="middle" fill="${colors.muted}">${escapeXml(xTitle)}</text>`,
  );
  out.push(
    `<path d="M${box.left} ${height - box.bottom}H${width - box.right}" stroke="${mix(colors.ground, colors.text, 0.3)}"/><clipPath id="plot"><rect x="${box.left}" y="${box.top}" width="${width - box.left - box.right}" height="${height - box.top - box.bottom}"/></clipPath><g clip-path="url(#plot)" fill="none" stroke-width="1.5" stroke-linejoin="round">`,
  );
  // 300 kB hold about 20,000 coordinates; many runs are thinned to a line each of fewer bins.
  const perSeries = Math.max(20, Math.floor(18000 / Math.max(1, shown.length)));
  for (const s of shown) {
    const st = style(s)!;
    const begin = data.raster.starts[s];
    const n = data.raster.starts[s + 1] - begin;
    const stride = Math.max(1, Math.ceil(n / perSeries));
    let path = "";
    let pen = false;
    for (let i = 0; i < n; i += stride) {
      const v = data.raster.line[begin + i];
      if (v !== v) {
        if (!data.raster.count || data.raster.count[begin + i] > 0) pen = false;
        continue;
      }
      path += `${pen ? "L" : "M"}${round(x.pixel(binX(data, s, begin + i)))} ${round(Math.max(-1e4, Math.min(1e4, y.pixel(v))))}`;
      pen = true;
    }
    out.push(
      `<path d="${path}" stroke="${st.color}"${st.dash ? ` stroke-dasharray="${st.dash.join(" ")}"` : ""}${st.faint ? ' opacity="0.35"' : ""}/>`,
    );
  }
  out.push("</g>");
  legend.forEach((s, i) => {
    const st = style(s)!;
    const lx = box.left + (i % 3) * 240;
    const ly = height + Math.floor(i / 3) * 16;
    const keys = data.header.keys.length > 1 ? ` · ${data.series[s].key}` : "";
    out.push(
      `<path d="M${lx} ${ly - 4}h18" stroke="${st.color}" stroke-width="2"${st.dash ? ` stroke-dasharray="${st.dash.join(" ")}"` : ""}/><text x="${lx + 24}" y="${ly}" fill="${colors.text}">${escapeXml((st.label + keys).slice(0, 40))}</text>`,
    );
  });
  out.push("</svg>");
  return out.join("\n");
}
