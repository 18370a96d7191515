// Runs a small program and takes its output: for asking git, nothing else.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::system {

/// Standard output of `arguments[0]` (found in PATH), or nothing when it is absent, fails, or takes
/// longer than `limit`. Input and errors are /dev/null. Output beyond `limit_bytes` is cut.
std::optional<std::string> output_of(const std::vector<std::string>& arguments,
                                     std::chrono::milliseconds limit, std::size_t limit_bytes);

}  // namespace taffrail::system
