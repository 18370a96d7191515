#include "gpu/to_trace.h"

#include "codec/json_writer.h"
#include "profile/enclosing.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace taffrail::gpu {
namespace {

/// The member that ties zones, calls and kernels together.
constexpr std::string_view kLink = "External id";

std::string readable(const std::string& name) {
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string made = status == 0 && text != nullptr ? text : name;
    std::free(text);
    return made;
}

std::string_view memory_name(std::uint8_t kind) {
    switch (kind) {
        case 1:
            return "Pageable";
        case 2:
            return "Pinned";
        case 3:
            return "Device";
        case 4:
            return "Array";
        case 5:
            return "Managed";
        case 6:
            return "Device Static";
        case 7:
            return "Managed Static";
        default:
            return "Unknown";
    }
}

std::string_view copy_name(std::uint8_t kind) {
    static constexpr std::string_view kNames[] = {"",     "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                                  "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
    return kind < std::size(kNames) ? kNames[kind] : std::string_view("");
}

std::string title_of(const DeviceWork& work) {
    if (work.kind == WorkKind::Memset) {
        return "Memset (Device)";
    }
    return "Memcpy " + std::string(copy_name(work.copy_kind)) + " (" +
           std::string(memory_name(work.from_memory)) + " -> " +
           std::string(memory_name(work.to_memory)) + ")";
}

class TraceMaker {
  public:
    TraceMaker(const Records& records, const TraceContext& context, profile::Profile& trace)
        : records_(records),
          context_(context),
          trace_(trace),
          kernel_names_(records.names.size()) {}

    /// Which zone made each call: the innermost one around it on its thread. Zone, call and what it
    /// launched carry one number, "External id", as operators and kernels do in PyTorch's traces.
    /// Before anything is added: what the trace holds are its zones.
    void find_zones() {
        std::vector<profile::Stretch> calls;
        for (const ApiCall& call : records_.calls) {
            calls.push_back({host_track(call.thread), call.begin_ns, call.end_ns});
        }
        const std::vector<std::uint32_t> zones =
            profile::enclosing_spans(trace_, calls, trace_.text("cpu_op"));
        for (std::size_t index = 0; index < zones.size(); ++index) {
            if (const std::uint32_t zone = zones[index]; zone != profile::kNone) {
                const std::uint32_t number = zone + 1;  // 0 means none
                if (numbered_.insert(zone).second) {
                    profile::add_member(trace_, trace_.spans[zone], kLink, std::to_string(number));
                }
                // The driver's call stands inside the runtime's, which is the one that counts.
                zone_of_.emplace(records_.calls[index].correlation, number);
            }
        }
    }

    void add_work() {
        for (const DeviceWork& work : records_.work) {
            const profile::ThreadId track = stream_track(work.device, work.stream);
            trace_.spans.push_back(
                {.begin_ns = work.begin_ns,
                 .duration_ns = std::max<std::int64_t>(work.end_ns - work.begin_ns, 0),
                 .name = name_of(work),
                 .category = trace_.text(category_of(work.kind)),
                 .thread = track,
                 .args = trace_.args(args_of(work))});
            add_arrow(work.correlation, work.begin_ns, track, profile::FlowPhase::End);
        }
    }

    void add_calls() {
        std::map<std::pair<bool, std::uint32_t>, profile::TextId> names;
        std::vector<std::uint32_t> launched;
        for (const DeviceWork& work : records_.work) {
            launched.push_back(work.correlation);
        }
        std::sort(launched.begin(), launched.end());
        std::vector<std::uint32_t> by_runtime;
        for (const ApiCall& call : records_.calls) {
            if (!call.is_driver) {
                by_runtime.push_back(call.correlation);
            }
        }
        std::sort(by_runtime.begin(), by_runtime.end());
        for (const ApiCall& call : records_.calls) {
            const bool has_launched =
                std::binary_search(launched.begin(), launched.end(), call.correlation);
            // Calls of the driver are many and say nothing, but for those that launch by
            // themselves.
            if (call.is_driver &&
                (!has_launched ||
                 std::binary_search(by_runtime.begin(), by_runtime.end(), call.correlation))) {
                continue;
            }
            profile::TextId& name = names[{call.is_driver, call.function}];
            if (name == 0) {
                name =
                    trace_.text(context_.cupti != nullptr
                                    ? context_.cupti->function_name(call.is_driver, call.function)
                                    : "cuda function " + std::to_string(call.function));
            }
            const profile::ThreadId track = host_track(call.thread);
            JsonWriter json;
            json.begin_object();
            add_zone(json, call.correlation);
            json.member("cbid", call.function);
            json.member("correlation", call.correlation).end_object();
            trace_.spans.push_back(
                {.begin_ns = call.begin_ns,
                 .duration_ns = std::max<std::int64_t>(call.end_ns - call.begin_ns, 0),
                 .name = name,
                 .category = trace_.text(call.is_driver ? "cuda_driver" : "cuda_runtime"),
                 .thread = track,
                 .args = trace_.args(json.text())});
            if (has_launched) {
                add_arrow(call.correlation, call.begin_ns, track, profile::FlowPhase::Start);
            }
        }
    }

    /// Ranges from their beginnings and ends; what has no end lasts for no time.
    void add_markers() {
        std::map<std::uint32_t, const Marker*> open;
        for (const Marker& marker : records_.markers) {
            if ((marker.flags & Marker::kBegin) != 0) {
                open[marker.id] = &marker;
            } else if ((marker.flags & Marker::kEnd) != 0) {
                const auto found = open.find(marker.id);
                if (found != open.end()) {
                    add_range(*found->second, marker.time_ns);
                    open.erase(found);
                }
            } else {
                trace_.instants.push_back({.time_ns = marker.time_ns,
                                           .name = trace_.text(records_.names[marker.name]),
                                           .category = trace_.text("nvtx"),
                                           .thread = host_track(marker.thread)});
            }
        }
    }

  private:
    static std::string_view category_of(WorkKind kind) {
        return kind == WorkKind::Kernel   ? "kernel"
               : kind == WorkKind::Memcpy ? "gpu_memcpy"
                                          : "gpu_memset";
    }

    void add_zone(JsonWriter& json, std::uint32_t correlation) const {
        if (const auto found = zone_of_.find(correlation); found != zone_of_.end()) {
            json.member(kLink, found->second);
        }
    }

    void add_range(const Marker& begin, std::int64_t end_ns) {
        trace_.spans.push_back({.begin_ns = begin.time_ns,
                                .duration_ns = std::max<std::int64_t>(end_ns - begin.time_ns, 0),
                                .name = trace_.text(records_.names[begin.name]),
                                .category = trace_.text("user_annotation"),
                                .thread = host_track(begin.thread)});
    }

    profile::TextId name_of(const DeviceWork& work) {
        if (work.kind != WorkKind::Kernel) {
            return trace_.text(title_of(work));
        }
        profile::TextId& name = kernel_names_[work.name];
        if (name == 0) {
            name = trace_.text(readable(records_.names[work.name]));
        }
        return name;
    }

    std::string args_of(const DeviceWork& work) const {
        JsonWriter json;
        json.begin_object();
        add_zone(json, work.correlation);
        json.member("device", work.device).member("context", work.context);
        json.member("stream", work.stream).member("correlation", work.correlation);
        if (work.kind != WorkKind::Kernel) {
            json.member("bytes", work.bytes);
            return std::move(json.end_object()).take();
        }
        json.member("registers per thread", work.registers);
        json.member("shared memory", work.shared_memory);
        if (work.device < context_.devices.multiprocessors.size() &&
            context_.devices.multiprocessors[work.device] > 0) {
            json.member("blocks per SM",
                        static_cast<double>(work.grid[0]) * work.grid[1] * work.grid[2] /
                            static_cast<double>(context_.devices.multiprocessors[work.device]));
        }
        for (const auto& [name, sides] :
             {std::pair("grid", &work.grid), std::pair("block", &work.block)}) {
            json.key(name).begin_array();
            for (const std::uint32_t side : *sides) {
                json.value(side);
            }
            json.end_array();
        }
        return std::move(json.end_object()).take();
    }

    void add_arrow(std::uint32_t correlation, std::int64_t time_ns, profile::ThreadId track,
                   profile::FlowPhase phase) {
        trace_.flows.push_back({.time_ns = time_ns,
                                .id = trace_.text(std::to_string(correlation)),
                                .name = trace_.text("ac2g"),
                                .category = trace_.text("ac2g"),
                                .thread = track,
                                .phase = phase,
                                .binds_enclosing = phase == profile::FlowPhase::End});
    }

    profile::ThreadId stream_track(std::uint32_t device, std::uint32_t stream) {
        const profile::ProcessId process = trace_.process(device);
        if (trace_.processes[process].name == 0) {
            trace_.processes[process].labels = trace_.text("GPU " + std::to_string(device));
            trace_.processes[process].name = trace_.text("GPU " + std::to_string(device));
            trace_.processes[process].sort_index = 5'000'000 + device;
        }
        const profile::ThreadId thread = trace_.thread(process, stream);
        if (trace_.threads[thread].name == 0) {
            trace_.threads[thread].name = trace_.text("stream " + std::to_string(stream));
        }
        return thread;
    }

    profile::ThreadId host_track(std::uint32_t thread) {
        return trace_.thread(trace_.process(context_.process), thread);
    }

    const Records& records_;
    const TraceContext& context_;
    profile::Profile& trace_;
    std::vector<profile::TextId> kernel_names_;
    std::unordered_map<std::uint32_t, std::uint32_t> zone_of_;  ///< by correlation
    std::unordered_set<std::uint32_t> numbered_;
};

}  // namespace

void add_records(const Records& records, const TraceContext& context, profile::Profile& trace) {
    TraceMaker maker(records, context, trace);
    maker.find_zones();
    maker.add_calls();
    maker.add_work();
    maker.add_markers();
    const bool is_described =
        std::any_of(trace.metadata.begin(), trace.metadata.end(),
                    [](const auto& one) { return one.first == "deviceProperties"; });
    if (!is_described && !context.devices.json.empty()) {
        trace.metadata.emplace_back("deviceProperties", context.devices.json);
    }
    if (records.dropped > 0) {
        trace.notes.add("records of the GPU were lost for want of room", 0, records.dropped);
    }
    if (records.beyond_limit > 0) {
        trace.notes.add(
            "records of the GPU came when the trace held as many as it may; they are not in it", 0,
            records.beyond_limit);
    }
}

}  // namespace taffrail::gpu
