#include "profile/profile.h"

#include "io/map_memory.h"

namespace taffrail::profile {
namespace {

std::uint64_t hash_of_place(std::uint64_t within, std::int64_t id, TextId id_text) noexcept {
    return mix(mix(static_cast<std::uint64_t>(id)) + (within << 32 | id_text));
}

std::string title_of(const Texts& texts, TextId name, TextId id_text, std::int64_t id,
                     std::string_view fallback) {
    std::string title(texts[name]);
    if (title.empty()) {
        title = id_text != 0 ? "" : fallback;
    }
    const std::string number = id_text != 0 ? std::string(texts[id_text]) : std::to_string(id);
    if (title.empty()) {
        return number;
    }
    return title.find(number) != std::string::npos ? title : title + " " + number;
}

}  // namespace

ProcessId Profile::process(std::int64_t id, TextId id_text) {
    return process_table_.find_or_make(
        hash_of_place(0, id, id_text),
        [&](std::uint32_t known) {
            return processes[known].id == id && processes[known].id_text == id_text;
        },
        [&] {
            processes.push_back({.id = id, .id_text = id_text});
            return static_cast<std::uint32_t>(processes.size() - 1);
        },
        [&](std::uint32_t known) {
            return hash_of_place(0, processes[known].id, processes[known].id_text);
        });
}

ThreadId Profile::thread(ProcessId process_of_it, std::int64_t id, TextId id_text) {
    return thread_table_.find_or_make(
        hash_of_place(process_of_it, id, id_text),
        [&](std::uint32_t known) {
            const Thread& thread = threads[known];
            return thread.process == process_of_it && thread.id == id && thread.id_text == id_text;
        },
        [&] {
            threads.push_back({.process = process_of_it, .id = id, .id_text = id_text});
            return static_cast<std::uint32_t>(threads.size() - 1);
        },
        [&](std::uint32_t known) {
            return hash_of_place(threads[known].process, threads[known].id, threads[known].id_text);
        });
}

void Profile::reserve_for_text(std::size_t bytes) {
    constexpr std::size_t kBytesPerSpan = 256, kBytesPerFlow = 384, kMany = 16u << 20;
    spans.reserve(bytes / kBytesPerSpan);
    flows.reserve(bytes / kBytesPerFlow);
    args_.reserve(bytes / 4 * 3);
    if (bytes >= kMany) {
        io::prefer_large_pages(spans.data(), spans.capacity() * sizeof(Span));
        io::prefer_large_pages(flows.data(), flows.capacity() * sizeof(FlowPoint));
        io::prefer_large_pages(args_.data(), args_.capacity());
    }
}

std::size_t Profile::value_type(std::string_view type_name, std::string_view unit) {
    for (std::size_t index = 0; index < value_types.size(); ++index) {
        if (value_types[index].name == type_name && value_types[index].unit == unit) {
            return index;
        }
    }
    const std::size_t before = value_types.size();
    value_types.push_back({std::string(type_name), std::string(unit)});
    if (!samples.empty()) {
        std::vector<double> wider(samples.size() * (before + 1));
        for (std::size_t sample = 0; sample < samples.size(); ++sample) {
            for (std::size_t index = 0; index < before; ++index) {
                wider[sample * (before + 1) + index] = values_[sample * before + index];
            }
        }
        values_.swap(wider);
    }
    for (GraphFunction& function : functions) {
        function.cost.self.resize(before + 1);
        function.cost.total.resize(before + 1);
    }
    for (GraphCall& call : calls) {
        call.cost.self.resize(before + 1);
        call.cost.total.resize(before + 1);
    }
    return before;
}

void Profile::add_sample(const Sample& sample, std::span<const double> values) {
    samples.push_back(sample);
    values_.insert(values_.end(), values.begin(), values.end());
    values_.resize(samples.size() * value_types.size());
}

ArgsId Profile::args(std::string_view json, std::uint64_t place) {
    if (json.find('"') == std::string_view::npos) {
        return 0;
    }
    args_.append(json);
    if (place != 0) {
        args_places_.resize(args_ends_.size());
        args_places_.push_back(place);
    }
    args_ends_.push_back(args_.size());
    return static_cast<ArgsId>(args_ends_.size() - 1);
}

std::optional<double> nanoseconds_per(std::string_view unit) noexcept {
    if (unit == "nanoseconds" || unit == "ns") {
        return 1;
    }
    if (unit == "microseconds" || unit == "us") {
        return 1e3;
    }
    if (unit == "milliseconds" || unit == "ms") {
        return 1e6;
    }
    if (unit == "seconds" || unit == "s") {
        return 1e9;
    }
    return std::nullopt;
}

std::string process_title(const Profile& profile, ProcessId process) {
    const Process& it = profile.processes[process];
    return title_of(profile.texts, it.name, it.id_text, it.id, "process");
}

std::string thread_title(const Profile& profile, ThreadId thread) {
    const Thread& it = profile.threads[thread];
    return title_of(profile.texts, it.name, it.id_text, it.id, "thread");
}

}  // namespace taffrail::profile
