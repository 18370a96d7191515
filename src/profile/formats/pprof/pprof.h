// Files of pprof: a protobuf message, usually packed with gzip. Stacks with several weights each.
#pragma once

#include "profile/format.h"

namespace taffrail::profile {

bool is_pprof(ByteSpan bytes);
Result<void> read_pprof(ByteSpan bytes, Profile& profile);
Result<void> write_pprof(Profile& profile, Output& out, const WriteOptions& options);

}  // namespace taffrail::profile
