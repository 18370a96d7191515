// Records of one event file, read front to back through a window, with a way past damage.
//
// Bytes that are no record are damage when a good record follows, and pending when none does: a
// writer may still be busy with them. Nothing here ever gives a file up.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "codec/formats/tensorboard/framing.h"
#include "io/file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::sources::tensorboard {

using namespace formats::tensorboard;

/// A range of a file that holds no record although records follow.
struct DamagedRange {
    std::uint64_t offset = 0, length = 0;
    const char* reason = "";
};

/// How the bytes behind the last record look.
enum class Tail : std::uint8_t {
    Clean,   ///< the file ends with a record
    Short,   ///< a record that is not whole yet
    Zeros,   ///< nothing but zeros: file systems show space that is yet to be written like this
    Broken,  ///< bytes that are no record: junk, or a whole record whose CRC fails
};

class RecordStream {
  public:
    /// Reads records that begin in [begin, end); `size` is how far the file goes. With
    /// `synchronise` the first record is searched for: `begin` lies somewhere inside the file.
    RecordStream(io::File& file, std::uint64_t begin, std::uint64_t end, std::uint64_t size,
                 bool synchronise, Bytes& buffer);

    /// The next record; false at the end. The payload is valid until the next call.
    bool next(ByteSpan& payload) {
        const std::size_t left = static_cast<std::size_t>(window_end_ - at_);
        if (position_ < end_ && left >= kHeaderBytes && is_header(at_)) [[likely]] {
            const auto length = load<std::uint64_t>(at_);
            if (length <= left - kHeaderBytes && left - kHeaderBytes - length >= kFooterBytes)
                [[likely]] {
                payload = {at_ + kHeaderBytes, static_cast<std::size_t>(length)};
                if (masked_crc32c(payload) == load<std::uint32_t>(payload.data() + length))
                    [[likely]] {
                    record_ = position_;
                    position_ += length + kFrameBytes;
                    at_ += length + kFrameBytes;
                    return true;
                }
            }
        }
        return next_slowly(payload);
    }

    /// File offset of the record returned last.
    [[nodiscard]] std::uint64_t record_offset() const noexcept { return record_; }

    /// Where the first record was found (`begin` unless it had to be searched for; `size` when
    /// there is none).
    [[nodiscard]] std::uint64_t first_record() const noexcept { return first_; }

    /// Offset behind the last good record: where to go on when the file has grown.
    [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

    [[nodiscard]] Tail tail() const noexcept { return tail_; }

    [[nodiscard]] const std::vector<DamagedRange>& damage() const noexcept { return damage_; }

    /// The record returned last is no event: it counts as damage too.
    void mark_unreadable(const char* reason) {
        damage_.push_back({record_, position_ - record_, reason});
    }

    /// Set when the file could not be read any further.
    [[nodiscard]] const std::string& error() const noexcept { return error_; }

  private:
    bool next_slowly(ByteSpan& payload);
    /// Makes `bytes` bytes at `position` part of the window, or as many as the file has. Returns
    /// how many are there.
    std::size_t ensure(std::uint64_t position, std::uint64_t bytes);
    /// Offset of the next whole record at or behind `from`; size_ when there is none.
    std::uint64_t find_record(std::uint64_t from);
    bool only_zeros(std::uint64_t from);
    bool is_whole_record(std::uint64_t position);
    /// True when the `length` bytes behind the header at `position` match the checksum behind them.
    bool is_whole_payload(std::uint64_t position, std::uint64_t length);
    /// A record whose length fails its own checksum is one all the same when its payload, so long,
    /// matches. Wild lengths are not followed for ever: all such looks together read as much as the
    /// file is long.
    bool is_proven_by_payload(std::uint64_t position);
    void go_to(std::uint64_t position);

    io::File& file_;
    Bytes& buffer_;
    std::uint64_t end_, size_;
    std::uint64_t proof_bytes_left_;
    std::uint64_t window_ = 0;  ///< file offset of buffer_[0]
    const std::byte* window_end_ = nullptr;
    const std::byte* at_ = nullptr;  ///< position_ inside the window
    std::uint64_t position_ = 0, record_ = 0, first_ = 0;
    Tail tail_ = Tail::Clean;
    std::vector<DamagedRange> damage_;
    std::string error_;
};

}  // namespace taffrail::sources::tensorboard
