// One cursor for the whole page: hovering anything marks the same position and the same run
// everywhere.
import { computed, signal } from "@preact/signals";
import { pinAxis } from "./axis";
import { drawnAs } from "./groups";
import { view } from "./view";

export interface Cursor {
  axis: string; // axisId of the x axis the position is on
  x: number;
  step: number | null; // known when the axis is steps
  source: string; // card or panel that is under the pointer
}

export const cursor = signal<Cursor | null>(null);
export const hoveredRun = signal<string | null>(null); // or a group, by its groupName
/**
 * The step everything by steps marks: under the cursor, otherwise the one pinned last on any page.
 */
export const markedStep = computed<number | null>(() => {
  if (cursor.value) return cursor.value.step;
  const pin = pinAxis().axis === "step" ? view.value.pins.at(-1) : undefined;
  return pin === undefined ? null : Math.round(pin);
});

export interface TooltipValue {
  key: string;
  dash: readonly [number, number] | null;
  value: number;
  smooth: number | null;
  x: number;
  exact: boolean;
  extra: string;
}

/** A run (or a group, or a rank of a run) and its values of the card's metrics. */
export interface TooltipRow {
  run: string;
  rank: number | null;
  label: string;
  color: string;
  values: TooltipValue[];
}

export interface Tooltip {
  title: string;
  keys: string[]; // metrics that are columns; empty where each row has one value
  names: string[]; // what they are called
  rows: TooltipRow[];
  more: number;
  box: { left: number; right: number; top: number; bottom: number }; // card it stands beside
  at: { x: number; y: number }; // never under this
  source: string; // card
  frozen: boolean;
}

export const tooltip = signal<Tooltip | null>(null);

/** A run a person picked by clicking its line; stays marked until Escape. */
export const pickedRun = signal<string | null>(null);
/** The card whose numbers the pin table shows. */
export const activeCard = signal<{ id: string; keys: string[] } | null>(null);
/** Whether rows, lines and pictures of a run stand out, on every page. */
export const isMarked = (run: string) =>
  hoveredRun.value === run || pickedRun.value === run || hoveredRun.value === drawnAs(run);

/** What charts draw on top: who is hovered, else who was picked. */
export const highlighted = computed(() => {
  const who = hoveredRun.value ?? pickedRun.value;
  return who === null ? null : drawnAs(who);
});

/** Takes the tooltip away: what it spoke of is gone, or elsewhere. */
export function dropTooltip(): void {
  if (tooltip.peek()) tooltip.value = null;
}
