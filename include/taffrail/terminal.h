// What the terminal table can show: named statistics and how their numbers are written.
#pragma once

#include <taffrail/api.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

enum class StatFormat : std::uint8_t {
    Number,    ///< 0.1234
    Duration,  ///< seconds: "34.500 ms", "1 h, 1 m, 1 s"
    Rate,      ///< "163.84 K"
};

/// A statistic: `name` is used in configurations ("ITER_TRAIN_TIME"), `label` is its column and its
/// key in the run
/// ("Train Iter (time)").
struct StatInfo {
    std::string name = {};
    std::string label = {};
    StatFormat format = StatFormat::Number;
};

/// Adds a statistic; a second one of the same name replaces the first. Thread-safe.
TAFFRAIL_API void register_stat(StatInfo info);
/// All of them, built-in ones first.
TAFFRAIL_API std::vector<StatInfo> registered_stats();
/// By name or by label.
TAFFRAIL_API std::optional<StatInfo> find_stat(std::string_view name_or_label);

}  // namespace taffrail
