// Walks the frames of a log file, whatever happened to it: reader rules of docs/formats/tlog.md.
//
// Bytes at the end that are no whole frame are pending, never an error: the writer may be in the
// middle of a write, or a network file system may show a hole that fills later. Bytes that are no
// frame but are followed by one are damage, stated exactly; reading goes on behind it.
#pragma once

#include "base/bytes.h"
#include "codec/tlog/frame.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace taffrail::tlog {

/// A range that could not be read, or a break of the chain (length 0: whole frames are missing or
/// out of order).
struct DamagedRange {
    std::uint64_t offset = 0, length = 0;
    std::uint64_t
        first_seq = 0,
        end_seq = 0;  ///< rows first_seq … end_seq-1 are not in the file here; equal = none known
    std::string_view reason;
};

/// The file is handed over in windows: each call gets the bytes from offset() on, as many as the
/// caller has at hand, and whether they reach the end of the file. No copy is made.
class FrameScanner {
  public:
    enum class Outcome : std::uint8_t {
        Frame,      ///< frame() and stored() are the next frame
        Duplicate,  ///< a frame seen before was stepped over
        Damage,     ///< damage() is a range that was stepped over
        NeedMore,   ///< call again with at least needed() bytes, or all that remain
        Pending,    ///< nothing more yet; offset() is where to go on when the file has grown
    };

    Outcome next(ByteSpan window, bool reaches_end);

    /// Where the next window has to begin.
    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

    [[nodiscard]] const FrameHeader& frame() const noexcept { return frame_; }

    [[nodiscard]] std::uint64_t frame_offset() const noexcept { return frame_offset_; }

    /// Payload bytes of the frame as stored; a view into the window.
    [[nodiscard]] ByteSpan stored() const noexcept { return stored_; }

    [[nodiscard]] const DamagedRange& damage() const noexcept { return damage_; }

    [[nodiscard]] std::uint64_t needed() const noexcept { return needed_; }

    /// The row number the next frame should begin with.
    [[nodiscard]] std::uint64_t next_seq() const noexcept { return next_seq_; }

    /// Begins at a known frame instead of the file's start; the chain and the numbers are taken
    /// from that frame on.
    void begin_at(std::uint64_t offset, std::uint64_t nonce) noexcept;

  private:
    enum class Check : std::uint8_t { Valid, Short, Invalid };

    Check check(ByteSpan window, FrameHeader& header) const noexcept;
    Outcome accept(const FrameHeader& header, ByteSpan window);
    Outcome search(ByteSpan window, bool reaches_end);
    [[nodiscard]] bool seen(const FrameHeader& header) const noexcept;

    std::uint64_t offset_ = 0;
    std::optional<std::uint64_t> nonce_;
    std::optional<std::uint32_t> chain_{
        0};  ///< header CRC of the frame before; unknown after damage
    std::optional<std::uint64_t> damaged_since_;  ///< a search is under way
    std::uint64_t next_seq_ = 0;
    bool numbers_known_ = true;
    bool after_duplicate_ = false;
    std::vector<std::uint64_t> seen_;  ///< one word a frame, looked at only where the chain breaks
    FrameHeader frame_;
    std::uint64_t frame_offset_ = 0;
    ByteSpan stored_;
    DamagedRange damage_;
    std::uint64_t needed_ = 0;
};

}  // namespace taffrail::tlog
