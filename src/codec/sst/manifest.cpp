#include "codec/sst/manifest.h"

#include "base/crc32c.h"

#include <map>
#include <span>
#include <string_view>

namespace taffrail::sst {
namespace {

constexpr std::size_t kBlock = 32 << 10;
constexpr std::size_t kHeader = 7;

/// A checksum as it stands in files: the checksum of checksums would be a weak one.
std::uint32_t unmasked(std::uint32_t stored) {
    const std::uint32_t rotated = stored - 0xA282EAD8u;
    return (rotated >> 17) | (rotated << 15);
}

/// The records of a log: pieces in blocks of 32 KiB.
std::optional<std::vector<Bytes>> read_records(ByteSpan log) {
    enum Type : std::uint8_t { Zero = 0, Full = 1, First = 2, Middle = 3, Last = 4 };

    std::vector<Bytes> records;
    Bytes open;
    bool is_open = false;
    for (std::size_t at = 0; at + kHeader <= log.size();) {
        const std::size_t left = kBlock - at % kBlock;
        if (left < kHeader) {
            at += left;
            continue;
        }
        const auto stored = load<std::uint32_t>(log.data() + at);
        const std::size_t length = load<std::uint16_t>(log.data() + at + 4);
        const auto type = static_cast<std::uint8_t>(log[at + 6]);
        if (kHeader + length > left || type > Last || type == Zero) {
            return std::nullopt;
        }
        if (at + kHeader + length > log.size()) {
            break;  // being written
        }
        const ByteSpan piece = log.subspan(at + kHeader, length);
        if (unmasked(stored) != crc32c(log.subspan(at + 6, 1 + length))) {
            return std::nullopt;
        }
        const bool begins = type == Full || type == First;
        if (begins == is_open) {
            return std::nullopt;
        }
        append(open, piece);
        is_open = type == First || type == Middle;
        if (!is_open) {
            records.push_back(std::move(open));
            open.clear();
        }
        at += kHeader + length;
    }
    return records;
}

/// Changes of one record, applied to the tables known so far; false for what is not known.
class Changes {
  public:
    explicit Changes(std::map<std::uint64_t, TableFile>& tables) : tables_(tables) {}

    bool apply(ByteSpan record) {
        ByteCursor at(record);
        while (at.ok() && at.remaining() > 0) {
            if (!take(at, at.varint())) {
                return false;
            }
        }
        return at.ok();
    }

  private:
    enum Tag : std::uint32_t {
        Comparator = 1,
        LogNumber = 2,
        NextFile = 3,
        LastSequence = 4,
        CompactCursor = 5,
        DeletedFile = 6,
        PreviousLog = 9,
        LeastLog = 10,
        NewFile = 103,
        ColumnFamily = 200,
        MostColumnFamilies = 203,
        InGroup = 300,
        MayBeIgnored = 1 << 13,
        OldBlobFile = (1 << 13) + 2,
        OldBlobGarbage = (1 << 13) + 3,
        LogAddition = (1 << 13) + 4,
        LogDeletion = (1 << 13) + 5,
    };

    bool take(ByteCursor& at, std::uint64_t tag) {
        switch (tag) {
            case Comparator:
                return at.text() == "leveldb.BytewiseComparator";
            case LogNumber:
            case NextFile:
            case LastSequence:
            case PreviousLog:
            case LeastLog:
            case MostColumnFamilies:
            case InGroup:
                at.varint();
                return true;
            case ColumnFamily:
                return at.varint() == 0;
            case CompactCursor:
                at.varint();
                at.text();
                return true;
            case DeletedFile:
                at.varint();
                return tables_.erase(at.varint()) == 1;
            case NewFile:
                return take_new_file(at);
            case OldBlobFile:
            case OldBlobGarbage:
            case LogAddition:
            case LogDeletion:
                return false;  // without a length in front
            default:
                if ((tag & MayBeIgnored) == 0 || tag > UINT32_MAX) {
                    return false;
                }
                at.text();
                return true;
        }
    }

    bool take_new_file(ByteCursor& at) {
        constexpr std::uint64_t kEnd = 1, kOldestBlobFile = 4, kMustBeKnown = 64;
        TableFile file;
        at.varint();  // level
        file.number = at.varint();
        file.size = at.varint();
        at.text();  // smallest and largest key
        at.text();
        at.varint();  // smallest sequence
        file.largest_sequence = at.varint();
        for (std::uint64_t field = at.varint(); field != kEnd; field = at.varint()) {
            at.text();
            if (!at.ok() || field == kOldestBlobFile || (field & kMustBeKnown) != 0) {
                return false;
            }
        }
        return at.ok() && tables_.emplace(file.number, file).second;
    }

    std::map<std::uint64_t, TableFile>& tables_;
};

}  // namespace

std::optional<std::vector<TableFile>> read_manifest(ByteSpan manifest) {
    const auto records = read_records(manifest);
    if (!records || records->empty()) {
        return std::nullopt;
    }
    std::map<std::uint64_t, TableFile> known;
    Changes changes(known);
    for (const Bytes& record : *records) {
        if (!changes.apply(record)) {
            return std::nullopt;
        }
    }
    std::vector<TableFile> tables;
    for (const auto& [number, file] : known) {
        tables.push_back(file);
    }
    return tables;
}

}  // namespace taffrail::sst
