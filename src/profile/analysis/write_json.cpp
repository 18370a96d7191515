#include "profile/analysis/write_json.h"

#include <algorithm>

namespace taffrail::profile::analysis {
namespace {

std::size_t shown(std::size_t rows, const JsonOptions& options) {
    return options.rows == 0 ? rows : std::min(rows, options.rows);
}

void write_breakdown(JsonWriter& json, const Breakdown& time) {
    json.begin_object().member("total_ns", time.total_ns);
    for (std::size_t part = 0; part < kParts; ++part) {
        json.member(std::string(part_key(static_cast<Part>(part))) + "_ns", time.part_ns[part]);
    }
    json.end_object();
}

void write_overlap(JsonWriter& json, const Overlap& overlap) {
    json.begin_object().member("computation_ns", overlap.computation_ns);
    json.member("communication_ns", overlap.communication_ns).member("both_ns", overlap.both_ns);
    json.member("neither_ns", overlap.neither_ns).member("share", overlap.share()).end_object();
}

void write_share(JsonWriter& json, std::string_view name, const std::optional<double>& share) {
    json.key(name);
    if (share) {
        json.value(*share);
    } else {
        json.null();
    }
}

template <typename Row>
void write_times(JsonWriter& json, const Row& row) {
    json.member("host_total_ns", row.host_total_ns).member("host_self_ns", row.host_self_ns);
    json.member("device_total_ns", row.device_total_ns);
    json.member("device_self_ns", row.device_self_ns);
}

void write_operator(JsonWriter& json, const OperatorRow& row, const JsonOptions& options) {
    json.begin_object().member("name", row.name).member("calls", row.calls);
    if (!row.shapes.empty()) {
        json.key("shapes").raw(row.shapes);
    }
    write_times(json, row);
    json.member("tensor_core_self_ns", row.tensor_core_self_ns);
    json.member("tensor_core_total_ns", row.tensor_core_total_ns);
    json.member("is_tensor_core_eligible", row.is_tensor_core_eligible);
    if (options.stacks && !row.stacks.empty()) {
        json.key("stacks").begin_array();
        for (const StackRow& stack : row.stacks) {
            json.begin_object().member("stack", stack.stack).member("calls", stack.calls);
            write_times(json, stack);
            json.end_object();
        }
        json.end_array();
    }
    json.end_object();
}

void write_kernel_members(JsonWriter& json, const KernelRow& row) {
    json.member("name", row.name).member("calls", row.calls).member("total_ns", row.total_ns);
    json.member("mean_ns", row.mean_ns()).member("min_ns", row.min_ns);
    json.member("max_ns", row.max_ns).member("blocks_per_sm", row.blocks_per_sm);
    json.member("occupancy", row.occupancy).member("uses_tensor_cores", row.uses_tensor_cores);
}

void write_three(JsonWriter& json, std::string_view name,
                 const std::array<std::uint32_t, 3>& sides) {
    json.key(name).begin_array();
    for (const std::uint32_t side : sides) {
        json.value(side);
    }
    json.end_array();
}

void write_collectives(JsonWriter& json, const std::vector<CollectiveRow>& rows) {
    json.begin_array();
    for (const CollectiveRow& row : rows) {
        json.begin_object().member("name", row.name).member("calls", row.calls);
        json.member("bytes", row.bytes).member("total_ns", row.total_ns);
        json.member("transfer_ns", row.transfer_ns).end_object();
    }
    json.end_array();
}

/// At most two points a bucket: the lowest and the highest, in their order.
std::vector<MemoryPoint> thinned(const std::vector<MemoryPoint>& curve, std::size_t points) {
    if (points < 4 || curve.size() <= points) {
        return curve;
    }
    std::vector<MemoryPoint> kept;
    const std::size_t buckets = points / 2;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        const std::size_t from = curve.size() * bucket / buckets;
        const std::size_t until = curve.size() * (bucket + 1) / buckets;
        std::size_t low = from, high = from;
        for (std::size_t index = from; index < until; ++index) {
            low = curve[index].allocated_bytes < curve[low].allocated_bytes ? index : low;
            high = curve[index].allocated_bytes > curve[high].allocated_bytes ? index : high;
        }
        kept.push_back(curve[std::min(low, high)]);
        if (low != high) {
            kept.push_back(curve[std::max(low, high)]);
        }
    }
    return kept;
}

void write_curve(JsonWriter& json, const std::vector<MemoryPoint>& curve) {
    json.begin_object().key("time_ns").begin_array();
    for (const MemoryPoint& point : curve) {
        json.value(point.time_ns);
    }
    json.end_array().key("allocated_bytes").begin_array();
    for (const MemoryPoint& point : curve) {
        json.value(point.allocated_bytes);
    }
    json.end_array().key("reserved_bytes").begin_array();
    for (const MemoryPoint& point : curve) {
        json.value(point.reserved_bytes);
    }
    json.end_array().end_object();
}

void write_blocks(JsonWriter& json, const MemoryOfDevice& memory, const JsonOptions& options) {
    json.begin_array();
    for (std::size_t index = 0; index < shown(memory.blocks.size(), options); ++index) {
        const MemoryBlock& block = memory.blocks[index];
        json.begin_object().member("begin_ns", block.begin_ns).key("end_ns");
        if (block.end_ns == kNoTime) {
            json.null();
        } else {
            json.value(block.end_ns);
        }
        json.member("bytes", block.bytes).member("operator", block.operator_name).end_object();
    }
    json.end_array();
}

void write_memory_operators(JsonWriter& json, const MemoryOfDevice& memory,
                            const JsonOptions& options) {
    json.begin_array();
    for (std::size_t index = 0; index < shown(memory.operators.size(), options); ++index) {
        const MemoryOfOperator& row = memory.operators[index];
        json.begin_object().member("name", row.name).member("calls", row.calls);
        json.member("self_increase_bytes", row.self_increase_bytes);
        json.member("self_allocated_bytes", row.self_allocated_bytes);
        json.member("self_allocations", row.self_allocations);
        json.member("increase_bytes", row.increase_bytes);
        json.member("allocated_bytes", row.allocated_bytes);
        json.member("allocations", row.allocations).end_object();
    }
    json.end_array();
}

void write_changes(JsonWriter& json, const std::vector<ChangedRow>& rows) {
    json.begin_array();
    for (const ChangedRow& row : rows) {
        json.begin_object().member("name", row.name).member("before_ns", row.before_ns);
        json.member("after_ns", row.after_ns).member("before_calls", row.before_calls);
        json.member("after_calls", row.after_calls).end_object();
    }
    json.end_array();
}

void write_words(JsonWriter& json, const std::vector<std::string>& words) {
    json.begin_array();
    for (const std::string& word : words) {
        json.value(word);
    }
    json.end_array();
}

}  // namespace

