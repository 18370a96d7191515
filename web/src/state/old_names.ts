// Addresses and saved views made while the fields of the view had short names: they still open.
const oldNames = new Map([
  ["q", "search"],
  ["rq", "runSearch"],
  ["x", "xAxis"],
  ["xm", "xMetric"],
  ["xs", "xScale"],
  ["ys", "yScale"],
  ["sm", "smoothing"],
  ["sa", "smoothingAmount"],
  ["gb", "groupBy"],
  ["gc", "groupCenter"],
  ["gw", "groupBand"],
  ["cb", "colorBy"],
  ["out", "ignoreOutliers"],
  ["att", "olderAttempts"],
  ["rk", "ranks"],
  ["za", "zoomTogether"],
  ["sel", "selection"],
  ["base", "baseline"],
  ["cmp", "compared"],
  ["pk", "pinnedMetrics"],
  ["arch", "showArchived"],
  ["cols", "columns"],
  ["tg", "tableGroup"],
  ["diff", "onlyDifferences"],
  ["dist", "distributions"],
  ["hp", "hparams"],
  ["sys", "system"],
]);

/** The name that a field has now. */
export const newName = (name: string): string => oldNames.get(name) ?? name;

const insideHparams = new Map([
  ["sx", "scatterX"],
  ["sy", "scatterY"],
]);

/** A value of the field `name`, its members by the names that they have now. */
export function withNewNames(name: string, value: unknown): unknown {
  if (name !== "hparams" || !value || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [insideHparams.get(member) ?? member, inner]),
  );
}
