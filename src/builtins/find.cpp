// Parts by name. Each public function sees to it first that the parts of the build are in their
// lists, so that what a program adds comes after them and may replace them.
#include "base/registry.h"
#include "base/strings.h"
#include "builtins/builtins.h"
#include "model/source_registry.h"
#include "profilers/common/registry.h"
#include "record/sink_registry.h"
#include "routines/common/registry.h"

#include <mutex>

namespace taffrail {
namespace {

void ready() {
    static std::once_flag once;
    std::call_once(once, builtins::register_parts);
}

template <typename Info, auto Name>
std::vector<std::string> names_of(const std::vector<Info>& parts) {
    std::vector<std::string> names;
    names.reserve(parts.size());
    for (const Info& part : parts) {
        names.push_back(part.*Name);
    }
    return names;
}

}  // namespace

namespace builtins {

std::optional<SinkInfo> find_sink(std::string_view name) {
    for (SinkInfo& info : registered_sinks()) {
        if (info.name == name || info.class_name == name) {
            return std::move(info);
        }
    }
    return std::nullopt;
}

}  // namespace builtins

void register_sink(SinkInfo info) {
    ready();
    record::sink_registry().add(std::move(info));
}

std::vector<SinkInfo> registered_sinks() {
    ready();
    return record::sink_registry().all();
}

Result<std::unique_ptr<Sink>> make_sink(std::string_view name, const OptionMap& options) {
    if (const auto info = builtins::find_sink(name)) {
        return info->make(options);
    }
    return unknown_part("sink", name, names_of<SinkInfo, &SinkInfo::name>(registered_sinks()));
}

void register_source(SourceInfo info) {
    ready();
    model::source_registry().add(std::move(info));
}

std::vector<SourceInfo> registered_sources() {
    ready();
    return model::source_registry().all();
}

void register_routine(RoutineInfo info) {
    ready();
    routines::registry().add(std::move(info));
}

std::vector<RoutineInfo> registered_routines() {
    ready();
    return routines::registry().all();
}

Result<std::unique_ptr<Routine>> make_routine(std::string_view key, const OptionMap& options) {
    const std::vector<RoutineInfo> known = registered_routines();
    const auto info = std::ranges::find(known, key, &RoutineInfo::key);
    if (info == known.end()) {
        return unknown_part("routine", key, names_of<RoutineInfo, &RoutineInfo::key>(known));
    }
    auto made = info->make(options);
    if (made.ok() && *made == nullptr) {
        return Error{ErrorCode::Internal, "the routine '" + info->key + "' could not be made"};
    }
    return made;
}

void register_profiler(ProfilerInfo info) {
    ready();
    profilers::registry().add(std::move(info));
}

std::vector<ProfilerInfo> registered_profilers() {
    ready();
    return profilers::registry().all();
}

Result<std::unique_ptr<Profiler>> make_profiler(std::string_view name,
                                                const ProfilerOptions& options) {
    const std::vector<ProfilerInfo> known = registered_profilers();
    const auto info = std::ranges::find(known, to_lower(name), &ProfilerInfo::name);
    if (info == known.end()) {
        return unknown_part("profiler", name, names_of<ProfilerInfo, &ProfilerInfo::name>(known));
    }
    auto made = info->make();
    if (made.ok() && *made != nullptr) {
        if (auto configured = (*made)->configure(options); !configured.ok()) {
            return std::move(configured).error();
        }
    }
    return made;
}

}  // namespace taffrail
