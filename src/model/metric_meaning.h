// What Run::define_metric said of a metric, as readers use it: the number that stands for it in
// lists, and which of its values is the best.
#pragma once

#include <taffrail/metric_options.h>
#include <taffrail/reader.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::model {

/// Definitions in the order they were made: patterns and what they say.
using MetricDefinitions = std::vector<std::pair<std::string, std::shared_ptr<const MetricOptions>>>;

/// The one that holds for `key`: a whole name before a pattern, then the newest. Null when none
/// does.
std::shared_ptr<const MetricOptions> definition_of(std::string_view key,
                                                   const MetricDefinitions& definitions);

/// The number that stands for a scalar key where one is shown: the summary it was defined with,
/// else the last value. Nothing for Summary::None, or when it has no such number.
std::optional<double> summary_of(const KeyInfo& key);

/// The smallest or the largest value, as the goal says; nothing without a goal or a number.
std::optional<double> best_of(const KeyInfo& key);

/// Whether it is left out where nobody asked for it by name.
bool is_hidden(const KeyInfo& key) noexcept;

/// "last", "min", "max", "mean", "none".
std::string_view name_of(Summary summary) noexcept;
/// "minimize", "maximize"; empty for none.
std::string_view name_of(Goal goal) noexcept;

}  // namespace taffrail::model
