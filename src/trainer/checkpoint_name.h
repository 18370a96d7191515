// File names of checkpoints from a pattern: "{epoch:02d}-{val_loss:.3f}" →
// "epoch=02-val_loss=0.250".
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace taffrail::trainer {

/// Counters are whole numbers, logged values are not: a format such as 02d fits only the first.
using NamedNumber = std::variant<std::int64_t, double>;

/// Nothing for a name that is not known.
using FindNumber = std::function<std::optional<NamedNumber>(std::string_view name)>;

/// Each {name} or {name:format} becomes name=value; formats are those of Python and Lightning.
/// Slashes become underscores. Unknown names and formats that do not fit are refused.
Result<std::string> checkpoint_name(std::string_view pattern, const FindNumber& find);

}  // namespace taffrail::trainer
