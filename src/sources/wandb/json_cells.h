// JSON of settings and rows as cells and numbers.
#pragma once

#include <taffrail/value.h>

#include "codec/json_cells.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::wandb {

/// Objects become several names, joined.
void flatten(const std::string& name, const Json& json, char joint,
             std::map<std::string, Cell>& to);
/// The parts of a name as one; what is no UTF-8 is repaired.
std::string joined(const std::vector<std::string_view>& path, char joint);
/// A number as JSON has it, the bare words for those that JSON lacks, and truth as 1 and 0.
std::optional<double> number_of(std::string_view json) noexcept;

}  // namespace taffrail::sources::wandb
