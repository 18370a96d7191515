// Which charts are hard to read for noise: smoothing is proposed then, never applied by itself.
import { computed, signal } from "@preact/signals";

const judged = signal<ReadonlyMap<string, boolean>>(new Map());

export function noteNoise(card: string, noisy: boolean): void {
  if (judged.peek().get(card) !== noisy) judged.value = new Map(judged.peek()).set(card, noisy);
}

/** Most of what people look at first, or half of everything that was drawn. */
export const isPageNoisy = computed(() => {
  const all = [...judged.value];
  const first = all.filter(([card]) => card.startsWith("auto:") || card.startsWith("pin:"));
  const of = first.length ? first : all;
  return of.length > 0 && 2 * of.filter(([, noisy]) => noisy).length > of.length;
});