void write_steps(JsonWriter& json, const Analysis& analysis) {
    const Steps& steps = analysis.steps;
    json.begin_object().member("count", steps.all.size());
    json.member("is_whole_trace", steps.is_whole_trace).member("left_out", steps.left_out);
    json.member("has_device", steps.has_device).member("has_runtime", steps.has_runtime);
    json.member("has_communication", steps.has_communication);
    json.member("mean_ns", steps.mean_total_ns()).member("median_ns", steps.median_ns);
    json.member("p99_ns", steps.p99_ns).key("sum");
    write_breakdown(json, steps.sum);
    json.key("overlap");
    write_overlap(json, steps.overlap);
    json.key("mean").begin_object();
    for (std::size_t part = 0; part < kParts; ++part) {
        json.member(part_key(static_cast<Part>(part)), steps.mean_ns(static_cast<Part>(part)));
    }
    json.end_object().key("steps").begin_array();
    for (const Step& step : steps.all) {
        json.begin_object().member("name", step.name).member("number", step.number);
        json.member("begin_ns", step.begin_ns).member("end_ns", step.end_ns);
        json.member("device_events", step.device_events).key("time");
        write_breakdown(json, step.time);
        json.key("overlap");
        write_overlap(json, step.overlap);
        json.end_object();
    }
    json.end_array().end_object();
}

