// Files of speedscope: frames once, then profiles as weighted samples or as opened and closed
// frames.
#pragma once

#include "profile/format.h"

namespace taffrail::profile {

bool is_speedscope(ByteSpan bytes);
Result<void> read_speedscope(ByteSpan bytes, Profile& profile);
/// A timeline becomes opened and closed frames, stacks become samples; one profile a thread.
Result<void> write_speedscope(Profile& profile, Output& out, const WriteOptions& options);

}  // namespace taffrail::profile
