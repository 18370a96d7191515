// Title, chips and menu of a chart card: the same control in the same place on every panel.
import { isOverSteps } from "../state/axis";
import { stepMetricOf } from "../state/metrics";
import { visibleIds } from "../state/runs";
import { change, view } from "../state/view";
import type { CardSpec } from "../state/ask";
import { setZoom, zoomOf } from "../state/zoom";
import type { ChartData } from "../viz/chart_data";
import { exportChart } from "./export";
import { formatInteger, formatNumber } from "../viz/format";
import { densityFrom, type LineChart } from "../viz/line_chart";
import { IconButton } from "./controls";
import { Icon } from "./icon";
import { axisWords, PanelForm, titleOf } from "./panel_form";
import { MenuItem, PopoverButton } from "./popover";
import { copyText } from "./states";

const words: Record<string, string> = { epoch: "an epoch", samples: "a number of samples" };

/** The small print of a chart: how its points became a picture, and who is not in it. */
function notesOf(spec: CardSpec, data: ChartData): string[] {
  const runs = visibleIds.value.length;
  const { missing, outside, groups } = data.header;
  const notes: string[] = [];
  if (data.points > data.bins * 1.01 && data.bins > 0)
    notes.push(
      groups
        ? `${formatInteger(data.points)} points as the means of ${formatInteger(groups.length)} groups`
        : `binned ${formatNumber(data.points, 3, true)} → ${formatInteger(data.bins)}: every pixel column shows the true minimum, maximum and mean of its points`,
    );
  if (missing > 0 && missing < runs * Math.max(1, spec.keys.length) && spec.keys.length <= 1)
    notes.push(`${formatInteger(missing)} of ${formatInteger(runs)} runs lack it`);
  if (outside > 0)
    notes.push(
      data.xScale === "log"
        ? `${formatInteger(outside)} points at x ≤ 0, which a log axis cannot show`
        : `${formatInteger(outside)} points without ${words[data.header.x.axis] ?? "a place on this axis"}`,
    );
  return notes;
}

function Chips({ spec, data }: { spec: CardSpec; data: ChartData }) {
  const v = view.value;
  const zoom = zoomOf(spec, v);
  const behind = zoom.x && data.series.some((s) => s.lastX !== null && s.lastX > zoom.x![1]);
  const panel = v.panels[spec.id];
  const own = v.xAxis === "auto" && !panel?.x ? stepMetricOf(spec.keys) : "";
  const notes = notesOf(spec, data);
  return (
    <>
      {zoom.x || zoom.y ? (
        <button
          type="button"
          class="chip accent whole"
          title="Back to all data, following what is new (double click)"
          onClick={() => setZoom(spec, null, null)}
        >
          {behind ? "live paused" : "zoomed"}
          <Icon name="close" />
        </button>
      ) : null}
      {own ? (
        <span
          class="chip"
          title="The x axis that define_metric named; the choice above the charts goes before it"
        >
          over {own}
        </span>
      ) : isOverSteps(spec, v) ? (
        <span
          class="chip"
          title={`It was logged without ${words[panel?.x ?? v.xAxis] ?? panel?.x ?? v.xAxis}`}
        >
          over step
        </span>
      ) : panel?.x ? (
        <span class="chip" title="This card has an x axis of its own">
          over {axisWords(panel.x)}
        </span>
      ) : null}
      {notes.length ? (
        <span
          class="card-info"
          role="note"
          tabIndex={0}
          aria-label={notes.join(". ")}
          title={notes.join("\n")}
          data-notes={notes.join("\n")}
        >
          <Icon name="info" />
        </span>
      ) : null}
      {data.series.length > densityFrom ? (
        <span
          class="chip yields"
          title="More lines than colours could tell apart; a hovered run has its own"
        >
          density of {formatInteger(data.series.length)} lines
        </span>
      ) : null}
    </>
  );
}

export function CardHead({
  spec,
  data,
  full,
  draggable,
  asTable,
  setAsTable,
  chart,
}: {
  spec: CardSpec;
  data: ChartData | null;
  full: boolean;
  draggable: boolean;
  asTable: boolean;
  setAsTable?: (on: boolean) => void; // where there is a table to see
  chart: () => LineChart | null;
}) {
  const v = view.value;
  const pin = spec.keys.join("\n"); // a card of several metrics is pinned as one
  const pinned = (v.pinnedMetrics ?? []).includes(pin);
  const exportAs = (kind: "png" | "svg" | "csv") => void exportChart(kind, spec, data, chart());
  return (
    <div class="card-head">
      <span
        class="title ellipsis"
        title={spec.expression ?? spec.keys.join(", ")}
        draggable={draggable}
        onDragStart={(e) => e.dataTransfer?.setData("text/taffrail-card", spec.id)}
      >
        {titleOf(spec)}
      </span>
      {data ? <Chips spec={spec} data={data} /> : null}
      <div class="actions">
        {spec.expression ? null : (
          <IconButton
            tiny
            icon="pin"
            label={pinned ? "Unpin" : "Pin to the top"}
            pressed={pinned}
            onClick={() =>
              change({
                pinnedMetrics: pinned
                  ? v.pinnedMetrics!.filter((k) => k !== pin)
                  : [...(v.pinnedMetrics ?? []), pin],
              })
            }
          />
        )}
        <PopoverButton
          class="icon-button tiny"
          label={`Settings of ${titleOf(spec)}`}
          trigger={<Icon name="sliders" />}
        >
          {() => <PanelForm spec={spec} />}
        </PopoverButton>
        <PopoverButton
          menu
          class="icon-button tiny"
          label={`More about ${titleOf(spec)}`}
          trigger={<Icon name="more" />}
        >
          {(close) => (
            <div onClick={close}>
              {setAsTable ? (
                <>
                  <MenuItem icon="table" onClick={() => setAsTable(!asTable)}>
                    {asTable ? "View as chart" : "View as table"}
                  </MenuItem>
                  <MenuItem icon="undo" onClick={() => setZoom(spec, null, null)} hint="0">
                    Reset zoom
                  </MenuItem>
                  <div class="menu-line" />
                  <MenuItem icon="download" onClick={() => exportAs("png")}>
                    PNG picture
                  </MenuItem>
                  <MenuItem icon="download" onClick={() => exportAs("svg")}>
                    SVG picture
                  </MenuItem>
                </>
              ) : null}
              <MenuItem icon="download" onClick={() => exportAs("csv")} hint="raw points">
                CSV
              </MenuItem>
              <MenuItem icon="link" onClick={() => copyText(location.href)}>
                Copy link
              </MenuItem>
              {v.extra.some((p) => p.id === spec.id) ? (
                <MenuItem
                  icon="trash"
                  danger
                  onClick={() => change({ extra: v.extra.filter((p) => p.id !== spec.id) })}
                >
                  Remove panel
                </MenuItem>
              ) : null}
            </div>
          )}
        </PopoverButton>
        <IconButton
          tiny
          icon={full ? "shrink" : "expand"}
          label={full ? "Back to all charts" : "Show large"}
          onClick={() => change({ full: full ? "" : spec.id })}
        />
      </div>
    </div>
  );
}
