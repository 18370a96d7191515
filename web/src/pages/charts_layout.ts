// Where the cards of the charts page stand: rows are filled, small sections share one.
import type { Section } from "./charts_sections";

export const gap = 12;
export const headHeight = 34;

export type Place = Record<"left" | "top" | "width" | "height", number>;
export interface PlacedSection {
  section: Section;
  head: { left: number; top: number; width: number };
  places: Place[]; // one for each card; none where it is closed
}

/** Width from which a page has 2, 3, 4, … columns of cards of this size. */
const columnsFrom: Record<"s" | "m" | "l", readonly number[]> = {
  s: [560, 840, 1120, 1400, 1960],
  m: [640, 1080, 1800],
  l: [1080, 2000],
};
const heights = { s: 180, m: 250, l: 340 };

export const columnsIn = (width: number, size: "s" | "m" | "l") =>
  1 + columnsFrom[size].filter((from) => width >= from).length;

/** A taller screen is for taller charts, within reason: rows that fit it whole. */
export function heightOf(size: "s" | "m" | "l", viewport: number): number {
  const least = heights[size];
  const wished = viewport > 1100 ? least * 1.25 : least;
  const rows = Math.max(1, Math.floor((viewport - headHeight) / (wished + gap)));
  const fitting = Math.floor((viewport - headHeight - 2 * gap) / rows) - gap;
  return Math.max(least, Math.min(Math.round(least * 1.35), fitting));
}

/**
 * Cards of a section fill their rows as evenly as they can (four in three columns are two and two);
 * sections that need less than a row stand beside each other while they fit.
 */
export function layoutOf(
  sections: readonly Section[],
  width: number,
  columns: number,
  height: number,
): { placed: PlacedSection[]; bottom: number } {
  const inner = width - 2 * gap;
  const placed: PlacedSection[] = [];
  let y = 4;
  const row = (top: number, count: number, at: number): Place => {
    const step = (inner + gap) / count;
    const left = Math.round(gap + at * step);
    return { left, top, width: Math.round(gap + (at + 1) * step - gap) - left, height };
  };
  for (let i = 0; i < sections.length;) {
    const section = sections[i];
    if (!section.open) {
      placed.push({ section, head: { left: gap, top: y, width: inner }, places: [] });
      y += headHeight;
      i++;
      continue;
    }
    const count = section.cards.length;
    // What came late would change its neighbours' widths with every new card.
    const grows = section.name === "*late";
    if (count >= columns || grows) {
      const rows = Math.ceil(count / columns);
      const places: Place[] = [];
      for (let r = 0, first = 0; r < rows; r++) {
        const here = grows
          ? Math.min(columns, count - first)
          : Math.floor(count / rows) + (r < count % rows ? 1 : 0);
        const top = y + headHeight + r * (height + gap);
        for (let k = 0; k < here; k++) places.push(row(top, grows ? columns : here, k));
        first += here;
      }
      placed.push({ section, head: { left: gap, top: y, width: inner }, places });
      y += headHeight + rows * (height + gap) + 4;
      i++;
      continue;
    }
    const together: Section[] = [];
    let cards = 0;
    for (; i < sections.length; i++) {
      const next = sections[i];
      if (!next.open || next.name === "*late" || cards + next.cards.length > columns) break;
      together.push(next);
      cards += next.cards.length;
    }
    let at = 0;
    for (const each of together) {
      const places = each.cards.map((_, k) => row(y + headHeight, cards, at + k));
      const last = places[places.length - 1];
      const head = { left: places[0].left, top: y, width: last.left + last.width - places[0].left };
      placed.push({ section: each, head, places });
      at += each.cards.length;
    }
    y += headHeight + height + gap + 4;
  }
  return { placed, bottom: y };
}
