// Search, axes, smoothing and views above the charts.
import { useEffect, useState } from "preact/hooks";
import { get, post } from "../api/client";
import type { Views } from "../api/types";
import { axisId } from "../state/axis";
import { isHidden, usedAsAxis } from "../state/metrics";
import { isPageNoisy } from "../state/noise";
import { keys, visible } from "../state/runs";
import { toast } from "../state/toast";
import { change, decodeView, encodeView, view, type View } from "../state/view";
import { askText } from "./ask";
import { exportSeries } from "./export";
import { nearest, wrongWith } from "./expressions";
import { formatInteger, formatNumber } from "../viz/format";
import { Check, IconButton, Segmented, Select } from "./controls";
import { Icon } from "./icon";
import { axisChoices } from "./panel_form";
import { PopoverButton } from "./popover";
import { PageSearch, PageToolbar } from "./page_toolbar";
import { copyText } from "./states";

export function AxisSelect() {
  const v = view.value;
  const defined = usedAsAxis.value.size > 0;
  const value =
    v.xAxis === "auto" && !defined ? "step" : axisId({ axis: v.xAxis, metric: v.xMetric });
  const choose = (id: string): Pick<View, "xAxis" | "xMetric"> => {
    if (id.startsWith("metric:")) return { xAxis: "metric", xMetric: id.slice(7) };
    return { xAxis: id === "step" && !defined ? "auto" : (id as View["xAxis"]), xMetric: "" };
  };
  return (
    <label class="field x-choice">
      x
      <Select
        label="x axis"
        value={value}
        onChange={(id) => change({ ...choose(id), zoom: {}, pins: [], range: null, pinAxis: "" })}
        options={[...(defined ? [{ value: "auto", label: "as defined" }] : []), ...axisChoices()]}
      />
    </label>
  );
}

export function SmoothingControl() {
  const v = view.value;
  const ema = v.smoothing === "ema" || v.smoothing === "time_ema" || v.smoothing === "none";
  // Slider in halvings of the forgetting: as fine near 0.999 as near 0.
  const toSlider = (amount: number) =>
    ema ? Math.log2(1 / (1 - Math.min(0.999, amount))) : amount;
  const fromSlider = (s: number) => (ema ? Math.round((1 - 2 ** -s) * 1000) / 1000 : Math.round(s));
  const amount = v.smoothing === "none" ? 0 : v.smoothingAmount;
  const slide = (value: string) => {
    const next = fromSlider(Number(value));
    change(
      next <= 0
        ? { smoothing: "none" }
        : { smoothingAmount: next, smoothing: v.smoothing === "none" ? "ema" : v.smoothing },
      true,
    );
  };
  const word = v.smoothing === "none" ? "off" : formatNumber(v.smoothingAmount, 3);
  return (
    <span class="smoothing">
      <span class="muted desktop-only">smoothing</span>
      <input
        type="range"
        class="desktop-only"
        aria-label="Amount of smoothing"
        min={ema ? 0 : 3}
        max={ema ? 9.9658 : 501}
        step={ema ? 0.02 : 2}
        value={toSlider(amount)}
        onInput={(e) => slide(e.currentTarget.value)}
      />
      <PopoverButton label={`Smoothing ${word}`} trigger={<>{word}</>}>
        {() => (
          <div class="form-grid" style={{ minWidth: 240 }}>
            <label for="smooth-method">method</label>
            <Select
              id="smooth-method"
              label="Smoothing method"
              value={v.smoothing}
              onChange={(smoothing) =>
                change({
                  smoothing,
                  smoothingAmount: smoothing === "ema" || smoothing === "time_ema" ? 0.6 : 21,
                })
              }
              options={[
                { value: "none", label: "none" },
                { value: "ema", label: "exponential (debiased)" },
                { value: "time_ema", label: "exponential by time" },
                { value: "gaussian", label: "Gaussian" },
                { value: "mean", label: "running mean" },
                { value: "median", label: "running median" },
              ]}
            />
            <label for="smooth-amount">amount</label>
            <div class="row">
              <input
                id="smooth-amount"
                type="range"
                style={{ flex: 1 }}
                min={ema ? 0 : 3}
                max={ema ? 9.9658 : 501}
                step={ema ? 0.02 : 2}
                value={toSlider(amount)}
                onInput={(e) =>
                  change(
                    {
                      smoothingAmount: fromSlider(Number(e.currentTarget.value)),
                      smoothing: v.smoothing === "none" ? "ema" : v.smoothing,
                    },
                    true,
                  )
                }
              />
              <output class="number" style={{ width: 44 }}>
                {formatNumber(amount, 3)}
              </output>
            </div>
          </div>
        )}
      </PopoverButton>
    </span>
  );
}