void write_devices(JsonWriter& json, const Analysis& analysis) {
    json.begin_array();
    for (const Device& device : analysis.devices) {
        json.begin_object().member("id", device.id).member("name", device.name);
        json.member("memory_bytes", device.memory_bytes);
        json.member("compute_major", device.compute_major);
        json.member("compute_minor", device.compute_minor);
        json.member("multiprocessors", device.multiprocessors).member("kernels", device.kernels);
        json.member("kernel_ns", device.kernel_ns).member("utilisation", device.utilisation);
        write_share(json, "sm_efficiency", device.sm_efficiency);
        write_share(json, "occupancy", device.occupancy);
        write_share(json, "recorded_occupancy", device.recorded_occupancy);
        write_share(json, "tensor_core_share", device.tensor_core_share);
        json.key("idle").begin_object().member("span_ns", device.idle.span_ns);
        json.member("host_ns", device.idle.host_ns).member("kernel_ns", device.idle.kernel_ns);
        json.member("other_ns", device.idle.other_ns).end_object();
        json.key("curve").begin_object().member("begin_ns", device.curve_begin_ns);
        json.member("step_ns", device.curve_step_ns).member("end_ns", device.curve_end_ns);
        json.key("utilisation").begin_array();
        for (const double value : device.curve) {
            json.value(value);
        }
        json.end_array().end_object().end_object();
    }
    json.end_array();
}

void write_advice(JsonWriter& json, const Analysis& analysis) {
    json.begin_array();
    for (const Advice& advice : analysis.advice) {
        json.begin_object().member("rule", advice.rule).member("topic", advice.topic);
        json.member("title", advice.title).member("text", advice.text).member("cure", advice.cure);
        json.member("caution", advice.caution).member("measured", advice.measured);
        json.member("threshold", advice.threshold);
        json.member("exceeds", advice.exceeds == Exceeds::Above ? "above" : "below");
        json.member("unit", advice.unit).key("numbers").begin_array();
        for (const AdviceNumber& number : advice.numbers) {
            json.begin_object().member("name", number.name).member("value", number.value);
            json.member("unit", number.unit).end_object();
        }
        json.end_array().key("evidence").begin_array();
        for (const Evidence& event : advice.evidence) {
            json.begin_object().member("what", event.what).member("where", event.where);
            json.member("begin_ns", event.begin_ns).member("duration_ns", event.duration_ns);
            json.end_object();
        }
        json.end_array().end_object();
    }
    json.end_array();
}

void write_operators(JsonWriter& json, const Analysis& analysis, const JsonOptions& options) {
    json.begin_object().member("count", analysis.operators.size()).key("by_name").begin_array();
    for (std::size_t index = 0; index < shown(analysis.operators.size(), options); ++index) {
        write_operator(json, analysis.operators[index], options);
    }
    json.end_array().key("by_shape").begin_array();
    const auto& by_shape = analysis.operators_by_shape;
    for (std::size_t index = 0; index < shown(by_shape.size(), options); ++index) {
        write_operator(json, by_shape[index], options);
    }
    json.end_array().end_object();
}

void write_kernels(JsonWriter& json, const Analysis& analysis, const JsonOptions& options) {
    json.begin_object().member("count", analysis.kernels.size());
    json.member("tensor_core_share", analysis.tensor_core_share);
    json.member("tensor_core_eligible_share", analysis.tensor_core_eligible_share);
    json.key("by_name").begin_array();
    for (std::size_t index = 0; index < shown(analysis.kernels.size(), options); ++index) {
        json.begin_object();
        write_kernel_members(json, analysis.kernels[index]);
        json.end_object();
    }
    json.end_array().key("launches").begin_array();
    for (std::size_t index = 0; index < shown(analysis.launches.size(), options); ++index) {
        const LaunchRow& row = analysis.launches[index];
        json.begin_object();
        write_kernel_members(json, row.kernel);
        json.member("operator", row.operator_name);
        json.member("is_tensor_core_eligible", row.is_tensor_core_eligible);
        write_three(json, "grid", row.grid);
        write_three(json, "block", row.block);
        json.member("registers_per_thread", row.registers_per_thread);
        json.member("shared_memory_bytes", row.shared_memory_bytes).end_object();
    }
    json.end_array().key("copies").begin_array();
    for (const CopyRow& row : analysis.copies) {
        json.begin_object().member("name", row.name).member("calls", row.calls);
        json.member("bytes", row.bytes).member("total_ns", row.total_ns);
        json.member("bytes_per_second", row.bytes_per_second()).end_object();
    }
    json.end_array().key("calls").begin_array();
    for (const CallRow& row : analysis.calls) {
        json.begin_object().member("name", row.name).member("calls", row.calls);
        json.member("total_ns", row.total_ns).member("waits", row.waits).end_object();
    }
    json.end_array().end_object();
}

