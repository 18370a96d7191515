// Title, chips and menu of a chart card: the same control in the same place on every panel.
import { isOverSteps } from "../state/axis";
import { stepMetricOf } from "../state/metrics";
import { visibleIds } from "../state/runs";
import { change, view, type PanelSettings } from "../state/view";
import type { CardSpec } from "../state/ask";
import { setZoom, zoomOf } from "../state/zoom";
import type { ChartData } from "../viz/chart_data";
import { exportChart } from "./export";
import { formatInteger, formatNumber } from "../viz/format";
import { densityFrom, type LineChart } from "../viz/line_chart";
import { IconButton, Select } from "./controls";
import { Icon } from "./icon";
import { MenuItem, PopoverButton } from "./popover";
import { copyText } from "./states";

function patchPanel(id: string, patch: PanelSettings): void {
  const { panels } = view.value;
  const next = { ...panels[id], ...patch };
  for (const key of Object.keys(next) as (keyof PanelSettings)[])
    if (next[key] === undefined || next[key] === "") delete next[key];
  const all = { ...panels };
  if (Object.keys(next).length) all[id] = next;
  else delete all[id];
  change({ panels: all });
}

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
  const own = v.xAxis === "auto" ? stepMetricOf(spec.keys) : "";
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
      ) : isOverSteps(spec.keys, v) ? (
        <span class="chip" title={`It was logged without ${words[v.xAxis] ?? v.xAxis}`}>
          over step
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
        <span class="chip">density of {formatInteger(data.series.length)} lines</span>
      ) : null}
    </>
  );
}

function PanelForm({ spec }: { spec: CardSpec }) {
  const panel = view.value.panels[spec.id] ?? {};
  const number = (text: string) =>
    text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
  return (
    <div class="form-grid">
      <label for="panel-y">y axis</label>
      <Select
        id="panel-y"
        label="y axis"
        value={panel.y_scale ?? ""}
        onChange={(y) =>
          patchPanel(spec.id, { y_scale: (y || undefined) as PanelSettings["y_scale"] })
        }
        options={
          [
            { value: "", label: "as the page" },
            { value: "linear", label: "linear" },
            { value: "log", label: "log" },
            { value: "symlog", label: "symlog" },
          ] as { value: string; label: string }[]
        }
      />
      <span class="label">y range</span>
      <div class="row">
        <input
          class="input"
          style={{ width: 80 }}
          aria-label="y from"
          placeholder="auto"
          value={panel.y_from ?? ""}
          onChange={(e) => patchPanel(spec.id, { y_from: number(e.currentTarget.value) })}
        />
        <input
          class="input"
          style={{ width: 80 }}
          aria-label="y to"
          placeholder="auto"
          value={panel.y_to ?? ""}
          onChange={(e) => patchPanel(spec.id, { y_to: number(e.currentTarget.value) })}
        />
      </div>
      <label for="panel-out">outliers</label>
      <Select
        id="panel-out"
        label="outliers"
        value={panel.outliers ?? ""}
        onChange={(o) =>
          patchPanel(spec.id, { outliers: (o || undefined) as PanelSettings["outliers"] })
        }
        options={
          [
            { value: "", label: "as the page" },
            { value: "show", label: "show" },
            { value: "ignore", label: "ignore" },
          ] as { value: string; label: string }[]
        }
      />
      <label for="panel-smooth">smoothing</label>
      <Select
        id="panel-smooth"
        label="smoothing"
        value={panel.smoothing ? panel.smoothing.method : ""}
        onChange={(m) =>
          patchPanel(spec.id, {
            smoothing: m
              ? { method: m, amount: m === "ema" || m === "time_ema" ? 0.6 : 21 }
              : undefined,
          })
        }
        options={["", "none", "ema", "time_ema", "gaussian", "mean", "median"].map((value) => ({
          value,
          label: value || "as the page",
        }))}
      />
      <label for="panel-band">min–max band</label>
      <Select
        id="panel-band"
        label="band"
        value={panel.band === false ? "off" : ""}
        onChange={(b) => patchPanel(spec.id, { band: b === "off" ? false : undefined })}
        options={[
          { value: "", label: "on" },
          { value: "off", label: "off" },
        ]}
      />
      <label for="panel-filter">only runs</label>
      <input
        id="panel-filter"
        class="input"
        placeholder="tag:ablation and lr<1e-3"
        defaultValue={panel.filter ?? ""}
        onChange={(e) => patchPanel(spec.id, { filter: e.currentTarget.value || undefined })}
      />
    </div>
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
        {spec.title}
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
          label={`Settings of ${spec.title}`}
          trigger={<Icon name="sliders" />}
        >
          {() => <PanelForm spec={spec} />}
        </PopoverButton>
        <PopoverButton
          menu
          class="icon-button tiny"
          label={`More about ${spec.title}`}
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