function AddPanel({ close }: { close: () => void }) {
  const [text, setText] = useState("");
  const [error, setError] = useState("");
  const known = new Set(keys.value.filter((k) => k.kind === "scalar").map((k) => k.key));
  const add = async () => {
    const list = text
      .split(",")
      .map((s) => s.trim())
      .filter(Boolean);
    const id = "own:" + (view.value.extra.length + 1) + ":" + text;
    if (list.length && list.every((k) => known.has(k)))
      change({ extra: [...view.value.extra, { id, keys: list }] });
    else if (text.includes("${")) {
      const wrong = await wrongWith(text.trim());
      if (wrong) return setError(wrong);
      change({ extra: [...view.value.extra, { id, keys: [], expression: text.trim() }] });
    } else {
      const unknown = list.find((k) => !known.has(k));
      const near = unknown && nearest(unknown, [...known]);
      return setError(
        unknown
          ? `There is no metric called ${unknown}${near ? `; did you mean ${near}?` : ""}`
          : "Name at least one metric",
      );
    }
    close();
  };
  return (
    <form
      class="stack"
      style={{ width: 340 }}
      onSubmit={(e) => {
        e.preventDefault();
        void add();
      }}
    >
      <h3>New panel</h3>
      <label class="small muted" for="panel-text">
        Metrics, separated by commas, or an expression over <code>{"${…}"}</code>
      </label>
      <input
        id="panel-text"
        class={`input${error ? " wrong" : ""}`}
        autofocus
        value={text}
        onInput={(e) => {
          setText(e.currentTarget.value);
          setError("");
        }}
        placeholder="${train/loss} - ${val/loss}"
        list="panel-keys"
      />
      <datalist id="panel-keys">
        {[...known]
          .filter((k) => !isHidden(k))
          .slice(0, 300)
          .map((k) => (
            <option key={k} value={k} />
          ))}
      </datalist>
      {error ? (
        <div class="bad small" role="alert">
          {error}
        </div>
      ) : null}
      <div>
        <button class="button primary" type="submit">
          Add panel
        </button>
      </div>
    </form>
  );
}

function SavedViews() {
  const project = view.value.project;
  const [list, setList] = useState<Views["views"] | null>(null);
  const [name, setName] = useState("");
  useEffect(() => {
    get<Views>("views", { project }).then(
      (r) => setList(r.views),
      (e) => toast((e as Error).message, "bad"),
    );
  }, [project]);
  const rename = async (old: Views["views"][0]) => {
    const title = (await askText(`Rename view ${old.name}`, old.name, "Rename"))?.trim();
    if (!title || title === old.name) return;
    try {
      const { views } = await get<Views>("views", { project });
      if (views.some((v) => v.name === title))
        return toast(`There is a view called ${title} already; nothing was renamed`, "bad");
      await post("views:save", { project, name: title, state: old.state });
      await post("views:delete", { project, name: old.name });
      setList((await get<Views>("views", { project })).views);
      toast(`Renamed view ${old.name} to ${title}`, "good");
    } catch (error) {
      toast((error as Error).message, "bad");
    }
  };
  const save = async (title = name.trim()) => {
    if (!title) return;
    try {
      await post("views:save", { project, name: title, state: encodeView(view.value) });
      setList((await get<Views>("views", { project })).views);
      setName("");
      toast(`Saved view ${title}`, "good");
    } catch (error) {
      toast((error as Error).message, "bad");
    }
  };
  return (
    <div class="stack" style={{ width: 280 }}>
      <h3>Saved views</h3>
      {list?.length === 0 ? (
        <p class="muted small">None yet. A view keeps everything you arranged on every page.</p>
      ) : null}
      {list?.map((v) => (
        <div class="row" key={v.name}>
          <button type="button" class="menu-item" onClick={() => change(decodeView(v.state))}>
            {v.name}
          </button>
          <IconButton
            tiny
            icon="redo"
            label={`Overwrite view ${v.name} with what is shown`}
            onClick={() => void save(v.name)}
          />
          <IconButton
            tiny
            icon="edit"
            label={`Rename view ${v.name}`}
            onClick={() => void rename(v)}
          />
          <IconButton
            tiny
            icon="trash"
            label={`Delete view ${v.name}`}
            onClick={async () =>
              setList(
                (await post<Views>("views:delete", { project, name: v.name })).views.filter(
                  (x) => x.project === project,
                ),
              )
            }
          />
        </div>
      ))}
      <form
        class="row"
        onSubmit={(e) => {
          e.preventDefault();
          void save();
        }}
      >
        <input
          class="input"
          style={{ flex: 1 }}
          aria-label="Name of the view"
          placeholder="Name"
          value={name}
          onInput={(e) => setName(e.currentTarget.value)}
        />
        <button class="button" type="submit">
          {list?.some((v) => v.name === name.trim()) ? "Overwrite" : "Save"}
        </button>
      </form>
    </div>
  );
}

