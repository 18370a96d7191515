// A value in a table that can be pointed at: the filter then wants it, too.
import type { ComponentChildren } from "preact";
import type { Cell } from "../api/types";
import { comparison, narrowed } from "../lib/complete";
import { change, view } from "../state/view";

/** Runs with this value, of those that are shown already. */
export function Only(props: {
  column: string;
  value: Cell;
  class?: string;
  children: ComponentChildren;
}) {
  const { column, value, children } = props;
  const term = comparison(column, value);
  const style = props.class ?? "ellipsis";
  if (!term)
    return (
      <span class={style} title={String(value)}>
        {children}
      </span>
    );
  // Not reached by Tab: a row has dozens, and the filter completes the same words.
  return (
    <button
      type="button"
      class={`only ${style}`}
      tabIndex={-1}
      title={`Only runs with ${term}`}
      onClick={() => change({ filter: narrowed(view.value.filter, term) })}
    >
      {children}
    </button>
  );
}
