// How many of the visible runs have a metric: what no visible run has is not worth a card.
import { computed, effect, signal } from "@preact/signals";
import { post } from "../api/client";
import type { Runs } from "../api/types";
import { byInterest, goalsOf } from "../lib/interest";
import { columns, keys, runs, visible } from "./runs";
import { view } from "./view";

const present = (reply: { id: string; present: number }[]) =>
  new Map(
    reply.filter((c) => c.id.startsWith("metric:")).map((c) => [c.id.slice(7), c.present] as const),
  );

/** Of the runs that were asked about last; kept until the next answer. */
const answered = signal<{ key: string; of: Map<string, number> } | null>(null);
const whole = computed(() => visible.value.length === runs.value.length);
const askKey = computed(() =>
  whole.value ? "" : JSON.stringify([view.value.project, visible.value.map((r) => r.id)]),
);

let ticket = 0;
effect(() => {
  const key = askKey.value;
  void columns.value; // a metric that a run brings is asked for again
  const mine = ++ticket;
  if (!key || key === answered.peek()?.key + "") return void (key || (answered.value = null));
  const [project, ids] = JSON.parse(key) as [string, string[]];
  if (!ids.length) return void (answered.value = { key, of: new Map() });
  post<Runs>("runs:query", { project, runs: ids, limit: 0, archived: "include" }).then(
    (reply) => {
      if (mine === ticket) answered.value = { key, of: present(reply.columns ?? []) };
    },
    () => undefined, // everything stays on show
  );
});

const everywhere = computed(() => present(columns.value));

/** Changes with the runs that coverage is of, not with what they log. */
export const coverageOf = computed(() => (whole.value ? "" : (answered.value?.key ?? "")));

/** Metric → how many of the visible runs have it. */
export const coverage = computed<Map<string, number>>(
  () => (whole.value ? null : answered.value?.of) ?? everywhere.value,
);

/** Scalar metrics that are not hidden, the most interesting of the visible runs first. */
export const rankedMetrics = computed<string[]>(() => {
  const of = coverage.value;
  const total = Math.max(1, visible.value.length);
  return keys.value
    .filter((k) => k.kind === "scalar" && !k.hidden && (of.get(k.key) ?? 0) > 0)
    .map((k) => k.key)
    .sort(byInterest(goalsOf(keys.value), (name) => (of.get(name) ?? 0) / total));
});

/** For the charts page: which metrics the visible runs have, and which are one value a run. */
export const metricFacts = computed(() => {
  const of = coverage.value;
  const total = Math.max(1, visible.value.length);
  // A run that has just begun has one value of everything.
  const live = visible.value.every((r) => r.state === "running");
  const single = new Set(
    live
      ? []
      : keys.value
          .filter((k) => k.kind === "scalar" && k.points === k.runs && k.runs > 1)
          .map((k) => k.key),
  );
  return {
    share: (key: string) => (of.get(key) ?? 0) / total,
    single: (key: string) => single.has(key),
  };
});