export function ChartToolbar() {
  const v = view.value;
  return (
    <PageToolbar label="Charts">
      <PageSearch placeholder="Search metrics, e.g. loss|acc" label="Search metrics" />
      <AxisSelect />
      <SmoothingControl />
      <PopoverButton label="Axes and drawing" trigger={<Icon name="sliders" />} class="icon-button">
        {() => (
          <div class="form-grid">
            <span class="label">x axis</span>
            <Segmented
              label="x scale"
              value={view.value.xScale}
              onChange={(xScale) => change({ xScale })}
              options={[
                { value: "linear", label: "linear" },
                { value: "log", label: "log" },
                { value: "symlog", label: "symlog" },
              ]}
            />
            <span class="label">y axis</span>
            <Segmented
              label="y scale"
              value={view.value.yScale}
              onChange={(yScale) => change({ yScale })}
              options={[
                { value: "linear", label: "linear" },
                { value: "log", label: "log" },
                { value: "symlog", label: "symlog" },
              ]}
            />
            {visible.value.some((r) => r.world_size > 1) ? (
              <>
                <span class="label">ranks</span>
                <Segmented
                  label="Ranks"
                  value={view.value.ranks}
                  onChange={(ranks) => change({ ranks })}
                  options={[
                    { value: "apart", label: "a line each" },
                    { value: "mean", label: "mean ± std" },
                  ]}
                />
              </>
            ) : null}
            <span class="label">cards</span>
            <Segmented
              label="Card size"
              value={view.value.size}
              onChange={(size) => change({ size })}
              options={[
                { value: "s", label: "small" },
                { value: "m", label: "medium" },
                { value: "l", label: "large" },
              ]}
            />
            <span class="label">drawing</span>
            <div class="stack" style={{ gap: 2 }}>
              <Check
                checked={view.value.ignoreOutliers}
                onChange={(ignoreOutliers) => change({ ignoreOutliers })}
              >
                ignore outliers
              </Check>
              <Check
                checked={view.value.olderAttempts}
                onChange={(olderAttempts) => change({ olderAttempts })}
              >
                older attempts, faint
              </Check>
              <Check
                checked={view.value.zoomTogether}
                onChange={(zoomTogether) => change({ zoomTogether, zoom: {} })}
              >
                zoom all charts together
              </Check>
            </div>
          </div>
        )}
      </PopoverButton>
      <PopoverButton label="Add panel" class="icon-button" trigger={<Icon name="plus" />}>
        {(close) => <AddPanel close={close} />}
      </PopoverButton>
      {isPageNoisy.value && v.smoothing === "none" ? (
        <button
          type="button"
          class="chip accent whole desktop-only"
          title="These lines go up and down a lot. Smoothing shows where they lead; the raw values stay behind the line."
          onClick={() => change({ smoothing: "ema", smoothingAmount: 0.9 })}
        >
          noisy: smooth by 0.9?
        </button>
      ) : null}
      <span class="spacer" />
      <PopoverButton label="Saved views" class="icon-button" trigger={<Icon name="star" />}>
        {() => <SavedViews />}
      </PopoverButton>
      <PopoverButton
        label="Export and share"
        class="icon-button"
        menu
        trigger={<Icon name="download" />}
      >
        {(close) => (
          <div onClick={close}>
            <button
              type="button"
              class="menu-item"
              role="menuitem"
              onClick={() => copyText(location.href)}
            >
              <Icon name="link" />
              Copy link to this view
            </button>
            <button
              type="button"
              class="menu-item"
              role="menuitem"
              onClick={() =>
                void exportSeries(
                  visible.value.map((r) => r.id),
                  keys.value.filter((k) => k.kind === "scalar").map((k) => k.key),
                ).catch((e) => toast((e as Error).message, "bad"))
              }
            >
              <Icon name="download" />
              All points of {formatInteger(visible.value.length)} runs as CSV
            </button>
          </div>
        )}
      </PopoverButton>
    </PageToolbar>
  );
}
