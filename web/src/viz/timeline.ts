// Drawing of a timeline: tracks and rows from top to bottom, slices as boxes, arrows over them. No
// state of the page, no framework: the page hands over what is to be seen.
import type { Slices } from "../api/slices";
import type { ProfileArrow, ProfileInfo, ProfileStep } from "../api/types";
import { nameColor } from "./name_color";
import { timeTicks } from "./nanoseconds";
import { mix, themes, type Theme } from "./palette";

export const rowHeight = 18;
export const headHeight = 22; // of a track
export const rulerHeight = 34;

export interface PlacedTrack {
  track: number;
  top: number;
  rows: number; // shown; folded tracks show one
  folded: boolean;
}

/** Where each track begins, and how high all of them are. */
export function placeTracks(
  info: ProfileInfo,
  hidden: ReadonlySet<number>,
  folded: ReadonlySet<number>,
): { placed: PlacedTrack[]; height: number } {
  const placed: PlacedTrack[] = [];
  let top = 0;
  info.tracks.forEach((t, track) => {
    if (hidden.has(track)) return;
    const rows = folded.has(track) ? Math.min(1, t.rows.length) : t.rows.length;
    placed.push({ track, top, rows, folded: folded.has(track) });
    top += headHeight + rows * rowHeight + 4;
  });
  return { placed, height: top };
}

export interface TimelineView {
  theme: Theme;
  from: number;
  to: number;
  left: number; // width of the names
  width: number;
  height: number;
  scroll: number;
  selected: number; // slice, -1 = none
  hovered: number; // place in the answer
  matches: ReadonlySet<number> | null; // names found; others are faint
  font: string;
}

export const xOf = (v: TimelineView, time: number): number =>
  v.left + ((time - v.from) / Math.max(v.to - v.from, 1)) * (v.width - v.left);

export const timeOf = (v: TimelineView, x: number): number =>
  v.from + ((x - v.left) / Math.max(v.width - v.left, 1)) * (v.to - v.from);

/** Where each answered row stands: track → top, or nothing for rows that are not shown. */
function rowTop(placed: Map<number, PlacedTrack>, track: number, row: number): number | null {
  const p = placed.get(track);
  return !p || row >= p.rows ? null : p.top + headHeight + row * rowHeight;
}

function clip(c: CanvasRenderingContext2D, text: string, width: number): string {
  if (width < 14) return "";
  const fits = Math.floor(width / 6.2);
  const cut = text.length <= fits ? text : text.slice(0, Math.max(1, fits - 1)) + "…";
  return c.measureText(cut).width <= width ? cut : cut.slice(0, Math.max(1, fits - 3)) + "…";
}

export function drawTimeline(
  c: CanvasRenderingContext2D,
  v: TimelineView,
  info: ProfileInfo,
  list: PlacedTrack[],
  slices: Slices | null,
  arrows: ProfileArrow[],
): void {
  const colors = themes[v.theme];
  const placed = new Map(list.map((p) => [p.track, p]));
  c.fillStyle = colors.ground;
  c.fillRect(0, 0, v.width, v.height);
  c.font = v.font;
  c.save();
  c.beginPath();
  c.rect(0, rulerHeight, v.width, v.height - rulerHeight);
  c.clip();
  const grid = mix(colors.ground, colors.text, 0.07);
  const shift = rulerHeight - v.scroll;
  const marks = timeTicks(v.from, v.to, Math.max(2, (v.width - v.left) / 110));
  c.fillStyle = grid;
  for (const m of marks) c.fillRect(Math.round(xOf(v, m.at)), rulerHeight, 1, v.height);
  c.save();
  c.beginPath();
  c.rect(v.left, rulerHeight, v.width - v.left, v.height);
  c.clip();
  if (slices) drawSlices(c, v, placed, slices, shift);
  drawArrows(c, v, placed, arrows, shift);
  c.restore();
  drawNames(c, v, info, list, shift);
  c.restore();
  drawRuler(c, v, info.steps, marks);
}

