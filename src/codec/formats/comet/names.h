// Names of metrics of the machine there and here.
#pragma once

#include <string>
#include <string_view>

namespace taffrail::formats::comet {

struct SystemName {
    std::string name;
    double factor = 1;  ///< the value is multiplied by it
};

/// "system/cpu/percent" → "sys.cpu.percent.avg"; what has no name there gets "sys.taffrail.…".
SystemName to_comet(std::string_view key);
/// The way back for every "sys.…"; `name` empty for names that are none.
SystemName from_comet(std::string_view name);

}  // namespace taffrail::formats::comet
