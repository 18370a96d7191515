// ZIP archives written front to back: nothing is sought, so any sink of bytes will do.
//
// Every entry is whole when it is added, and its sizes stand before its bytes. Fields of 64 bits
// are used where 32 do not suffice (ZIP64), and only there: old readers read what they can.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

enum class ZipMethod : std::uint8_t { Stored, Deflated };

class ZipWriter {
  public:
    /// Takes the bytes of the archive in order.
    using Write = std::function<Result<void>(ByteSpan bytes)>;

    /// `time_ns` (UTC) is the time of every entry: the same content gives the same bytes.
    explicit ZipWriter(Write write, std::int64_t time_ns = 0);

    /// `name` has '/' between folders, no leading one, and is UTF-8. Bytes that do not get smaller
    /// are stored. A name that is there already is refused.
    Result<void> add(std::string_view name, ByteSpan bytes, ZipMethod method = ZipMethod::Deflated);

    /// Writes the list of entries; nothing may be added any more.
    Result<void> finish();

    [[nodiscard]] std::uint64_t written() const noexcept { return offset_; }

  private:
    struct Entry {
        std::string name;
        std::uint32_t crc = 0;
        std::uint64_t packed = 0, size = 0, offset = 0;
        ZipMethod method = ZipMethod::Stored;
    };

    void append_what_both_heads_say(Bytes& head, const Entry& entry, bool is_large) const;
    Result<void> put(ByteSpan bytes);

    Write write_;
    std::uint16_t dos_time_ = 0, dos_date_ = 0;
    std::uint64_t offset_ = 0;
    bool is_finished_ = false;
    std::vector<Entry> entries_;
    std::set<std::string, std::less<>> names_;
};

}  // namespace taffrail
