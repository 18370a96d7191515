#include "codec/zip_writer.h"

#include "base/try.h"
#include "codec/gzip.h"

#include <algorithm>
#include <ctime>

namespace taffrail {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::uint64_t kSmall = 0xFFFFFFFF;  // and this value itself says: look in the extra field
constexpr std::uint16_t kVersion64 = 45, kVersion = 20, kUtf8 = 1 << 11, kExtra64 = 1;

std::uint16_t version_of(bool is_large) {
    return is_large ? kVersion64 : kVersion;
}

std::uint32_t small(std::uint64_t value) {
    return static_cast<std::uint32_t>(std::min(value, kSmall));
}

std::uint16_t method_number(ZipMethod method) {
    return method == ZipMethod::Deflated ? 8 : 0;
}

}  // namespace

ZipWriter::ZipWriter(Write write, std::int64_t time_ns) : write_(std::move(write)) {
    const std::time_t seconds = static_cast<std::time_t>(time_ns / 1'000'000'000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    // The format counts from 1980.
    const int year = std::clamp(parts.tm_year - 80, 0, 127);
    if (parts.tm_year < 80) {
        parts = {};
        parts.tm_mday = 1;
    }
    dos_date_ = static_cast<std::uint16_t>(year << 9 | (parts.tm_mon + 1) << 5 | parts.tm_mday);
    dos_time_ =
        static_cast<std::uint16_t>(parts.tm_hour << 11 | parts.tm_min << 5 | parts.tm_sec / 2);
}

Result<void> ZipWriter::put(ByteSpan bytes) {
    TAFFRAIL_TRY(write_(bytes));
    offset_ += bytes.size();
    return {};
}

void ZipWriter::append_what_both_heads_say(Bytes& head, const Entry& entry, bool is_large) const {
    append(head, version_of(is_large));
    append(head, kUtf8);
    append(head, method_number(entry.method));
    append(head, dos_time_);
    append(head, dos_date_);
    append(head, entry.crc);
}

Result<void> ZipWriter::add(std::string_view name, ByteSpan bytes, ZipMethod method) {
    if (is_finished_ || name.empty() || name.size() > 0xFFFF || name.starts_with('/')) {
        return Error{ErrorCode::InvalidArgument,
                     "'" + std::string(name) + "' cannot be an entry of this archive"};
    }
    if (!names_.emplace(name).second) {
        return Error{ErrorCode::AlreadyExists,
                     "'" + std::string(name) + "' is in the archive already"};
    }
    Entry entry{.name = std::string(name), .crc = crc32(bytes), .size = bytes.size()};
    entry.offset = offset_;
    Bytes packed;
    ByteSpan content = bytes;
    if (method == ZipMethod::Deflated && !bytes.empty()) {
        packed = deflate(bytes);
        if (packed.size() < bytes.size()) {
            content = packed;
            entry.method = ZipMethod::Deflated;
        }
    }
    entry.packed = content.size();
    const bool is_large = entry.size >= kSmall || entry.packed >= kSmall;
    Bytes head;
    append(head, kLocal);
    append_what_both_heads_say(head, entry, is_large);
    append(head, is_large ? std::uint32_t{0xFFFFFFFF} : small(entry.packed));
    append(head, is_large ? std::uint32_t{0xFFFFFFFF} : small(entry.size));
    append(head, static_cast<std::uint16_t>(name.size()));
    append(head, static_cast<std::uint16_t>(is_large ? 20 : 0));
    append(head, as_bytes(name));
    if (is_large) {
        append(head, kExtra64);
        append(head, std::uint16_t{16});
        append(head, entry.size);
        append(head, entry.packed);
    }
    TAFFRAIL_TRY(put(head));
    TAFFRAIL_TRY(put(content));
    entries_.push_back(std::move(entry));
    return {};
}

Result<void> ZipWriter::finish() {
    const std::uint64_t start = offset_;
    for (const Entry& entry : entries_) {
        Bytes extra;
        for (const std::uint64_t field : {entry.size, entry.packed, entry.offset}) {
            if (field >= kSmall) {
                append(extra, field);
            }
        }
        const bool is_large = !extra.empty();
        Bytes head;
        append(head, kCentral);
        append(head, static_cast<std::uint16_t>(3 << 8 | version_of(is_large)));  // made on Unix
        append_what_both_heads_say(head, entry, is_large);
        append(head, small(entry.packed));
        append(head, small(entry.size));
        append(head, static_cast<std::uint16_t>(entry.name.size()));
        append(head, static_cast<std::uint16_t>(is_large ? extra.size() + 4 : 0));
        append(head, std::uint16_t{0});              // comment
        append(head, std::uint16_t{0});              // disk
        append(head, std::uint16_t{0});              // internal attributes
        append(head, std::uint32_t{0100644} << 16);  // an ordinary file, readable
        append(head, small(entry.offset));
        append(head, as_bytes(entry.name));
        if (is_large) {
            append(head, kExtra64);
            append(head, static_cast<std::uint16_t>(extra.size()));
            append(head, ByteSpan(extra));
        }
        TAFFRAIL_TRY(put(head));
    }
    const std::uint64_t size = offset_ - start;
    const std::uint64_t end64 = offset_;
    Bytes tail;
    if (entries_.size() >= 0xFFFF || start >= kSmall || size >= kSmall) {
        append(tail, kEnd64);
        append(tail, std::uint64_t{44});
        append(tail, static_cast<std::uint16_t>(3 << 8 | kVersion64));
        append(tail, kVersion64);
        append(tail, std::uint32_t{0});
        append(tail, std::uint32_t{0});
        append(tail, std::uint64_t{entries_.size()});
        append(tail, std::uint64_t{entries_.size()});
        append(tail, size);
        append(tail, start);
        append(tail, kLocator64);
        append(tail, std::uint32_t{0});
        append(tail, end64);
        append(tail, std::uint32_t{1});
    }
    const auto count = static_cast<std::uint16_t>(std::min<std::size_t>(entries_.size(), 0xFFFF));
    append(tail, kEnd);
    append(tail, std::uint16_t{0});
    append(tail, std::uint16_t{0});
    append(tail, count);
    append(tail, count);
    append(tail, small(size));
    append(tail, small(start));
    append(tail, std::uint16_t{0});
    is_finished_ = true;
    return put(tail);
}

}  // namespace taffrail
