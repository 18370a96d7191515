// What a person did, in order, and what was taken back. Steps of the view and edits of runs stand
// in one line; only the former have an entry in the browser's own history, so that Back and Forward
// pass over edits and leave them as they are.

export interface ViewStep<V> {
  kind: "view";
  id: number; // also in the state of its history entry
  before: V;
  after: V;
}
export interface EditStep {
  kind: "edit";
  label: string;
  undo: () => Promise<void>;
  redo: () => Promise<void>;
}
export type Step<V> = ViewStep<V> | EditStep;

export class Steps<V> {
  private done: Step<V>[] = [];
  private ahead: Step<V>[] = []; // the next one to redo first
  // Entries of the browser's history outlive a reload of the page; numbers from the clock never
  // mean two different steps.
  private readonly start = Date.now();
  private newest = this.start;

  get counts() {
    return { undo: this.done.length, redo: this.ahead.length };
  }
  get last(): Step<V> | undefined {
    return this.done[this.done.length - 1];
  }
  get next(): Step<V> | undefined {
    return this.ahead[0];
  }
  /** The step that led to the view shown; none at the first one. */
  get shown(): ViewStep<V> | undefined {
    return this.done.findLast((s) => s.kind === "view");
  }
  /** The number of the history entry whose view is shown. */
  get entry(): number {
    return this.shown?.id ?? this.start;
  }

  changed(before: V, after: V): void {
    this.done.push({ kind: "view", id: ++this.newest, before, after });
    this.ahead = [];
  }
  edited(step: EditStep): void {
    this.done.push(step);
    this.ahead = [];
  }

  isDone(step: EditStep): boolean {
    return this.done.includes(step);
  }
  tookBack(step: EditStep): void {
    this.done = this.done.filter((s) => s !== step);
    this.ahead.unshift(step);
  }
  didAgain(step: EditStep): void {
    this.ahead = this.ahead.filter((s) => s !== step);
    this.done.push(step);
  }

  /**
   * Follows the browser to one of its history entries: the view to show, or null for an entry that
   * is not of this page's life.
   */
  travelled(entry: number): V | null {
    const all = [...this.done, ...this.ahead];
    const first = all.find((s) => s.kind === "view");
    const target = all.find((s): s is ViewStep<V> => s.kind === "view" && s.id === entry);
    if (!first || (!target && entry !== this.start)) return null;
    const reached = (s: Step<V>) => s.kind === "view" && s.id <= entry;
    const passed = (s: Step<V>) => s.kind === "view" && s.id > entry;
    const back = this.done.filter(passed);
    const forth = this.ahead.filter(reached);
    this.done = [...this.done.filter((s) => !passed(s)), ...forth];
    this.ahead = [...back, ...this.ahead.filter((s) => !reached(s))];
    return target ? target.after : first.before;
  }
}

let turn: Promise<unknown> = Promise.resolve();

/** One at a time, in the order asked for: an undo waits for the edit it is to take back. */
export function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const mine = turn.then(task);
  turn = mine.catch(() => undefined);
  return mine;
}
