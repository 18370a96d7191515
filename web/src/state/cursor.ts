// One cursor for the whole page: hovering anything marks the same position and the same run
// everywhere.
import { computed, signal } from "@preact/signals";
import { pinAxis } from "./axis";
import { view } from "./view";

export interface Cursor {
  axis: string; // axisId of the x axis the position is on
  x: number;
  step: number | null; // known when the axis is steps
  source: string; // card or panel that is under the pointer
}

export const cursor = signal<Cursor | null>(null);
export const hoveredRun = signal<string | null>(null);
/**
 * The step everything by steps marks: under the cursor, otherwise the one pinned last on any page.
 */
export const markedStep = computed<number | null>(() => {
  if (cursor.value) return cursor.value.step;
  const pin = pinAxis().axis === "step" ? view.value.pins.at(-1) : undefined;
  return pin === undefined ? null : Math.round(pin);
});

export interface TooltipRow {
  run: string;
  rank: number | null;
  label: string;
  key: string;
  color: string;
  dash: readonly [number, number] | null;
  value: number;
  smooth: number | null;
  x: number;
  exact: boolean;
  extra: string;
}

export interface Tooltip {
  title: string;
  rows: TooltipRow[];
  more: number;
  x: number; // client pixels
  y: number;
  frozen: boolean;
}

export const tooltip = signal<Tooltip | null>(null);

/** A run a person picked by clicking its line; stays marked until Escape. */
export const pickedRun = signal<string | null>(null);
/** The card whose numbers the pin table shows. */
export const activeCard = signal<{ id: string; keys: string[] } | null>(null);
/** Whether rows, lines and pictures of a run stand out, on every page. */
export const isMarked = (run: string) => hoveredRun.value === run || pickedRun.value === run;
