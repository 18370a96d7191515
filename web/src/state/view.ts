// The view on show, its history and its address: one change is one step of undo.
import { signal } from "@preact/signals";
import { get, post } from "../api/client";
import type { State, StateTicket } from "../api/types";
import { inTurn, Steps, type EditStep } from "./steps";
import { decodeView, encodeView, sameView, type View } from "./view_address";

export { decodeView, encodeView, type PanelSettings, type View, type Zoom } from "./view_address";

export const view = signal<View>(decodeView(location.hash));

const steps = new Steps<View>();
export const history_ = signal({ undo: 0, redo: 0 });
const note = () => (history_.value = steps.counts);

const longest = 6000;

function write(v: View, push: boolean): void {
  const fragment = encodeView(v);
  const state = { step: steps.entry };
  if (push) history.pushState(state, "", fragment);
  else history.replaceState(state, "", fragment);
  if (fragment.length <= longest) return;
  void post<StateTicket>("states", { state: fragment }).then(
    ({ hash }) => {
      if (view.value === v) history.replaceState(state, "", `#/${v.page}?s=${hash}`);
    },
    () => undefined,
  );
}

/**
 * Changes the view. One call is one step of undo; `replace` joins it to the last step (drags,
 * typing).
 */
export function change(patch: Partial<View>, replace = false): void {
  const before = view.value;
  const after = { ...before, ...patch };
  if (sameView(before, after)) return;
  const last = steps.last;
  if (replace && last?.kind === "view" && !steps.next && last.after === before) last.after = after;
  else {
    steps.changed(before, after);
    replace = false;
  }
  view.value = after;
  write(after, !replace);
  note();
}

/** Moves elsewhere without a step of undo (following a link that a person did not choose). */
export function settle(patch: Partial<View>): void {
  view.value = { ...view.value, ...patch };
  const { shown } = steps;
  if (shown) shown.after = view.value;
  write(view.value, false);
}

/**
 * An edit that was made becomes a step. The function takes back this very edit, whatever was done
 * since.
 */
export function recordEdit(step: Omit<EditStep, "kind">): () => Promise<string | null> {
  const edit: EditStep = { kind: "edit", ...step };
  steps.edited(edit);
  note();
  return () => inTurn(async () => (steps.isDone(edit) ? takeBack(edit) : null));
}

// An edit that could not be taken back is still there, and still a step.
async function takeBack(edit: EditStep): Promise<string> {
  await edit.undo();
  steps.tookBack(edit);
  note();
  return edit.label;
}

/** Goes where the browser's own button would; over when the page shows it. */
function travel(by: 1 | -1): Promise<string> {
  return new Promise((arrived) => {
    window.addEventListener("popstate", () => arrived(""), { once: true });
    history.go(by);
    setTimeout(() => arrived(""), 1000);
  });
}

/** The label of the edit taken back, "" for a step of the view, null when there is nothing left. */
export const undo = (): Promise<string | null> =>
  inTurn(async () => {
    const step = steps.last;
    if (!step) return null;
    return step.kind === "view" ? travel(-1) : takeBack(step);
  });

export const redo = (): Promise<string | null> =>
  inTurn(async () => {
    const step = steps.next;
    if (!step) return null;
    if (step.kind === "view") return travel(1);
    await step.redo();
    steps.didAgain(step);
    note();
    return step.label;
  });

/** Shows the view that the address names. */
async function adopt(): Promise<void> {
  const stored = /[?&]s=([0-9a-f]+)/.exec(location.hash);
  let fragment = location.hash;
  if (stored) {
    try {
      fragment = (await get<State>("state", { hash: stored[1] })).state;
    } catch {
      // A forgotten state: the page itself still opens.
    }
  }
  view.value = decodeView(fragment);
  note();
}

window.addEventListener("popstate", (event) => {
  const state = event.state as { step: number } | null;
  // The very object that the step holds, so that the `===` above keeps working.
  const shown = state && steps.travelled(state.step);
  if (shown) {
    view.value = shown;
    note();
    return;
  }
  const before = view.value;
  void adopt().then(() => {
    if (state) return; // an entry of before the page was loaded again
    steps.changed(before, view.value); // an address that somebody typed, or a link
    history.replaceState({ step: steps.entry }, "", location.hash);
    note();
  });
});
history.replaceState({ step: steps.entry }, "", location.hash || "#/projects");
if (/[?&]s=[0-9a-f]+/.test(location.hash)) void adopt();
