// How a metric is meant: its axis, its summary, and which way is better.
#pragma once

#include <taffrail/api.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// Which number stands for a metric where one is shown.
enum class Summary : std::uint8_t { Last, Min, Max, Mean, None };
/// Which of its values is the best.
enum class Goal : std::uint8_t { None, Minimize, Maximize };

/// How a metric is meant.
struct MetricOptions {
    std::string step = {};  ///< key whose value is this metric's x axis by default
    Summary summary = Summary::Last;
    Goal goal = Goal::None;
    bool hidden = false;  ///< left out where nobody asked for it by name

    bool operator==(const MetricOptions&) const = default;
};

/// What Run::define_metric said of the keys that `pattern` (a key, or with `*`) matches.
struct MetricDefinition {
    std::string pattern = {};
    MetricOptions options = {};

    bool operator==(const MetricDefinition&) const = default;
};

/// What holds for `key`: of those whose pattern matches, the one that is the whole name, else the
/// newest. Null when none does.
[[nodiscard]] TAFFRAIL_API const MetricOptions* find_metric(
    std::span<const MetricDefinition> definitions, std::string_view key) noexcept;
/// Takes a record of kind MetricDefinition into a list like SinkContext::metrics: it becomes the
/// newest, and replaces an earlier one of the same pattern.
TAFFRAIL_API void put_metric(std::vector<MetricDefinition>& definitions,
                             MetricDefinition definition);

}  // namespace taffrail
