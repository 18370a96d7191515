// What a person sets for one card: title, kind of chart, axes, legend, smoothing, runs.
import type { CardSpec } from "../state/ask";
import { usedAsAxis } from "../state/metrics";
import { keys } from "../state/runs";
import { change, view, type PanelSettings } from "../state/view";
import { Select } from "./controls";

/** What a card is called: as a person wrote, else by its metrics. */
export const titleOf = (spec: CardSpec): string => view.value.panels[spec.id]?.title ?? spec.title;

export const axisWords = (id: string): string =>
  id === "relative" ? "relative time" : id === "wall" ? "wall time" : id.replace(/^metric:/, "");

/** Every x axis that can be chosen, by the text that names it. */
export function axisChoices(): { value: string; label: string }[] {
  // A metric hidden because it only is an axis is one here.
  const scalars = keys.value.filter(
    (k) => k.kind === "scalar" && (!k.hidden || usedAsAxis.value.has(k.key)),
  );
  return [
    ...["step", "relative", "wall", "epoch", "samples"],
    ...scalars.slice(0, 300).map((k) => "metric:" + k.key),
  ].map((value) => ({ value, label: axisWords(value) }));
}

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

export function PanelForm({ spec }: { spec: CardSpec }) {
  const panel = view.value.panels[spec.id] ?? {};
  const number = (text: string) =>
    text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
  const axes = axisChoices();
  return (
    <div class="form-grid">
      <label for="panel-title">title</label>
      <input
        id="panel-title"
        class="input"
        placeholder={spec.title}
        defaultValue={panel.title ?? ""}
        onChange={(e) => patchPanel(spec.id, { title: e.currentTarget.value.trim() || undefined })}
      />
      {spec.keys.length ? (
        <>
          <label for="panel-kind">chart</label>
          <Select
            id="panel-kind"
            label="chart"
            value={panel.kind ?? (spec.bars ? "bars" : "lines")}
            onChange={(kind) =>
              patchPanel(spec.id, {
                kind: (kind === "bars") === !!spec.bars ? undefined : (kind as "lines" | "bars"),
              })
            }
            options={[
              { value: "lines", label: "lines" },
              { value: "bars", label: "last values as sorted bars" },
            ]}
          />
        </>
      ) : null}
      <label for="panel-x">x axis</label>
      <Select
        id="panel-x"
        label="x axis of this card"
        value={panel.x ?? ""}
        onChange={(x) => {
          patchPanel(spec.id, { x: x || undefined });
        }}
        options={[{ value: "", label: "as the page" }, ...axes]}
      />
      <label for="panel-legend">runs</label>
      <Select
        id="panel-legend"
        label="legend of runs"
        value={panel.legend === "show" ? "show" : ""}
        onChange={(l) => patchPanel(spec.id, { legend: l === "show" ? "show" : undefined })}
        options={[
          { value: "", label: "no legend" },
          { value: "show", label: "legend" },
        ]}
      />
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
