// Frames of a .tprof file: finding the good ones.
#pragma once

#include "profile/formats/tprof/tprof.h"

#include <functional>

namespace taffrail::profile::tprof {

inline constexpr std::uint32_t kMagic = 0x31465054;  // "TPF1"

/// `payload` with a header before it.
Bytes frame(FrameType type, ByteSpan payload);

/// Calls `each` with type, payload and offset of every good frame, in order.
Check walk(ByteSpan bytes,
           const std::function<void(std::uint8_t type, ByteSpan payload, std::uint64_t at)>& each);

}  // namespace taffrail::profile::tprof
