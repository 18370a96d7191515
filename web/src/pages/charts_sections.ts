// Which cards the charts page shows, in which sections and order.
import type { KeyInfo } from "../api/types";
import { byInterest, goalsOf, tierOf } from "../lib/interest";
import type { CardSpec } from "../state/ask";
import { mediaKinds } from "../lib/kinds";
import { textMatcher } from "../lib/pattern";
import type { View } from "../state/view";
import { splitOf } from "../viz/palette";

export interface Section {
  name: string;
  title: string;
  cards: CardSpec[];
  open: boolean;
  kind: "chart" | "media" | "histogram";
}

/** What is known of the metrics beside their names. */
export interface Facts {
  share: (key: string) => number; // of the visible runs that have it, 0 to 1
  single: (key: string) => boolean; // one value a run: nothing to draw a line through
}
const noFacts: Facts = { share: () => 1, single: () => false };

/**
 * What people look for first, train and validation of the same name in one card; at most four, and
 * none that no visible run has.
 */
export function suggested(keys: KeyInfo[], { share, single }: Facts = noFacts): CardSpec[] {
  const byTail = new Map<string, string[]>();
  const splitTails = new Set(
    keys.filter((k) => splitOf(k.key).split).map((k) => splitOf(k.key).tail),
  );
  for (const { key, kind, hidden } of keys) {
    if (kind !== "scalar" || hidden || share(key) === 0) continue;
    const { split, tail } = splitOf(key);
    if (!tail) continue;
    // A plain name is no third split of the same name.
    const name = split || !splitTails.has(tail) ? tail : "=" + tail;
    if (!byTail.has(name)) byTail.set(name, []);
    byTail.get(name)!.push(key);
  }
  const goalOf = goalsOf(keys);
  const cards = new Map<string, CardSpec>();
  for (const [tail, all] of byTail) {
    // A last value per run among lines would be a few dots at the edge; it has a card of its own.
    const lines = all.filter((key) => !single(key));
    for (const key of lines.length ? all.filter(single) : [])
      cards.set("=" + key, { id: "auto:=" + key, title: key, keys: [key], bars: true });
    const list = (lines.length ? lines : all).sort((a, b) => splitPlace(a) - splitPlace(b));
    if (list.length > 3) continue;
    cards.set(tail, {
      id: "auto:" + tail,
      title: list.length > 1 ? tail : list[0],
      keys: list,
      bars: list.length === 1 && single(list[0]),
    });
  }
  const goal = (tail: string) => cards.get(tail)!.keys.map(goalOf).find(Boolean);
  const best = (tail: string) =>
    Math.max(...cards.get(tail)!.keys.map(share)) + 0.01 * (cards.get(tail)!.keys.length - 1);
  const ranked = [...cards.keys()].sort(byInterest(goal, best));
  return ranked
    .filter((tail) => tierOf(tail, goal(tail)) < 2)
    .slice(0, 4)
    .map((tail) => cards.get(tail)!);
}

const splitPlace = (key: string) => ["train", "val", "test"].indexOf(splitOf(key).split ?? "train");

/** How a card is pinned: its metrics, one or several. */
export const pinOf = (keys: readonly string[]) => keys.join("\n");

function pinnedCards(pins: readonly string[], exists: Set<string>, single: Facts["single"]) {
  return pins.flatMap((pin): CardSpec[] => {
    const keys = pin.split("\n").filter((key) => exists.has(key));
    if (!keys.length) return [];
    const bars = keys.length === 1 && single(keys[0]);
    return [
      {
        id: "pin:" + pin,
        title: keys.length > 1 ? splitOf(keys[0]).tail : keys[0],
        keys,
        ...(bars ? { bars } : {}),
      },
    ];
  });
}

