// Where event files go: Lightning's version_k, torch's date and host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace taffrail::sinks::tensorboard {

/// root/name/version_k with k one above the highest there; a version that is no number is taken as
/// it is.
std::string versioned_folder(const std::string& root, const std::string& name,
                             const std::string& version);

/// runs/Nov15_06-30-00_host<comment>, as torch names it.
std::string default_log_dir(std::string_view comment, std::int64_t time_ns);

}  // namespace taffrail::sinks::tensorboard
