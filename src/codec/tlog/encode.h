// Payloads of the live log, written. Each function appends sections to `to`; framing and
// compression are FrameEncoder's.
#pragma once

#include "codec/tlog/batch.h"
#include "codec/tlog/checkpoint.h"

#include <cstdint>

namespace taffrail::tlog {

void encode_identity(Bytes& to, const FileIdentity& identity);
void encode_batch(Bytes& to, const Batch& batch);
void encode_checkpoint(Bytes& to, const Checkpoint& checkpoint);
void encode_end(Bytes& to, const EndMark& end);

/// Values that a batch decodes to: a frame holds at most kMaxFrameCells of them, so that no reader
/// needs unbounded memory.
std::uint64_t cells_of(const Batch& batch) noexcept;
inline constexpr std::uint64_t kMaxFrameCells = 1u << 26;

}  // namespace taffrail::tlog
