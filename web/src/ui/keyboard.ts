// The global key map. Keys typed into fields, and keys a chart takes for itself, never arrive here.
import { dropTooltip, pickedRun, tooltip } from "../state/cursor";
import { pageKeys } from "../state/pages";
import { change, view } from "../state/view";
import { commands, doRedo, doUndo, helpOpen, paletteOpen } from "./commands";
import { zoomBack, zoomForward } from "../state/zoom";

let waitingForPage = 0;

export function startKeyboard(): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing =
      /^(input|textarea|select)$/i.test(target.tagName) &&
      (target as HTMLInputElement).type !== "checkbox" &&
      (target as HTMLInputElement).type !== "range";
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === "k") {
      event.preventDefault();
      paletteOpen.value = !paletteOpen.value;
      return;
    }
    if (typing || paletteOpen.value || helpOpen.value) return;
    if (control) {
      const key = event.key.toLowerCase();
      if (key === "z") {
        event.preventDefault();
        if (event.shiftKey) doRedo();
        else doUndo();
      } else if (key === "y") {
        event.preventDefault();
        doRedo();
      }
      return;
    }
    if (event.altKey) return;
    if (performance.now() < waitingForPage) {
      waitingForPage = 0;
      const page = pageKeys.find((p) => p.key === event.key);
      if (page) {
        event.preventDefault();
        change({ page: page.page, full: "" });
        return;
      }
    }
    const run = (name: string) => {
      event.preventDefault();
      commands()
        .find((c) => c.name === name)
        ?.run();
    };
    if (event.key === "g") waitingForPage = performance.now() + 1500;
    else if (event.key === "/") run("Search metrics");
    else if (event.key === "r") run("Search runs");
    else if (event.key === "?") run("Keyboard map");
    else if (event.key === "[") zoomBack();
    else if (event.key === "]") zoomForward();
    else if (event.key === "Escape") {
      const frozen = tooltip.value?.frozen;
      dropTooltip();
      if (frozen) return;
      if (pickedRun.value) pickedRun.value = null;
      else if (view.value.full) change({ full: "" });
      else if (view.value.page === "run") history.back();
    }
  });
}
