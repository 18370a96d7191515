// Traces of Perfetto: protobuf packets with track events.
#pragma once

#include "profile/format.h"

namespace taffrail::profile {

bool is_perfetto(ByteSpan bytes);
/// Track events, tracks, counters, flows and interned names; packets of other kinds are counted.
Result<void> read_perfetto(ByteSpan bytes, Profile& profile);
Result<void> write_perfetto(Profile& profile, Output& out, const WriteOptions& options);

}  // namespace taffrail::profile