void write_memory(JsonWriter& json, const Analysis& analysis, const JsonOptions& options) {
    json.begin_array();
    for (const MemoryOfDevice& memory : analysis.memory) {
        json.begin_object().member("device", memory.device).member("device_id", memory.device_id);
        json.member("has_totals", memory.has_totals);
        json.member("peak_allocated_bytes", memory.peak_allocated_bytes);
        json.member("peak_reserved_bytes", memory.peak_reserved_bytes);
        json.member("peak_time_ns", memory.peak_time_ns);
        json.member("allocations", memory.allocations).member("frees", memory.frees);
        json.key("curve");
        write_curve(json, thinned(memory.curve, options.curve_points));
        json.key("blocks");
        write_blocks(json, memory, options);
        json.key("operators");
        write_memory_operators(json, memory, options);
        json.end_object();
    }
    json.end_array();
}

void write_modules(JsonWriter& json, const Analysis& analysis) {
    json.begin_array();
    for (const ModuleRow& row : analysis.modules) {
        json.begin_object().member("name", row.name).member("id", row.id);
        json.member("depth", row.depth).member("parent", row.parent).member("calls", row.calls);
        json.member("operators", row.operators);
        write_times(json, row);
        json.end_object();
    }
    json.end_array();
}

void write_json(JsonWriter& json, const Analysis& analysis, const JsonOptions& options) {
    json.begin_object().member("worker", analysis.worker).member("rank", analysis.rank);
    json.member("world_size", analysis.world_size).member("backend", analysis.backend);
    json.member("begin_ns", analysis.begin_ns).member("end_ns", analysis.end_ns);
    json.member("events", analysis.events).key("steps");
    write_steps(json, analysis);
    json.key("devices");
    write_devices(json, analysis);
    json.key("advice");
    write_advice(json, analysis);
    if (options.tables) {
        json.key("operators");
        write_operators(json, analysis, options);
        json.key("kernels");
        write_kernels(json, analysis, options);
        json.key("memory");
        write_memory(json, analysis, options);
        json.key("modules");
        write_modules(json, analysis);
        json.key("collectives");
        write_collectives(json, analysis.collectives);
    }
    json.key("notes");
    write_words(json, analysis.notes);
    json.end_object();
}

void write_json(JsonWriter& json, const Workers& workers) {
    json.begin_object().member("straggler", workers.straggler);
    json.member("straggler_wait_ns", workers.straggler_wait_ns);
    json.member("why_not", workers.why_not).key("notes");
    write_words(json, workers.notes());
    json.key("workers").begin_array();
    for (const WorkerView& worker : workers.all) {
        json.begin_object().member("worker", worker.worker).member("rank", worker.rank);
        json.key("devices");
        write_words(json, worker.devices);
        json.key("sum");
        write_breakdown(json, worker.sum);
        json.key("steps").begin_array();
        for (const WorkerStep& step : worker.steps) {
            json.begin_object().member("name", step.name).key("overlap");
            write_overlap(json, step.overlap);
            json.member("transfer_ns", step.transfer_ns).member("wait_ns", step.wait_ns);
            json.end_object();
        }
        json.end_array().key("collectives");
        write_collectives(json, worker.collectives);
        json.end_object();
    }
    json.end_array().end_object();
}

void write_json(JsonWriter& json, const Difference& difference) {
    json.begin_object().member("before_step_ns", difference.before_step_ns);
    json.member("after_step_ns", difference.after_step_ns).key("parts").begin_array();
    for (std::size_t part = 0; part < kParts; ++part) {
        json.begin_object().member("part", part_key(static_cast<Part>(part)));
        json.member("before_ns", difference.before_part_ns[part]);
        json.member("after_ns", difference.after_part_ns[part]).end_object();
    }
    json.end_array().key("operators");
    write_changes(json, difference.operators);
    json.key("kernels");
    write_changes(json, difference.kernels);
    json.key("advice_gone");
    write_words(json, difference.advice_gone);
    json.key("advice_new");
    write_words(json, difference.advice_new);
    json.end_object();
}

}  // namespace taffrail::profile::analysis
