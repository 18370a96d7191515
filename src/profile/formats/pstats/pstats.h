// Files of Python's cProfile: per function its calls and times, and who called it how often. No
// stacks.
#pragma once

#include "profile/format.h"

namespace taffrail::profile {

bool is_pstats(ByteSpan bytes);
Result<void> read_pstats(ByteSpan bytes, Profile& profile);
Result<void> write_pstats(Profile& profile, Output& out, const WriteOptions& options);

/// How many seconds one unit is in a format that has only seconds.
double seconds_per_unit(std::string_view unit);

}  // namespace taffrail::profile
