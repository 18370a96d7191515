// The container of a `.wandb` file: records cut into chunks that never cross a block of 32 KiB.
//
// Bytes: ":W&B", the magic number 0xBEE1, version 0; then chunks of u32 CRC-32 (of type and
// payload), u16 length, u8 type (1 whole, 2 first, 3 middle, 4 last) and payload. Fewer than 7
// bytes left in a block are zeros. Blocks count from the first byte of the file; files of an early
// writer count from behind the header.
#pragma once

#include "base/bytes.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace taffrail::formats::wandb {

inline constexpr std::uint64_t kBlockBytes = 32768;
inline constexpr std::uint64_t kChunkHeaderBytes = 7;
inline constexpr std::array<std::uint8_t, 7> kFileHeader = {':', 'W', '&', 'B', 0xE1, 0xBE, 0};
/// A record of more is refused: the largest official one is far below.
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{256} << 20;

/// Appends the chunks of one record to `to`, which begins at byte `begin` of the file.
void append_record(Bytes& to, std::uint64_t begin, ByteSpan payload);

/// What the first bytes say.
enum class FileKind : std::uint8_t { Wandb, TooShort, Foreign, UnknownVersion };
FileKind kind_of_file(ByteSpan first_bytes) noexcept;

/// Bytes that hold no readable record.
struct DamagedRange {
    std::uint64_t offset = 0, length = 0;
    std::string reason;
};

/// Takes the bytes of a file piece by piece and hands out its records. A damaged chunk costs the
/// rest of its block; what ends in the middle of a chunk waits for more.
class RecordScanner {
  public:
    using OnRecord = std::function<void(ByteSpan record, std::uint64_t offset)>;

    /// `block_origin` is where block 0 begins: 0, or 7 for the early writer.
    explicit RecordScanner(std::uint64_t block_origin = 0) : origin_(block_origin) {}

    /// Bytes of the file from position() on. Takes all whole chunks of them; what is left over is
    /// to be given again with more behind it.
    void take(ByteSpan bytes, const OnRecord& on_record);

    /// The byte of the file to go on with; may lie behind its end after damage.
    [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

    /// The beginning of a record has been seen and its end has not.
    [[nodiscard]] bool inside_record() const noexcept { return !record_.empty() || begun_; }

    [[nodiscard]] const std::vector<DamagedRange>& damage() const noexcept { return damage_; }

  private:
    [[nodiscard]] std::uint64_t left_in_block() const noexcept {
        return kBlockBytes - (position_ - origin_) % kBlockBytes;
    }

    void lose(std::uint64_t length, std::string reason);
    void take_chunk(std::uint8_t type, ByteSpan payload, const OnRecord& on_record);

    std::uint64_t origin_;
    std::uint64_t position_ = kFileHeader.size();
    Bytes record_;
    bool begun_ = false;
    bool skipping_ = false;  ///< middle and last chunks of a record whose begin is lost
    std::uint64_t record_offset_ = 0;
    std::uint64_t zeros_from_ = 0, zeros_ = 0;  ///< a zero block is damage only if records follow
    std::vector<DamagedRange> damage_;
};

/// Where the blocks of a file begin, from its first bytes: 0, or 7.
std::uint64_t block_origin_of(ByteSpan first_bytes);

}  // namespace taffrail::formats::wandb