function drawSlices(
  c: CanvasRenderingContext2D,
  v: TimelineView,
  placed: Map<number, PlacedTrack>,
  s: Slices,
  shift: number,
): void {
  const colors = themes[v.theme];
  const scale = (v.width - v.left) / Math.max(v.to - v.from, 1);
  const { track, row, first } = s.header;
  c.textBaseline = "middle";
  c.textAlign = "left";
  for (let r = 0; r < track.length; r++) {
    const top = rowTop(placed, track[r], row[r]);
    if (top === null) continue;
    const y = top + shift;
    if (y + rowHeight < rulerHeight || y > v.height) continue;
    const end = r + 1 < first.length ? first[r + 1] : s.begin.length;
    for (let i = first[r]; i < end; i++) {
      const x = v.left + (s.begin[i] - v.from) * scale;
      const wide = s.duration[i] * scale;
      if (x > v.width) break;
      if (x + wide < v.left) continue;
      const name = s.names.get(s.name[i]) ?? "";
      const faint = v.matches !== null && !v.matches.has(s.name[i]);
      // Joined slices are as strong as they are busy.
      const share = s.count[i] > 1 ? 0.35 + 0.65 * Math.min(1, s.busy[i]) : 1;
      c.globalAlpha = faint ? 0.18 : share;
      c.fillStyle = nameColor(v.theme, name);
      const from = Math.max(x, v.left - 2);
      const width = Math.max(1, Math.min(x + wide, v.width + 2) - from - (wide > 3 ? 1 : 0));
      c.fillRect(from, y, width, rowHeight - 2);
      c.globalAlpha = 1;
      if (i === v.hovered || (s.count[i] === 1 && s.id[i] === v.selected)) {
        c.strokeStyle = s.id[i] === v.selected ? colors.accent : colors.text;
        c.lineWidth = s.id[i] === v.selected ? 2 : 1;
        c.strokeRect(from + 0.5, y + 0.5, Math.max(1, width - 1), rowHeight - 3);
      }
      if (width > 22) {
        c.fillStyle = faint ? colors.muted : colors.text;
        const text = s.count[i] > 1 ? `${s.count[i]}×` : name;
        c.fillText(clip(c, text, width - 8), from + 4, y + rowHeight / 2 - 0.5);
      }
    }
  }
}

function drawArrows(
  c: CanvasRenderingContext2D,
  v: TimelineView,
  placed: Map<number, PlacedTrack>,
  arrows: ProfileArrow[],
  shift: number,
): void {
  if (arrows.length === 0) return;
  const place = (track: number, row: number) => {
    const p = placed.get(track);
    if (!p) return null;
    return p.top + headHeight + Math.min(row, Math.max(0, p.rows - 1)) * rowHeight + shift;
  };
  c.strokeStyle = c.fillStyle = themes[v.theme].accent;
  c.lineWidth = 1.25;
  for (const a of arrows) {
    const y0 = place(a.from_track, a.from_row);
    const y1 = place(a.to_track, a.to_row);
    if (y0 === null || y1 === null) continue;
    const [x0, x1] = [xOf(v, a.from_ns), xOf(v, a.to_ns)];
    const [from, to] = [y0 + rowHeight / 2, y1 + rowHeight / 2];
    const bend = Math.max(20, Math.abs(x1 - x0) / 3);
    c.beginPath();
    c.moveTo(x0, from);
    c.bezierCurveTo(x0 + bend, from, x1 - bend, to, x1, to);
    c.stroke();
    c.beginPath();
    c.moveTo(x1, to);
    c.lineTo(x1 - 6, to - 3.5);
    c.lineTo(x1 - 6, to + 3.5);
    c.fill();
  }
}

