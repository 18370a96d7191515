// A LogState with the loop calls a trainer would make around one epoch.
#pragma once

#include "base/diagnostics.h"
#include "metrics/log_state.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace taffrail::metrics_test {

using metrics::Hook;
using metrics::Level;
using metrics::LogSettings;
using metrics::LogState;
using metrics::Loop;

struct KeptRow {
    std::map<std::string, double> metrics;
    Step step = 0;
};

class KeepRows final : public metrics::RowOutput {
  public:
    std::vector<KeptRow> rows;
    std::vector<std::string> keys;
    std::vector<std::pair<std::string, double>> calls;

    void log_metrics(std::span<const metrics::RowEntry> row, Step step, Level) override {
        KeptRow kept{{}, step};
        for (const auto& entry : row) {
            kept.metrics[std::string(entry.name)] = entry.value;
        }
        rows.push_back(std::move(kept));
    }

    std::uint32_t bind(std::string_view key) override {
        keys.emplace_back(key);
        return static_cast<std::uint32_t>(keys.size() - 1);
    }

    void call(std::uint32_t key, double value, Step) noexcept override {
        calls.emplace_back(keys[key], value);
    }
};

/// Logs `work` inside `hook`, with its call site in the test.
inline void in_hook(LogState& state, Hook hook, const std::function<void()>& work) {
    const Hook before = state.enter(hook);
    work();
    state.leave(before);
}

inline void log(LogState& state, std::string_view name, const LogValue& value,
                const LogOptions& options = {},
                const std::source_location& site = std::source_location::current()) {
    state.log(name, value, options, site);
}

/// Ready inside fit, before the first batch.
inline LogState started(LogSettings settings = {}, Loop loop = Loop::Train) {
    set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    LogState state(std::move(settings));
    state.begin_stage(loop);
    return state;
}

}  // namespace taffrail::metrics_test
