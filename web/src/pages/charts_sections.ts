// Which cards the charts page shows, in which sections and order.
import type { KeyInfo } from "../api/types";
import type { CardSpec } from "../state/ask";
import { mediaKinds } from "../lib/kinds";
import { textMatcher } from "../lib/pattern";
import type { View } from "../state/view";

export interface Section {
  name: string;
  title: string;
  cards: CardSpec[];
  open: boolean;
  kind: "chart" | "media" | "histogram";
}

const splits = new Set([
  "train",
  "training",
  "val",
  "valid",
  "validate",
  "validation",
  "test",
  "eval",
  "dev",
]);
const interest = (name: string) =>
  /loss|error|perplexity|nll/i.test(name)
    ? 0
    : /acc|f1|auc|reward|score|bleu|iou|map/i.test(name)
      ? 1
      : /lr|learning/i.test(name)
        ? 3
        : 2;

/** Loss-like metrics first, train and validation of the same name in one card; at most four. */
export function suggested(keys: KeyInfo[]): CardSpec[] {
  const byTail = new Map<string, string[]>();
  for (const { key, kind, hidden } of keys) {
    if (kind !== "scalar" || hidden || key.startsWith("system/")) continue;
    const parts = key.split("/");
    const at = parts.findIndex((p) => splits.has(p.toLowerCase()));
    const flat = at < 0 && /^(train|val|test|eval)_/.exec(key);
    const tail =
      at >= 0 ? parts.filter((_, i) => i !== at).join("/") : flat ? key.slice(flat[0].length) : key;
    if (!tail) continue;
    if (!byTail.has(tail)) byTail.set(tail, []);
    byTail.get(tail)!.push(key);
  }
  return [...byTail]
    .filter(([tail, list]) => list.length <= 3 && interest(tail) < 2)
    .sort(
      (a, b) =>
        interest(a[0]) - interest(b[0]) || b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1),
    )
    .slice(0, 4)
    .map(([tail, list]) => ({
      id: "auto:" + tail,
      title: list.length > 1 ? tail : list[0],
      keys: list,
    }));
}

export function sectionsOf(
  all: KeyInfo[],
  v: Pick<View, "search" | "pinnedMetrics" | "closed" | "order" | "extra">,
): Section[] {
  const accept = textMatcher(v.search);
  const scalars = all.filter((k) => k.kind === "scalar" && !k.hidden);
  const exists = new Set(scalars.map((k) => k.key));
  const toggled = new Set(v.closed);
  const sections = new Map<string, CardSpec[]>();
  for (const { key } of scalars) {
    if (!accept(key)) continue;
    const at = key.indexOf("/");
    const name = at > 0 ? key.slice(0, at) : "";
    if (!sections.has(name)) sections.set(name, []);
    sections.get(name)!.push({ id: key, title: key, keys: [key] });
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
  if (v.pinnedMetrics)
    top.unshift(
      ...v.pinnedMetrics
        .filter((k) => exists.has(k))
        .map((k) => ({ id: "pin:" + k, title: k, keys: [k] })),
    );
  else top.push(...suggested(all));
  const first = sorted(top.filter((c) => c.keys.some(accept) || accept(c.title)));
  if (first.length)
    out.push({
      name: "*",
      title: v.pinnedMetrics ? "pinned" : "overview",
      cards: first,
      open: !toggled.has("*"),
      kind: "chart",
    });
  const names = [...sections.keys()].sort(
    (a, b) =>
      Number(a === "system") - Number(b === "system") ||
      Number(b === "") - Number(a === "") ||
      (a < b ? -1 : 1),
  );
  for (const name of names) {
    const closedByDefault = name === "system" && !v.search;
    out.push({
      name,
      title: name === "" ? "metrics" : name + "/",
      cards: sorted(sections.get(name)!),
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
