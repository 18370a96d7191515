// Operators, kernels, modules and memory of a trace.
import { useState } from "preact/hooks";
import type {
  Analysis,
  CopyRow,
  DeviceMemory,
  DriverCall,
  FunctionRow,
  Functions,
  KernelRow,
  MemoryOperator,
  ModuleRow,
  OperatorRow,
  ProfileInfo,
} from "../api/types";
import { get } from "../api/client";
import { corners, shownName } from "../lib/profile_rows";
import { asked, changeProfile, sinceBegin, type ProfileRef } from "../state/profile";
import { theme } from "../state/settings";
import { view } from "../state/view";
import { CanvasPlot } from "../ui/canvas_plot";
import { Segmented } from "../ui/controls";
import { ProfileTable, type Column } from "../ui/profile_table";
import { Empty, Failed, Waiting } from "../ui/states";
import { useLoad } from "../ui/use_load";
import { formatBytes, formatInteger, formatNumber } from "../viz/format";
import { formatMs, formatNs, formatShare, formatUs, formatWeight } from "../viz/nanoseconds";
import { slotColor } from "../viz/palette";
import { Plot } from "../viz/plot";

/** Columns of a kind of row. */
function columnsOf<Row>() {
  type Of = (row: Row) => number;
  return {
    ms: (title: string, value: Of, hint?: string): Column<Row> => ({
      title,
      value,
      show: (row) => <span data-ns={value(row)}>{formatMs(value(row))}</span>,
      hint,
    }),
    count: (title: string, value: Of): Column<Row> => ({
      title,
      value,
      show: (row) => formatInteger(value(row)),
    }),
    bytes: (title: string, value: Of): Column<Row> => ({
      title,
      value,
      show: (row) => (
        <span data-bytes={value(row)}>
          {value(row) < 0 ? "−" : ""}
          {formatBytes(Math.abs(value(row)))}
        </span>
      ),
    }),
  };
}
const ofOperators = columnsOf<OperatorRow>();
const ofKernels = columnsOf<KernelRow>();
const ofCopies = columnsOf<CopyRow>();
const ofCalls = columnsOf<DriverCall>();
const ofModules = columnsOf<ModuleRow>();
const ofMemory = columnsOf<MemoryOperator>();
const ofFunctions = columnsOf<FunctionRow>();
const inTimeline = (name: string) => changeProfile({ tab: "timeline", search: name });

/** Functions of a profile that has no operators: a sampler's, a callgrind file's. */
function FunctionTable({ profile }: { profile: ProfileRef }) {
  const { value, error, again } = useLoad(`functions ${profile.run} ${profile.name}`, (signal) =>
    get<Functions>("profile:functions", asked(profile), signal),
  );
  if (error) return <Failed message={error} retry={again} />;
  if (!value) return <Waiting height={240} />;
  const whole = value.whole || 1;
  return (
    <ProfileTable
      rows={value.rows}
      label="functions"
      name={(r) => shownName(r) + (r.file ? ` (${r.file}${r.line ? ":" + r.line : ""})` : "")}
      sortBy={value.has_calls ? 1 : 0}
      onPick={(r) => changeProfile({ tab: "flame", search: r.name, root: 0 })}
      columns={[
        ...(value.has_calls ? [ofFunctions.count("Calls", (r) => r.calls)] : []),
        {
          title: "Self",
          value: (r) => r.self,
          show: (r) => <span data-self={r.self}>{formatWeight(r.self, value.unit)}</span>,
        },
        { title: "Self %", value: (r) => r.self / whole, show: (r) => formatShare(r.self / whole) },
        { title: "Total", value: (r) => r.total, show: (r) => formatWeight(r.total, value.unit) },
      ]}
    />
  );
}

const shapesOf = (row: OperatorRow) => (row.shapes ? ` ${JSON.stringify(row.shapes)}` : "");

