// Pictures of the runs that are compared, beside each other at one step.
import { post } from "../api/client";
import type { Index } from "../api/types";
import { shownOf } from "../state/metrics";
import { MediaCard } from "./media_card";
import { useLoad } from "./use_load";

const cardLimit = 4;
const height = 260;

/** Cards of the pictures that most of these runs have. */
export function ComparedMedia({ runs }: { runs: string[] }) {
  const { value } = useLoad(
    "compared media " + runs.join(),
    () =>
      runs.length
        ? post<Index>("entries:index", { runs, kinds: ["image"] })
        : Promise.resolve({ revision: 0, series: [] }),
    (changed) => changed.some((id) => runs.includes(id)),
  );
  const holders = new Map<string, number>();
  for (const { key } of shownOf(value)) holders.set(key, (holders.get(key) ?? 0) + 1);
  const names = [...holders].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return (
    <>
      {names.slice(0, cardLimit).map(([name]) => (
        <div class="overview-chart" key={name}>
          <MediaCard name={name} runs={runs} place={{ left: 0, top: 0, width: "100%", height }} />
        </div>
      ))}
    </>
  );
}
