// A metric of one value a run: sorted bars instead of a line without a second point.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { numberOf } from "../lib/cells";
import { betterOf } from "../lib/goals";
import { meanAndDeviation } from "../lib/statistics";
import type { CardSpec } from "../state/ask";
import { groupColor, runStyle, styleAmong } from "../state/colors";
import { columnValues } from "../state/columns";
import { hoveredRun, isMarked } from "../state/cursor";
import { groupName, intoGroups } from "../state/groups";
import { keys, runById, visible } from "../state/runs";
import { change } from "../state/view";
import { formatCell, formatInteger, formatSpread } from "../viz/format";
import { CardHead } from "./card_head";
import { Swatch } from "./controls";
import { titleOf } from "./panel_form";

interface Bar {
  who: string; // run, or groupName
  label: string;
  color: string;
  value: number;
  text: string;
  count: number;
}

function barsOf(key: string, only: string[] | undefined): Bar[] {
  const values = columnValues("metric:" + key);
  if (!values) return [];
  const valueOf = (run: string) => numberOf(values.get(run) ?? null);
  const all = only ? only.flatMap((id) => runById.value.get(id) ?? []) : visible.value;
  const runs = all.filter((r) => Number.isFinite(valueOf(r.id)));
  const groups = intoGroups(runs);
  const style = only ? styleAmong(only) : runStyle.value;
  const bars: Bar[] = groups
    ? groups.map(({ group, runs: members }) => {
        const { mean, std, n } = meanAndDeviation(members.map((r) => valueOf(r.id)));
        return {
          who: groupName(group.label),
          label: group.label,
          color: groupColor.value(group.place),
          value: mean,
          text: formatSpread(mean, n > 1 ? std : null),
          count: n,
        };
      })
    : runs.map((r) => ({
        who: r.id,
        label: r.name,
        color: isMarked(r.id) ? style(r.id).color : style(r.id).drawn,
        value: valueOf(r.id),
        text: formatCell(valueOf(r.id)),
        count: 1,
      }));
  const better = betterOf("metric:" + key, keys.value) || 1;
  return bars.sort((a, b) => (b.value - a.value) * better);
}

const rowHeight = 20;

export function BarCard({
  spec,
  style,
  full,
  runs,
}: {
  spec: CardSpec;
  style?: Record<string, string | number>;
  full?: boolean;
  runs?: string[];
}) {
  const body = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(9);
  useLayoutEffect(() => {
    const element = body.current!;
    const measure = () => setRoom(Math.max(1, Math.floor(element.clientHeight / rowHeight)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // Of train, val and test the last is what counts in the end.
  const key = spec.keys[spec.keys.length - 1];
  const bars = barsOf(key, runs);
  const shown = bars.length > room ? bars.slice(0, room - 1) : bars;
  const [least, most] = [
    Math.min(0, ...bars.map((b) => b.value)),
    Math.max(0, ...bars.map((b) => b.value)),
  ];
  const share = (v: number) => (most > least ? (v - least) / (most - least) : 0) * 100;
  return (
    <section
      class={full ? "full-card" : "chart-card"}
      style={style}
      aria-label={titleOf(spec)}
      data-card={spec.id}
      data-bars={bars.length}
    >
      <CardHead
        spec={spec}
        data={null}
        full={!!full}
        draggable={false}
        asTable={false}
        chart={() => null}
      />
      {spec.keys.length > 1 ? <div class="legend">{key}, last values</div> : null}
      <div
        class="card-body bars"
        ref={body}
        role="group"
        aria-label={`${spec.title}, best first`}
        style={{ "--value": Math.max(0, ...bars.map((b) => b.text.length)) + "ch" }}
      >
        {shown.map((bar) => (
          <button
            type="button"
            key={bar.who}
            class={`bar-row${isMarked(bar.who) || hoveredRun.value === bar.who ? " hovered" : ""}`}
            title={`${bar.label}: ${bar.value}${bar.count > 1 ? `, mean of ${bar.count} runs` : ""}`}
            onPointerEnter={() => (hoveredRun.value = bar.who)}
            onPointerLeave={() => (hoveredRun.value = null)}
            onClick={() =>
              bar.who.startsWith("group ")
                ? undefined
                : change({ page: "run", run: bar.who, tab: "overview" })
            }
          >
            <Swatch color={bar.color} />
            <span class="bar-label ellipsis">{bar.label}</span>
            <span class="bar-track">
              <span
                class="bar-fill"
                style={{
                  left: share(Math.min(0, bar.value)) + "%",
                  width: share(Math.max(0, bar.value)) - share(Math.min(0, bar.value)) + "%",
                  background: bar.color,
                }}
              />
            </span>
            <span class="bar-value number">{bar.text}</span>
          </button>
        ))}
        {bars.length > shown.length ? (
          <div class="bar-more muted small">
            and {formatInteger(bars.length - shown.length)} more
          </div>
        ) : null}
      </div>
    </section>
  );
}
