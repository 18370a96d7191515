// The two lists of things found by name: sinks and profilers.
#include <taffrail/profiler.h>
#include <taffrail/sink.h>

#include "base/strings.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace taffrail {

// Registers what comes with the library; lives in the run layer and is absent from programs that
// link only parts.
[[gnu::weak]] void register_builtins();

namespace {

template <typename Info>
class Registry {
  public:
    void add(Info info) {
        const std::lock_guard guard(mutex_);
        const auto same = std::find_if(entries_.begin(), entries_.end(),
                                       [&](const Info& known) { return known.name == info.name; });
        if (same != entries_.end()) {
            *same = std::move(info);
        } else {
            entries_.push_back(std::move(info));
        }
    }

    std::vector<Info> all() {
        if (register_builtins != nullptr) {
            register_builtins();
        }
        const std::lock_guard guard(mutex_);
        return entries_;
    }

  private:
    std::mutex mutex_;
    std::vector<Info> entries_;
};

Registry<SinkInfo>& sinks() {
    static auto* registry = new Registry<SinkInfo>;
    return *registry;
}

class NoProfiler final : public Profiler {
  public:
    Result<void> start(std::string_view) override { return {}; }

    Result<void> stop(std::string_view) override { return {}; }

    [[nodiscard]] std::string summary() const override { return {}; }
};

Registry<ProfilerInfo>& profilers() {
    static auto* registry = [] {
        auto* made = new Registry<ProfilerInfo>;
        made->add({"none", "measures nothing", []() -> Result<std::unique_ptr<Profiler>> {
                       return std::unique_ptr<Profiler>(new NoProfiler);
                   }});
        return made;
    }();
    return *registry;
}

Error unknown(std::string_view what, std::string_view name, const std::vector<std::string>& known) {
    std::string list;
    for (const std::string& entry : known) {
        list += list.empty() ? "" : ", ";
        list += entry;
    }
    return {ErrorCode::NotFound, "no " + std::string(what) + " is called '" + std::string(name) +
                                     "'" + did_you_mean(name, known) +
                                     "; known are: " + (list.empty() ? "none" : list)};
}

}  // namespace

void register_sink(SinkInfo info) {
    sinks().add(std::move(info));
}

std::vector<SinkInfo> registered_sinks() {
    return sinks().all();
}

Result<std::unique_ptr<Sink>> make_sink(std::string_view name, const OptionMap& options) {
    std::vector<std::string> known;
    for (const SinkInfo& info : registered_sinks()) {
        if (info.name == name || info.class_name == name) {
            return info.make(options);
        }
        known.push_back(info.name);
    }
    return unknown("sink", name, known);
}

void register_profiler(ProfilerInfo info) {
    profilers().add(std::move(info));
}

std::vector<ProfilerInfo> registered_profilers() {
    return profilers().all();
}

Result<std::unique_ptr<Profiler>> make_profiler(std::string_view name) {
    std::vector<std::string> known;
    for (const ProfilerInfo& info : registered_profilers()) {
        if (info.name == name) {
            return info.make();
        }
        known.push_back(info.name);
    }
    return unknown("profiler", name, known);
}

}  // namespace taffrail
