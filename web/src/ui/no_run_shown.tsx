// Why a page of runs has nothing to show, and the one click that fills it.
import { filterError, passing, runs, runsState, setSelected, visible } from "../state/runs";
import { change, view } from "../state/view";
import { formatInteger } from "../viz/format";
import { Empty } from "./states";

/** There are runs, and the filter or the ticks in the list hide every one. */
export const noRunShown = (): boolean =>
  runsState.value === "ready" && runs.value.length > 0 && visible.value.length === 0;

const runsWords = (n: number) => (n === 1 ? "one run" : `${formatInteger(n)} runs`);

export function NoRunShown() {
  if (passing.value.length === 0)
    return (
      <Empty icon="filter" title="No run matches the filter">
        <p>
          {filterError.value ? (
            filterError.value.message
          ) : (
            <>
              <code>{view.value.filter}</code> is true of none of {runsWords(runs.value.length)}.
            </>
          )}
        </p>
        <button type="button" class="button" onClick={() => change({ filter: "" })}>
          Clear the filter
        </button>
      </Empty>
    );
  return (
    <Empty icon="eye" title="No run is shown">
      <p>Of {runsWords(passing.value.length)} in the list none is ticked.</p>
      <button
        type="button"
        class="button"
        onClick={() =>
          setSelected(
            passing.value.map((r) => r.id),
            true,
          )
        }
      >
        Show all
      </button>
    </Empty>
  );
}
