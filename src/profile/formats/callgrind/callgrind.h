// Files of callgrind: costs of functions and of the calls between them, as text. No stacks.
#pragma once

#include "profile/format.h"

namespace taffrail::profile {

bool is_callgrind(ByteSpan bytes);
/// Costs of a function's lines are added up; its line is the first one that has a cost.
Result<void> read_callgrind(ByteSpan bytes, Profile& profile);
Result<void> write_callgrind(Profile& profile, Output& out, const WriteOptions& options);

}  // namespace taffrail::profile
