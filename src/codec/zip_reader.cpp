#include "codec/zip_reader.h"

#include "base/try.h"
#include "codec/gzip.h"

#include <algorithm>

namespace taffrail {
namespace {

constexpr std::uint32_t kEntryMark = 0x02014b50, kLocalMark = 0x04034b50, kEndMark = 0x06054b50,
                        kEnd64Mark = 0x06064b50, kLocatorMark = 0x07064b50;
constexpr std::uint64_t kEndBytes = 22, kLocatorBytes = 20, kLocalBytes = 30;
constexpr std::uint64_t kMaxListBytes = std::uint64_t{256} << 20;

Error damaged(std::string_view what) {
    return {ErrorCode::Corrupt, "damaged ZIP archive: " + std::string(what)};
}

struct List {
    std::uint64_t offset = 0, bytes = 0, entries = 0;
};

/// Where the list of entries lies; it is told at the end of the file, before a comment.
Result<List> find_list(const ZipReader::ReadAt& read_at, std::uint64_t file_bytes) {
    const std::uint64_t tail = std::min<std::uint64_t>(file_bytes, 65535 + kEndBytes);
    const std::uint64_t begin = file_bytes - tail;
    TAFFRAIL_ASSIGN(const Bytes end, read_at(begin, tail));
    for (std::size_t at = tail < kEndBytes ? 0 : static_cast<std::size_t>(tail - kEndBytes) + 1;
         at-- > 0;) {
        if (load<std::uint32_t>(end.data() + at) != kEndMark) {
            continue;
        }
        List list{load<std::uint32_t>(end.data() + at + 16),
                  load<std::uint32_t>(end.data() + at + 12),
                  load<std::uint16_t>(end.data() + at + 10)};
        if ((list.offset == UINT32_MAX || list.bytes == UINT32_MAX || list.entries == 65535) &&
            at >= kLocatorBytes &&
            load<std::uint32_t>(end.data() + at - kLocatorBytes) == kLocatorMark) {
            const auto where = load<std::uint64_t>(end.data() + at - kLocatorBytes + 8);
            if (where > file_bytes || file_bytes - where < 56) {
                return damaged("its 64-bit end lies outside of it");
            }
            TAFFRAIL_ASSIGN(const Bytes wide, read_at(where, 56));
            if (load<std::uint32_t>(wide.data()) != kEnd64Mark) {
                return damaged("its 64-bit end is not where it should be");
            }
            list = {load<std::uint64_t>(wide.data() + 48), load<std::uint64_t>(wide.data() + 40),
                    load<std::uint64_t>(wide.data() + 32)};
        }
        return list;
    }
    return Error{ErrorCode::Corrupt, "no ZIP archive, or one that was cut short"};
}

}  // namespace

Result<ZipReader> ZipReader::open(ReadAt read_at, std::uint64_t file_bytes) {
    TAFFRAIL_ASSIGN(const List list, find_list(read_at, file_bytes));
    if (list.offset > file_bytes || list.bytes > file_bytes - list.offset ||
        list.bytes > kMaxListBytes) {
        return damaged("its list of entries lies outside of it");
    }
    ZipReader reader;
    reader.file_bytes_ = file_bytes;
    TAFFRAIL_ASSIGN(const Bytes bytes, read_at(list.offset, list.bytes));
    reader.read_at_ = std::move(read_at);
    ByteCursor cursor(bytes);
    while (cursor.remaining() >= 46) {
        if (cursor.read<std::uint32_t>() != kEntryMark) {
            return damaged("its list of entries holds something else");
        }
        ZipEntry entry;
        cursor.take(6);
        entry.method = cursor.read<std::uint16_t>();
        cursor.take(4);
        entry.crc = cursor.read<std::uint32_t>();
        entry.packed = cursor.read<std::uint32_t>();
        entry.size = cursor.read<std::uint32_t>();
        const auto name = cursor.read<std::uint16_t>(), extra = cursor.read<std::uint16_t>(),
                   comment = cursor.read<std::uint16_t>();
        cursor.take(8);
        entry.offset = cursor.read<std::uint32_t>();
        entry.name = as_text(cursor.take(name));
        ByteCursor extras(cursor.take(extra));
        cursor.take(comment);
        if (!cursor.ok()) {
            return damaged("its list of entries is cut short");
        }
        while (extras.ok() && extras.remaining() >= 4) {
            const auto id = extras.read<std::uint16_t>();
            ByteCursor wide(extras.take(extras.read<std::uint16_t>()));
            if (id == 1) {
                const auto widen = [&](std::uint64_t& field) {
                    if (field == UINT32_MAX) {
                        field = wide.read<std::uint64_t>();
                    }
                };
                widen(entry.size);
                widen(entry.packed);
                widen(entry.offset);
            }
        }
        reader.entries_.push_back(std::move(entry));
    }
    return reader;
}

const ZipEntry* ZipReader::find(std::string_view name) const noexcept {
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                    [&](const ZipEntry& entry) { return entry.name == name; });
    return found != entries_.rend() ? &*found : nullptr;
}

Result<std::uint64_t> ZipReader::data_offset(const ZipEntry& entry) const {
    if (entry.offset > file_bytes_ || file_bytes_ - entry.offset < kLocalBytes) {
        return damaged("'" + entry.name + "' lies outside of it");
    }
    TAFFRAIL_ASSIGN(const Bytes head, read_at_(entry.offset, kLocalBytes));
    const std::uint64_t begin = entry.offset + kLocalBytes + load<std::uint16_t>(head.data() + 26) +
                                load<std::uint16_t>(head.data() + 28);
    if (load<std::uint32_t>(head.data()) != kLocalMark || begin > file_bytes_ ||
        file_bytes_ - begin < entry.packed) {
        return damaged("'" + entry.name + "' is not where it should be");
    }
    return begin;
}

Result<Bytes> ZipReader::read(const ZipEntry& entry, std::uint64_t limit) const {
    if (entry.size > limit || entry.packed > limit) {
        return Error{ErrorCode::Unsupported,
                     "'" + entry.name + "' has more than " + std::to_string(limit) + " bytes"};
    }
    if (entry.method != 0 && entry.method != 8) {
        return Error{ErrorCode::Unsupported, "'" + entry.name + "' is packed in an unknown way"};
    }
    TAFFRAIL_ASSIGN(const std::uint64_t begin, data_offset(entry));
    TAFFRAIL_ASSIGN(Bytes bytes, read_at_(begin, entry.packed));
    if (entry.method == 8) {
        TAFFRAIL_ASSIGN(bytes, inflate(bytes, std::max<std::uint64_t>(entry.size, 1)));
    }
    if (bytes.size() != entry.size || crc32(bytes) != entry.crc) {
        return damaged("'" + entry.name + "' does not have the bytes it should have");
    }
    return bytes;
}

Result<Bytes> ZipReader::read_part(const ZipEntry& entry, std::uint64_t offset,
                                   std::uint64_t size) const {
    if (entry.method != 0 || offset > entry.packed || size > entry.packed - offset) {
        return damaged("'" + entry.name + "' has no such part");
    }
    TAFFRAIL_ASSIGN(const std::uint64_t begin, data_offset(entry));
    return read_at_(begin + offset, size);
}

}  // namespace taffrail