export function sectionsOf(
  all: KeyInfo[],
  v: Pick<View, "search" | "pinnedMetrics" | "closed" | "order" | "extra">,
  facts: Facts = noFacts,
): Section[] {
  const accept = textMatcher(v.search);
  const scalars = all.filter((k) => k.kind === "scalar" && !k.hidden);
  const exists = new Set(scalars.map((k) => k.key));
  const toggled = new Set(v.closed);
  const sections = new Map<string, CardSpec[]>();
  for (const { key } of scalars) {
    if (!accept(key) || facts.share(key) === 0) continue;
    const at = key.indexOf("/");
    const name = at > 0 ? key.slice(0, at) : "";
    if (!sections.has(name)) sections.set(name, []);
    sections.get(name)!.push({
      id: key,
      title: key,
      keys: [key],
      ...(facts.single(key) ? { bars: true } : {}),
    });
  }
  const rank = new Map(v.order.map((id, i) => [id, i]));
  const sorted = (cards: CardSpec[]) =>
    cards
      .map((c, i) => [c, i] as const)
      .sort((a, b) => (rank.get(a[0].id) ?? 1e6 + a[1]) - (rank.get(b[0].id) ?? 1e6 + b[1]))
      .map(([c]) => c);
  const out: Section[] = [];
  const top: CardSpec[] = v.extra.map((p) => ({
    id: p.id,
    title: p.expression ?? p.keys.join(", "),
    keys: p.keys,
    expression: p.expression,
  }));
  const pinned = pinnedCards(v.pinnedMetrics ?? [], exists, facts.single);
  const isPinned = new Set(pinned.map((card) => pinOf(card.keys)));
  top.push(...suggested(all, facts).filter((card) => !isPinned.has(pinOf(card.keys))));
  for (const [name, title, cards] of [
    ["*pinned", "pinned", pinned],
    ["*", "overview", top],
  ] as const) {
    const shown = sorted(cards.filter((c) => c.keys.some(accept) || accept(c.title)));
    if (shown.length)
      out.push({ name, title, cards: shown, open: !toggled.has(name), kind: "chart" });
  }
  const last = ["time", "system"]; // the machine, after what it computes
  const names = [...sections.keys()].sort(
    (a, b) =>
      last.indexOf(a) - last.indexOf(b) || Number(b === "") - Number(a === "") || (a < b ? -1 : 1),
  );
  for (const name of names) {
    const cards = sections.get(name)!;
    const closedByDefault = name === "system" && !v.search;
    out.push({
      name,
      title: name === "" ? "metrics" : name + "/",
      cards: sorted(cards),
      open: toggled.has(name) === closedByDefault,
      kind: "chart",
    });
  }
  // Media and distributions stand below the charts so that they follow the same cursor; closed
  // until a person wants them.
  for (const [kind, title, kinds] of [
    ["media", "media", mediaKinds],
    ["histogram", "distributions", ["histogram"]],
  ] as const) {
    // A key of several kinds (an image, then a table) is one card.
    const found = new Set(
      all
        .filter((k) => (kinds as readonly string[]).includes(k.kind) && !k.hidden && accept(k.key))
        .map((k) => k.key),
    );
    const cards = [...found].map((key) => ({ id: `${kind}:${key}`, title: key, keys: [key] }));
    const name = "*" + kind;
    if (cards.length) out.push({ name, title, cards, open: toggled.has(name) === !v.search, kind });
  }
  return out;
}

/** Metrics that are there and in none of the visible runs. */
export const withoutRuns = (all: KeyInfo[], { share }: Facts): string[] =>
  all.filter((k) => k.kind === "scalar" && !k.hidden && share(k.key) === 0).map((k) => k.key);

/**
 * Keeps what a person looks at where it is: cards that came since stand in a section of their own
 * at the end. `kept` is what was on show first; filled by the first call.
 */
export function withoutMoves(sections: Section[], kept: Map<string, CardSpec[]>): Section[] {
  if (kept.size === 0) {
    for (const { name, cards } of sections) kept.set(name, cards);
    return sections;
  }
  const known = new Set([...kept.values()].flat().map((c) => c.id));
  const there = new Set(sections.flatMap((s) => s.cards.flatMap((c) => c.keys)));
  const late: CardSpec[] = [];
  const out: Section[] = [];
  const added: Section[] = [];
  for (const section of sections) {
    const before = kept.get(section.name);
    if (section.kind !== "chart") (before ? out : added).push(section);
    else {
      // What is suggested has a card of its own among the late ones anyway.
      if (section.name !== "*") late.push(...section.cards.filter((c) => !known.has(c.id)));
      const now = new Map(section.cards.map((c) => [c.id, c]));
      const cards = (before ?? []).flatMap(
        (c) => now.get(c.id) ?? (c.keys.some((key) => there.has(key)) ? [c] : []),
      );
      if (cards.length) out.push({ ...section, cards });
    }
  }
  const places = [...kept.keys()];
  out.sort((a, b) => places.indexOf(a.name) - places.indexOf(b.name));
  if (late.length)
    out.push({ name: "*late", title: "new", cards: late, open: true, kind: "chart" });
  return [...out, ...added];
}

/** Sections of single values that all stand in the overview as they are need not stand again. */
export function withoutRepeats(sections: Section[]): Section[] {
  const above = new Set(
    sections
      .filter((s) => s.name.startsWith("*") && s.open)
      .flatMap((s) => s.cards.map((card) => pinOf(card.keys))),
  );
  return sections.filter(
    (s) => s.name.startsWith("*") || !s.cards.every((card) => card.bars && above.has(card.id)),
  );
}