export function OperatorsTab({ profile, analysis }: { profile: ProfileRef; analysis: Analysis }) {
  const { byShape } = view.value.profile;
  const { operators } = analysis;
  if (operators.by_name.length === 0)
    return (
      <div class="profile-body fixed">
        <FunctionTable profile={profile} />
      </div>
    );
  const rows = byShape && operators.by_shape.length ? operators.by_shape : operators.by_name;
  return (
    <div class="profile-body fixed">
      <ProfileTable
        key={byShape ? "shape" : "name"}
        rows={rows}
        label="operators"
        name={(r) => r.name + shapesOf(r)}
        sortBy={1}
        onPick={(r) => inTimeline(r.name)}
        tools={
          operators.by_shape.length ? (
            <Segmented
              label="Group operators"
              value={byShape ? "shape" : "name"}
              onChange={(by) => changeProfile({ byShape: by === "shape" })}
              options={[
                { value: "name", label: "by name" },
                { value: "shape", label: "by shape" },
              ]}
            />
          ) : null
        }
        columns={[
          ofOperators.count("Calls", (r) => r.calls),
          ofOperators.ms("Host self ms", (r) => r.host_self_ns),
          ofOperators.ms("Host total ms", (r) => r.host_total_ns),
          ofOperators.ms("Device self ms", (r) => r.device_self_ns),
          ofOperators.ms("Device total ms", (r) => r.device_total_ns),
          {
            title: "Tensor cores",
            value: (r) => r.tensor_core_self_ns / (r.device_self_ns || 1),
            show: (r) =>
              r.is_tensor_core_eligible || r.tensor_core_self_ns
                ? formatShare(r.tensor_core_self_ns / (r.device_self_ns || 1))
                : "–",
            hint: "Share of the device's self time in kernels that use tensor cores",
          },
        ]}
      />
    </div>
  );
}

export function KernelsTab({ analysis }: { analysis: Analysis }) {
  const [what, setWhat] = useState<"kernels" | "launches" | "copies" | "calls">("kernels");
  const { kernels } = analysis;
  if (kernels.by_name.length === 0 && kernels.calls.length === 0 && kernels.copies.length === 0)
    return (
      <Empty icon="profile" title="No kernels in this trace">
        <p>
          A trace of a GPU has them: <code>profiler=trace</code>, or PyTorch's profiler with CUDA
          activities.
        </p>
      </Empty>
    );
  const tools = (
    <Segmented
      label="What to list"
      value={what}
      onChange={setWhat}
      options={[
        { value: "kernels", label: "kernels" },
        { value: "launches", label: "by operator" },
        { value: "copies", label: "copies" },
        { value: "calls", label: "driver calls" },
      ]}
    />
  );
  return (
    <div class="profile-body fixed">
      {what === "copies" ? (
        <ProfileTable
          key={what}
          rows={kernels.copies}
          label="copies"
          name={(r) => r.name}
          sortBy={2}
          onPick={(r) => inTimeline(r.name)}
          tools={tools}
          columns={[
            ofCopies.count("Calls", (r) => r.calls),
            ofCopies.bytes("Bytes", (r) => r.bytes),
            ofCopies.ms("Total ms", (r) => r.total_ns),
            ofCopies.bytes("Bytes/s", (r) => Math.round(r.bytes_per_second)),
          ]}
        />
      ) : what === "calls" ? (
        <ProfileTable
          key={what}
          rows={kernels.calls}
          label="driver calls"
          name={(r) => r.name}
          sortBy={1}
          onPick={(r) => inTimeline(r.name)}
          tools={tools}
          columns={[
            ofCalls.count("Calls", (r) => r.calls),
            ofCalls.ms("Total ms", (r) => r.total_ns),
            {
              title: "Waits",
              value: (r) => (r.waits ? 1 : 0),
              show: (r) => (r.waits ? "yes" : ""),
            },
          ]}
        />
      ) : (
        <ProfileTable<KernelRow>
          key={what}
          rows={what === "launches" ? kernels.launches : kernels.by_name}
          label="kernels"
          name={(r) =>
            "operator" in r && r.operator ? `${r.operator as string} → ${r.name}` : r.name
          }
          sortBy={1}
          onPick={(r) => inTimeline(r.name)}
          tools={tools}
          columns={[
            ofKernels.count("Calls", (r) => r.calls),
            ofKernels.ms("Total ms", (r) => r.total_ns),
            {
              title: "Mean µs",
              value: (r) => r.mean_ns,
              show: (r) => formatUs(r.mean_ns),
            },
            { title: "Max µs", value: (r) => r.max_ns, show: (r) => formatUs(r.max_ns) },
            {
              title: "Blocks/SM",
              value: (r) => r.blocks_per_sm,
              show: (r) => formatNumber(r.blocks_per_sm, 3),
            },
            {
              title: "Occupancy",
              value: (r) => r.occupancy,
              show: (r) => formatShare(r.occupancy),
            },
            {
              title: "Tensor cores",
              value: (r) => (r.uses_tensor_cores ? 1 : 0),
              show: (r) => (r.uses_tensor_cores ? "yes" : ""),
            },
          ]}
        />
      )}
    </div>
  );
}

