// What the tones of a density chart stand for: how many lines cross a pixel, from one to the most.
import { densityShare } from "./density";
import { formatInteger } from "./format";
import { mix, themes, type Theme } from "./palette";

/** Shows the key on a chart, or takes it away where `densest` is 0. */
export function showDensityKey(chart: HTMLElement, densest: number, theme: Theme): void {
  let key = chart.querySelector<HTMLElement>(":scope > .density-key");
  if (!densest) return key?.remove();
  if (!key) {
    key = document.createElement("div");
    key.className = "density-key";
    key.setAttribute("role", "note");
    chart.append(key);
  }
  const { ground, accent } = themes[theme];
  const stops = [0, 0.25, 0.5, 0.75, 1].map((t) =>
    mix(ground, accent, densityShare(Math.max(1, densest ** t), densest)),
  );
  const ramp = document.createElement("span");
  ramp.className = "ramp";
  ramp.style.background = `linear-gradient(to right, ${stops.join()})`;
  key.replaceChildren("1", ramp, `${formatInteger(densest)} lines`);
  key.dataset.densest = String(densest);
  key.setAttribute("aria-label", `Tones: from 1 to ${densest} lines through a pixel`);
}
