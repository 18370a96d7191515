// Keys and folders as Weights & Biases wants them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace taffrail::sinks::wandb {

/// Where the true step stands when it is not the place of the row.
inline constexpr std::string_view kTrueStep = "step";

/// The name of a metric there. Any text is one, but for those that its rows hold already (`_step`,
/// `_runtime`, …), our own `step` and no text at all: these are escaped (codec/escaped_names.h).
std::string metric_name(std::string_view key);

/// "offline-run-20260301_123456-<id>", or "run-…" for one that is online; in local time as the
/// official program has it.
std::string folder_name(std::int64_t time_ns, std::string_view id, bool is_online);

}  // namespace taffrail::sinks::wandb
