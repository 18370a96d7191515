// Payloads of the live log, read. Bytes are not trusted: lengths are checked before use, and what a
// frame may decode to is bounded. Unknown sections are kept aside, so that tools which rewrite
// files carry them through.
#pragma once

#include "codec/tlog/batch.h"
#include "codec/tlog/checkpoint.h"
#include "codec/tlog/encode.h"
#include "codec/tlog/frame.h"
#include "codec/tlog/sections.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace taffrail::tlog {

/// A batch with the memory its spans point into. Reusable: decode() keeps the buffers.
class DecodedBatch {
  public:
    /// Decodes `payload`, which must outlive the batch (names, metadata and console text point into
    /// it). False when the bytes are not a batch; then batch() is empty.
    bool decode(ByteSpan payload, std::uint64_t max_cells = kMaxFrameCells);
    /// The payload of this frame, to no more than its bytes may stand for (budget.h): for files
    /// that somebody else may have made.
    bool decode(const FrameHeader& header, ByteSpan payload);

    [[nodiscard]] const Batch& batch() const noexcept { return batch_; }

    [[nodiscard]] const std::vector<std::pair<Section, ByteSpan>>& unknown_sections()
        const noexcept {
        return unknown_;
    }

  private:
    template <typename T>
    std::span<T> allocate(std::size_t count);
    bool claim(std::uint64_t cells) noexcept;
    bool decode_section(Section tag, ByteSpan body);
    void decode_axes(ByteCursor& from, std::size_t rows, Axes& axes);
    void decode_wide(ByteCursor& from);
    void decode_long(ByteCursor& from);

    Batch batch_;
    std::vector<std::pair<Section, ByteSpan>> unknown_;
    std::vector<std::vector<std::uint64_t>> blocks_;  ///< 8-byte cells, whatever their type
    std::size_t used_blocks_ = 0;
    std::uint64_t cells_left_ = 0;
};

std::optional<FileIdentity> decode_identity(ByteSpan payload);
/// What of a checkpoint is wanted: a list of runs needs no keys and series.
enum class CheckpointParts : std::uint8_t { All, Description };
/// Views point into `payload`.
std::optional<Checkpoint> decode_checkpoint(ByteSpan payload,
                                            CheckpointParts parts = CheckpointParts::All);
std::optional<EndMark> decode_end(ByteSpan payload);

}  // namespace taffrail::tlog
