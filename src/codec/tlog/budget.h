// What a frame may unpack to, by the bytes that are there. Equal values and repeated texts pack
// endlessly, so a few bytes can stand for any amount of memory: beyond what a writer puts into one
// frame, memory has to be paid for in bytes of the file. Writers keep to the same bounds.
#pragma once

#include "codec/tlog/encode.h"
#include "codec/tlog/frame.h"

#include <algorithm>
#include <cstdint>

namespace taffrail::tlog {

/// Without any bytes to show for them: 32 MiB of cells. A recorder puts at most half of that into a
/// frame (record/batch_builder.cpp).
inline constexpr std::uint64_t kFreeCells = 1u << 22;
inline constexpr std::uint64_t kCellsAByte = 64;

inline constexpr std::uint64_t kFreePayloadBytes = 16u << 20;
inline constexpr std::uint64_t kPayloadBytesAByte = 1024;

/// The cells that a frame of so many stored bytes may decode to.
[[nodiscard]] constexpr std::uint64_t most_cells(std::uint64_t stored_bytes) noexcept {
    return std::min(kMaxFrameCells, kFreeCells + kCellsAByte * stored_bytes);
}

/// The bytes that it may decompress to.
[[nodiscard]] constexpr std::uint64_t most_payload_bytes(std::uint64_t stored_bytes) noexcept {
    return std::min<std::uint64_t>(kMaxPayloadBytes,
                                   kFreePayloadBytes + kPayloadBytesAByte * stored_bytes);
}

}  // namespace taffrail::tlog
