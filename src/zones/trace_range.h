// A window of traced zones as bytes: what a tracer makes its files from. The zones go into the
// profile of the run where there is one, as every window; otherwise they are kept nowhere else.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "base/clock.h"

#include <cstdint>

namespace taffrail::zones {

/// As start_zone_trace(), and without a run too. An error while another window is open. Gives the
/// clock of the zones: what stands beside them must be told by the same, since two that were made
/// at different times are further apart than a short zone is long.
Result<TickClock> begin_trace_range(std::uint64_t max_bytes);

/// Ends it: frames of a .tprof file that need no other, of this window alone.
Result<Bytes> end_trace_range();

}  // namespace taffrail::zones
