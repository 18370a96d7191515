// Environment variables, behind a function so that tests can bring their own.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace taffrail::run {

/// The value of a variable, or nothing when it is not set or empty.
using Variables = std::function<std::optional<std::string>(const char* name)>;

/// Those of this process.
Variables process_variables();

}  // namespace taffrail::run
