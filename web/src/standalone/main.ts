// The page of `taffrail export --format html`: charts with hover and zoom over data that stands in
// the same file. It asks nobody for anything.
import { readFrames, type Frame } from "../api/frame";
import { chartData, type ChartData } from "../viz/chart_data";
import {
  formatAxisValue,
  formatColumn,
  formatExact,
  formatInteger,
  formatSetting,
} from "../viz/format";
import { LineChart, type ChartProps, type Nearby, type SeriesStyle } from "../viz/line_chart";
import { greyAmong, slotColor, themed, themes, type Theme } from "../viz/palette";
import { drawBars, isSingle } from "./bars";

// Pages that are files may start workers only from what they made themselves.
declare const RASTER_WORKER_SOURCE: string;
Object.assign(globalThis, {
  taffrailRaster: URL.createObjectURL(
    new Blob([RASTER_WORKER_SOURCE], { type: "text/javascript" }),
  ),
});

interface Run {
  id: string;
  name: string;
  state: string;
  color: string;
  slot: number;
  config: Record<string, string | number | boolean | null>;
}
interface Data {
  bins: number;
  x: string;
  log_y: boolean;
  charts: number;
  metrics: number;
  /** What define_metric said; the others go by their names. */
  goals: Record<string, "minimize" | "maximize">;
  runs: Run[];
  pictures: { run: number; key: string; step: number; source: string }[];
  pictures_left_out: number;
}

const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  name = "",
  text = "",
): HTMLElementTagNameMap[K] => {
  const e = document.createElement(tag);
  e.className = name;
  e.textContent = text;
  return e;
};

const data = JSON.parse(document.getElementById("runs")!.textContent) as Data;
const dark = matchMedia("(prefers-color-scheme: dark)");
let theme: Theme = dark.matches ? "dark" : "light";
const hidden = new Set<string>();
let hovered: string | null = null;
let zoomX: [number, number] | null = null;
let cursor: number | null = null;
const byId = new Map(data.runs.map((run) => [run.id, run]));
const ownColor = (run: Run) => (run.color ? themed(theme, run.color) : slotColor(theme, run.slot));
const older = greyAmong(data.runs.map((run) => (run.color ? null : run.slot)));
const grey = new Set([...older].map((at) => data.runs[at].id));
/** Its own, or grey where an older run of this page wears the same. */
const colorOf = (run: Run) => (grey.has(run.id) ? themes[theme].muted : ownColor(run));

interface Card {
  data: ChartData;
  chart: LineChart;
  y: [number, number] | null;
}
const cards: Card[] = [];
const barCards: (() => void)[] = [];
const tooltip = element("div", "tooltip");
tooltip.hidden = true;
tooltip.setAttribute("role", "status");

const styleOf =
  (of: ChartData) =>
  (s: number): SeriesStyle | null => {
    const run = byId.get(of.series[s].run);
    if (!run || hidden.has(run.id)) return null;
    return {
      color: colorOf(run),
      hovered: ownColor(run),
      under: grey.has(run.id),
      dash: null,
      faint: false,
      label: run.name,
      who: run.id,
    };
  };

function update(card: Card): void {
  const props: ChartProps = {
    theme,
    data: card.data,
    loading: false,
    style: styleOf(card.data),
    styleKey: [...hidden].join() + theme,
    xAxis: data.x,
    xScale: "linear",
    yScale: data.log_y ? "log" : "linear",
    x: zoomX,
    y: card.y,
    ignoreOutliers: false,
    band: true,
    endLabels: false,
    highlight: hovered,
    cursor,
    pins: [],
    range: null,
  };
  card.chart.update(props);
}
const updateAll = () => {
  cards.forEach(update);
  for (const draw of barCards) draw();
};
const moveCursor = () => cards.forEach((card) => card.chart.setCursor(cursor, hovered));

function showTooltip(card: Card, x: number, near: Nearby[], at: { x: number; y: number }): void {
  tooltip.replaceChildren(element("b", "", `${data.x} ${formatAxisValue(data.x, x)}`));
  const table = element("table");
  const texts = formatColumn(near.map((n) => n.value));
  near.forEach((n, i) => {
    const run = byId.get(card.data.series[n.series].run)!;
    const row = element("tr");
    const mark = element("td");
    const swatch = element("span", "swatch");
    swatch.style.color = colorOf(run);
    swatch.style.display = "inline-block";
    mark.append(swatch);
    const value = element("td", "", texts[i]);
    value.dataset.exact = formatExact(n.value);
    row.append(mark, element("td", "", run.name), value);
    table.append(row);
  });
  tooltip.append(table);
  tooltip.hidden = false;
  const box = tooltip.getBoundingClientRect();
  const left = at.x + 18 + box.width < innerWidth ? at.x + 18 : at.x - box.width - 18;
  tooltip.style.left = Math.max(4, left) + "px";
  tooltip.style.top = Math.max(4, Math.min(innerHeight - box.height - 4, at.y + 12)) + "px";
}

/** Which numbers a chart holds: every point, or how many bins of how many. */
function wordsOf(of: ChartData): string {
  const total = of.series.reduce((n, s) => n + s.points, 0);
  return of.raster.raw.every((raw) => raw)
    ? `every point (${formatInteger(total)})`
    : `binned ${formatInteger(total)} → ${formatInteger(of.bins)}: mean, smallest and largest are exact`;
}