export function ModulesTab({ analysis }: { analysis: Analysis }) {
  if (analysis.modules.length === 0)
    return (
      <Empty icon="profile" title="No modules in this trace">
        <p>
          PyTorch names them when its profiler records stacks (<code>with_stack=True</code>).
        </p>
      </Empty>
    );
  return (
    <div class="profile-body fixed">
      <ProfileTable
        rows={analysis.modules}
        label="modules"
        name={(r) => r.name}
        indent={(r) => r.depth}
        onPick={(r) => inTimeline(r.name)}
        columns={[
          ofModules.count("Calls", (r) => r.calls),
          ofModules.count("Operators", (r) => r.operators),
          ofModules.ms("Host total ms", (r) => r.host_total_ns),
          ofModules.ms("Host self ms", (r) => r.host_self_ns),
          ofModules.ms("Device total ms", (r) => r.device_total_ns),
          ofModules.ms("Device self ms", (r) => r.device_self_ns),
        ]}
      />
    </div>
  );
}

const mega = (n: number) => n / 1e6;

function MemoryCurve({ memory, info }: { memory: DeviceMemory; info: ProfileInfo }) {
  const times = memory.curve.time_ns.map((t) => sinceBegin(t, info));
  const most = Math.max(1, memory.peak_allocated_bytes, ...memory.curve.reserved_bytes);
  const least = Math.min(0, ...memory.curve.allocated_bytes);
  const hasReserved = memory.peak_reserved_bytes > 0;
  return (
    <CanvasPlot
      title={`${memory.device}: allocated${hasReserved ? " and reserved" : ""}`}
      label={`Memory of ${memory.device} over time, at most ${formatBytes(memory.peak_allocated_bytes)}`}
      height={240}
      deps={[memory]}
      draw={(canvas, width, height) => {
        const plot = new Plot(
          canvas,
          width,
          height,
          theme.peek(),
          { from: times[0] ?? 0, to: times.at(-1) ?? 1, format: (v) => v.map(formatNs) },
          { from: least / 1e6, to: most / 1e6, title: "MB" },
        );
        plot.inside(() => {
          if (hasReserved) {
            const reserved = corners(times, memory.curve.reserved_bytes.map(mega));
            plot.lines(...reserved, plot.colors.muted, 1, [4, 3]);
          }
          const allocated = corners(times, memory.curve.allocated_bytes.map(mega));
          plot.lines(...allocated, slotColor(theme.peek(), 0), 1.5);
        });
      }}
      csv={() => [
        ["time_ns", "allocated_bytes", "reserved_bytes"],
        ...times.map((t, i) => [
          t,
          memory.curve.allocated_bytes[i],
          memory.curve.reserved_bytes[i],
        ]),
      ]}
    />
  );
}

export function MemoryTab({ analysis, info }: { analysis: Analysis; info: ProfileInfo }) {
  const [device, setDevice] = useState("");
  const all = analysis.memory;
  const memory = all.find((m) => m.device === device) ?? all.at(-1);
  if (!memory)
    return (
      <Empty icon="profile" title="No memory events in this trace">
        <p>
          PyTorch records them with <code>profile_memory=True</code>.
        </p>
      </Empty>
    );
  return (
    <div class="profile-body">
      <div class="overview">
        <div class="card span" style={{ gridColumn: "1 / -1" }}>
          <div class="figures">
            <div>
              <b data-figure="peak" data-bytes={memory.peak_allocated_bytes}>
                {formatBytes(memory.peak_allocated_bytes)}
              </b>
              <span class="muted">
                most allocated, after {formatNs(sinceBegin(memory.peak_time_ns, info))}
              </span>
            </div>
            {memory.peak_reserved_bytes ? (
              <div>
                <b>{formatBytes(memory.peak_reserved_bytes)}</b>
                <span class="muted">most reserved</span>
              </div>
            ) : null}
            <div>
              <b>{formatInteger(memory.allocations)}</b>
              <span class="muted">allocations</span>
            </div>
            <div>
              <b>{formatInteger(memory.frees)}</b>
              <span class="muted">frees</span>
            </div>
            {all.length > 1 ? (
              <Segmented
                label="Device"
                value={memory.device}
                onChange={setDevice}
                options={all.map((m) => ({ value: m.device, label: m.device }))}
              />
            ) : null}
          </div>
        </div>
        <div class="plot-card" style={{ gridColumn: "1 / -1" }}>
          <MemoryCurve memory={memory} info={info} />
        </div>
      </div>
      <ProfileTable
        rows={memory.operators}
        label="memory by operator"
        name={(r) => r.name}
        sortBy={2}
        onPick={(r) => inTimeline(r.name)}
        columns={[
          ofMemory.count("Calls", (r) => r.calls),
          ofMemory.count("Allocations", (r) => r.allocations),
          ofMemory.bytes("Self allocated", (r) => r.self_allocated_bytes),
          ofMemory.bytes("Self increase", (r) => r.self_increase_bytes),
          ofMemory.bytes("Allocated", (r) => r.allocated_bytes),
          ofMemory.bytes("Increase", (r) => r.increase_bytes),
        ]}
      />
    </div>
  );
}