function drawNames(
  c: CanvasRenderingContext2D,
  v: TimelineView,
  info: ProfileInfo,
  list: PlacedTrack[],
  shift: number,
): void {
  const colors = themes[v.theme];
  c.fillStyle = colors.raised;
  c.fillRect(0, rulerHeight, v.left, v.height);
  c.textBaseline = "middle";
  c.textAlign = "left";
  let process = "";
  for (const p of list) {
    const y = p.top + shift;
    const t = info.tracks[p.track];
    const high = headHeight + p.rows * rowHeight;
    const fresh = t.process !== process;
    process = t.process;
    if (y + high < rulerHeight || y > v.height) continue;
    c.fillStyle = mix(colors.ground, colors.text, fresh ? 0.24 : 0.1);
    c.fillRect(0, y, v.width, 1);
    c.fillStyle = colors.text;
    c.fillText(p.folded ? "▸" : "▾", 6, y + headHeight / 2);
    const kind = t.kind === "instants" ? " · instants" : t.kind === "async" ? " · async" : "";
    c.fillText(clip(c, t.title + kind, v.left - 26), 20, y + headHeight / 2);
    if (p.rows > 0) {
      c.fillStyle = colors.muted;
      c.fillText(clip(c, t.process, v.left - 26), 20, y + headHeight + 7);
    }
  }
  c.fillStyle = mix(colors.ground, colors.text, 0.16);
  c.fillRect(v.left - 1, rulerHeight, 1, v.height);
}

function drawRuler(
  c: CanvasRenderingContext2D,
  v: TimelineView,
  steps: ProfileStep[],
  marks: { at: number; text: string }[],
): void {
  const colors = themes[v.theme];
  c.fillStyle = colors.sunken;
  c.fillRect(0, 0, v.width, rulerHeight);
  c.save();
  c.beginPath();
  c.rect(v.left, 0, v.width - v.left, rulerHeight);
  c.clip();
  c.fillStyle = colors.muted;
  c.textBaseline = "middle";
  c.textAlign = "left";
  for (const m of marks) {
    const x = xOf(v, m.at);
    c.fillRect(Math.round(x), 12, 1, 5);
    c.fillText(m.text, x + 3, 9);
  }
  for (const s of steps) {
    const x = xOf(v, s.begin_ns);
    const wide = xOf(v, s.begin_ns + s.duration_ns) - x;
    if (x > v.width || x + wide < v.left || wide < 1) continue;
    c.fillStyle = mix(colors.sunken, colors.accent, s.number % 2 ? 0.3 : 0.18);
    c.fillRect(x, 18, Math.max(1, wide - 1), rulerHeight - 19);
    if (wide > 26) {
      c.fillStyle = colors.text;
      c.fillText(
        clip(c, wide > 70 ? `step ${s.number}` : String(s.number), wide - 6),
        Math.max(x, v.left) + 4,
        26,
      );
    }
  }
  c.restore();
  c.fillStyle = mix(colors.ground, colors.text, 0.16);
  c.fillRect(0, rulerHeight - 1, v.width, 1);
}

export type Hit =
  | { kind: "slice"; index: number }
  | { kind: "track"; track: number }
  | { kind: "step"; step: ProfileStep }
  | null;

/** What lies under a point. */
export function hitAt(
  v: TimelineView,
  info: ProfileInfo,
  list: PlacedTrack[],
  slices: Slices | null,
  x: number,
  y: number,
): Hit {
  if (y < rulerHeight) {
    const time = timeOf(v, x);
    const step =
      x > v.left && y > 17
        ? info.steps.find((s) => time >= s.begin_ns && time < s.begin_ns + s.duration_ns)
        : undefined;
    return step ? { kind: "step", step } : null;
  }
  const at = y - rulerHeight + v.scroll;
  const track = list.findLast((p) => p.top <= at);
  if (!track) return null;
  if (x < v.left) return at - track.top < headHeight ? { kind: "track", track: track.track } : null;
  const row = Math.floor((at - track.top - headHeight) / rowHeight);
  if (!slices || row < 0 || row >= track.rows) return null;
  const r = slices.header.track.findIndex(
    (t, i) => t === track.track && slices.header.row[i] === row,
  );
  if (r < 0) return null;
  const { first } = slices.header;
  const end = r + 1 < first.length ? first[r + 1] : slices.begin.length;
  const scale = (v.to - v.from) / Math.max(v.width - v.left, 1);
  const time = timeOf(v, x);
  let best = -1;
  let nearest = 3 * scale; // three pixels of mercy for what is narrow
  for (let i = first[r]; i < end; i++) {
    const away = Math.max(slices.begin[i] - time, time - slices.begin[i] - slices.duration[i], 0);
    if (away < nearest || (away === 0 && best < 0)) {
      nearest = away;
      best = i;
      if (away === 0) break;
    }
  }
  return best < 0 ? null : { kind: "slice", index: best };
}