function addCard(parent: HTMLElement, frame: Frame): void {
  const section = element("section", "card");
  const key = frame.header.keys[0];
  section.dataset.card = key;
  const title = element("h2", "", key);
  const body = element("div", "chart-body");
  const of = chartData(frame);
  const words = wordsOf(of);
  title.append(element("small", "", words.split(":")[0]));
  title.title = words;
  section.append(title, body);
  parent.append(section);
  if (isSingle(of)) {
    section.dataset.bars = String(of.series.length);
    body.classList.add("bars");
    const look = (id: string) => {
      const run = byId.get(id);
      return run ? { name: run.name, color: colorOf(run), shown: !hidden.has(id) } : null;
    };
    const draw = () =>
      drawBars(body, key, of, data.goals[key], look, (run) => {
        hovered = run;
        moveCursor();
        markRow();
      });
    barCards.push(draw);
    draw();
    return;
  }
  const card = { data: of, y: null } as unknown as Card;
  card.chart = new LineChart(body, {
    hover(x, near, client) {
      cursor = x;
      hovered = near[0] && near[0].distance < 30 ? of.series[near[0].series].run : null;
      moveCursor();
      markRow();
      showTooltip(card, x, near, client);
    },
    leave() {
      cursor = hovered = null;
      tooltip.hidden = true;
      moveCursor();
      markRow();
    },
    zoom(x, y) {
      zoomX = x;
      card.y = y;
      tooltip.hidden = true;
      updateAll();
    },
    click: () => undefined,
    range(from, to) {
      zoomX = [from, to];
      updateAll();
    },
    key: () => false,
    resize: () => undefined,
  });
  card.chart.element.setAttribute("aria-label", `Line chart of ${key}: ${of.series.length} series`);
  cards.push(card);
  update(card);
}

const rows = new Map<string, HTMLElement>();
const markRow = () => {
  rows.forEach((row, id) => row.classList.toggle("hovered", id === hovered));
  for (const bar of document.querySelectorAll<HTMLElement>(".bar-row"))
    bar.classList.toggle("hovered", bar.dataset.run === hovered);
};

function runList(): HTMLElement {
  const list = element("nav", "runs");
  list.setAttribute("aria-label", "Runs");
  for (const run of data.runs) {
    const row = element("label");
    const box = element("input");
    box.type = "checkbox";
    box.checked = true;
    box.onchange = () => {
      if (box.checked) hidden.delete(run.id);
      else hidden.add(run.id);
      updateAll();
    };
    const swatch = element("span", "swatch");
    swatch.style.color = colorOf(run);
    swatch.dataset.run = run.id;
    row.title = Object.entries(run.config)
      .map(([k, v]) => `${k}: ${typeof v === "number" ? formatSetting(v) : String(v)}`)
      .join("\n");
    const mark = (id: string | null) => () => {
      hovered = id;
      moveCursor();
      markRow();
    };
    row.onpointerenter = mark(run.id);
    row.onpointerleave = mark(null);
    row.append(box, swatch, element("span", "name", run.name));
    rows.set(run.id, row);
    list.append(row);
  }
  return list;
}

function setTheme(next: Theme): void {
  theme = next;
  document.documentElement.dataset.theme = next;
  for (const swatch of document.querySelectorAll<HTMLElement>(".runs .swatch"))
    swatch.style.color = colorOf(byId.get(swatch.dataset.run!)!);
  updateAll();
}

function pictures(): HTMLElement | null {
  if (!data.pictures.length) return null;
  const shelf = element("div", "pictures");
  for (const picture of data.pictures) {
    const figure = element("figure", "card");
    const image = element("img");
    image.src = picture.source;
    image.alt = picture.key;
    figure.append(
      image,
      element(
        "figcaption",
        "muted",
        `${data.runs[picture.run].name} · ${picture.key} · step ${formatInteger(picture.step)}`,
      ),
    );
    shelf.append(figure);
  }
  return shelf;
}

async function start(): Promise<void> {
  const page = document.getElementById("page")!;
  const head = element("header");
  const count = data.metrics > data.charts ? `${data.charts} of ${data.metrics}` : data.charts;
  head.append(
    element("h1", "", "Taffrail"),
    element(
      "span",
      "muted",
      `${data.runs.length === 1 ? "1 run" : `${data.runs.length} runs`} · ${count === 1 ? "1 chart" : `${count} charts`} · drag to zoom, double-click for all`,
    ),
    element("span", "spacer"),
  );
  const button = element("button", "", "light / dark");
  button.onclick = () => setTheme(theme === "dark" ? "light" : "dark");
  head.append(button);
  const body = element("div", "body");
  const charts = element("main", "charts");
  const right = element("div");
  right.append(charts);
  body.append(runList(), right);
  page.append(head, body, tooltip);
  setTheme(theme);
  const packed = Uint8Array.from(atob(document.getElementById("frames")!.textContent), (c) =>
    c.charCodeAt(0),
  );
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  await readFrames(new Response(stream), (frame) => addCard(charts, frame));
  const shelf = pictures();
  if (shelf) right.append(shelf);
  if (data.pictures_left_out)
    right.append(element("p", "muted", `${data.pictures_left_out} pictures are not in this file.`));
  document.title = `Taffrail: ${data.runs
    .map((r) => r.name)
    .join(", ")
    .slice(0, 80)}`;
  document.body.dataset.ready = "yes";
}
addEventListener("scroll", () => (tooltip.hidden = true), { passive: true });
void start();
