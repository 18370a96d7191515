// What define_metric said of the open project's metrics, for every page: which are hidden, which
// metric is their x axis.
import { computed } from "@preact/signals";
import type { KeyInfo } from "../api/types";
import { keyOfColumn } from "../lib/goals";
import { keys } from "./runs";

/** The scalar metrics of the project by name. */
export const scalarInfo = computed<Map<string, KeyInfo>>(
  () => new Map(keys.value.filter((k) => k.kind === "scalar").map((k) => [k.key, k])),
);

const hidden = computed(
  () => new Set(keys.value.filter((k) => k.hidden).map((k) => `${k.kind}\n${k.key}`)),
);

/** Hidden metrics are left out of every list; who types their whole name still gets them. */
export const isHidden = (key: string, kind: string = "scalar"): boolean =>
  hidden.value.has(`${kind}\n${key}`);

/** The entries of an answer that are not hidden. */
export const shownOf = <T extends { key: string; kind: string }>(
  index: { series: T[] } | null | undefined,
): T[] => index?.series.filter((s) => !isHidden(s.key, s.kind)) ?? [];

export function isHiddenColumn(id: string): boolean {
  const key = keyOfColumn(id);
  return key !== null && isHidden(key);
}

/**
 * Metric → the one that is its x axis. Machine load keeps its steps: a pattern like `*` does not
 * mean it.
 */
const stepMetrics = computed<Map<string, string>>(() => {
  const out = new Map<string, string>();
  for (const { key, step_metric } of scalarInfo.value.values()) {
    if (
      step_metric &&
      step_metric !== key &&
      scalarInfo.value.has(step_metric) &&
      !key.startsWith("system/")
    )
      out.set(key, step_metric);
  }
  return out;
});

/** Metrics that are the x axis of another one. */
export const usedAsAxis = computed(() => new Set(stepMetrics.value.values()));

/**
 * The x axis that all of these metrics were defined with; "" where they have none, or not the same.
 */
export function stepMetricOf(names: readonly string[]): string {
  const first = names.length ? (stepMetrics.value.get(names[0]) ?? "") : "";
  return names.every((name) => stepMetrics.value.get(name) === first) ? first : "";
}
