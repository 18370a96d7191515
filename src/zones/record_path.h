// What of the recording path others need.
#pragma once

#include "zones/thread_zones.h"

namespace taffrail::zones {

/// One more call of that duration, without its time: it is in the time of another place.
void count_call(Node& node, std::uint64_t duration) noexcept;

}  // namespace taffrail::zones
