#include "codec/parquet/foreign_file.h"

#include "base/try.h"
#include "codec/gzip.h"
#include "codec/parquet/bits.h"
#include "codec/parquet/compression.h"
#include "codec/parquet/encodings.h"
#include "codec/parquet/foreign_metadata.h"
#include "codec/parquet/snappy.h"
#include "codec/parquet/thrift.h"

#include <algorithm>
#include <utility>

namespace taffrail::parquet {
namespace {

using LeafKind = ForeignLeaf::Type;

constexpr std::int64_t kMostChunkBytes = std::int64_t{1} << 30, kMostPageBytes = 64 << 20;
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 24;  ///< a row may have several

Error broken(const ForeignLeaf& leaf, std::string_view what) {
    return {ErrorCode::Corrupt, "column '" + leaf.path + "': " + std::string(what)};
}

struct Page {
    enum class Kind : std::uint8_t { Data = 0, Index = 1, Dictionary = 2, DataV2 = 3 };

    Kind kind = Kind::Data;
    std::int64_t unpacked = 0, packed = 0, entries = 0, encoding = 0;
    std::int64_t definition_bytes = 0, repetition_bytes = 0;  ///< DataV2
    bool is_packed = true;
    std::size_t head = 0;  ///< bytes of the header itself
};

std::optional<Page> parse_page(ByteSpan bytes) {
    Page page;
    ThriftReader reader(bytes);
    std::int64_t kind = -1;
    for (auto field = reader.next(); field.type != ThriftType::Stop; field = reader.next()) {
        if (field.type == ThriftType::I32 && field.id >= 1 && field.id <= 3) {
            (field.id == 1 ? kind : field.id == 2 ? page.unpacked : page.packed) = reader.number();
            continue;
        }
        if (field.type != ThriftType::Struct || (field.id != 5 && field.id != 7 && field.id != 8)) {
            reader.skip(field.type);
            continue;
        }
        const bool is_second = field.id == 8;
        reader.begin_struct();
        for (field = reader.next(); field.type != ThriftType::Stop; field = reader.next()) {
            if (is_second && field.id == 7) {
                page.is_packed = ThriftReader::truth(field);
                continue;
            }
            std::int64_t* const number = field.id == 1                     ? &page.entries
                                         : field.id == (is_second ? 4 : 2) ? &page.encoding
                                         : is_second && field.id == 5      ? &page.definition_bytes
                                         : is_second && field.id == 6      ? &page.repetition_bytes
                                                                           : nullptr;
            if (number != nullptr && field.type == ThriftType::I32) {
                *number = reader.number();
            } else {
                reader.skip(field.type);
            }
        }
        reader.end_struct();
    }
    if (!reader.ok() || kind < 0 || kind > 3 || page.unpacked < 0 || page.packed < 0 ||
        page.unpacked > kMostPageBytes || page.entries < 0 || page.definition_bytes < 0 ||
        page.repetition_bytes < 0) {
        return std::nullopt;
    }
    page.kind = static_cast<Page::Kind>(kind);
    page.head = reader.offset();
    return page;
}

std::optional<Bytes> unpack(std::int64_t codec, ByteSpan packed, std::int64_t size) {
    const auto bytes = static_cast<std::size_t>(size);
    constexpr std::int64_t kPlain = 0, kSnappy = 1, kGzip = 2, kZstd = 6;
    if (codec == kPlain) {
        return packed.size() == bytes ? std::optional(Bytes(packed.begin(), packed.end()))
                                      : std::nullopt;
    }
    if (codec == kGzip) {
        auto unpacked = gunzip(packed, bytes);
        return unpacked.ok() && unpacked->size() == bytes ? std::optional(*std::move(unpacked))
                                                          : std::nullopt;
    }
    // Snappy and zstd pack 64 and many thousand times at most: what claims more is a lie.
    if ((codec != kSnappy && codec != kZstd) || bytes / 100'000 > packed.size()) {
        return std::nullopt;
    }
    Bytes to(bytes);
    return (codec == kSnappy ? unpack_snappy(packed, to) : unpack_zstd(packed, to))
               ? std::optional(std::move(to))
               : std::nullopt;
}

/// Big-endian, in two's complement.
std::int64_t decimal_of(ByteSpan bytes) noexcept {
    std::uint64_t value = !bytes.empty() && std::to_integer<int>(bytes[0]) >= 128 ? ~0ULL : 0;
    for (const std::byte byte : bytes) {
        value = value << 8 | std::to_integer<std::uint64_t>(byte);
    }
    return static_cast<std::int64_t>(value);
}

/// Decodes the pages of one column of one row group.
class ColumnReader {
  public:
    ColumnReader(const ForeignLeaf& leaf, std::int64_t codec, std::uint64_t most_entries)
        : leaf_(leaf), codec_(codec), most_entries_(most_entries) {}

    Result<void> page(const Page& page, ByteSpan body) {
        if (page.kind == Page::Kind::Index) {
            return {};
        }
        if (page.kind == Page::Kind::Dictionary) {
            const auto bytes = unpack(codec_, body, page.unpacked);
            const bool is_first = std::exchange(has_dictionary_, true) == false;
            if (!bytes || !is_first || column_.entries > 0 ||
                !plain(*bytes, static_cast<std::size_t>(page.entries), dictionary_)) {
                return broken(leaf_, "a dictionary that cannot be read");
            }
            return {};
        }
        const auto entries = static_cast<std::size_t>(page.entries);
        if (entries > most_entries_ - column_.entries) {
            return broken(leaf_, "more entries than a row group may have");
        }
        const bool is_read = page.kind == Page::Kind::Data ? first(page, body, entries)
                                                           : second(page, body, entries);
        column_.entries += entries;
        return is_read ? Result<void>() : broken(leaf_, "a page that cannot be read");
    }

    ForeignColumn take() && { return std::move(column_); }

    [[nodiscard]] std::size_t entries() const noexcept { return column_.entries; }

  private:
    struct Values {
        std::vector<std::int64_t> whole;
        std::vector<double> numbers;
        std::vector<std::uint32_t> words;
    };

    /// Levels in front of the values, each with its length, all packed together.
    bool first(const Page& page, ByteSpan body, std::size_t entries) {
        const auto bytes = unpack(codec_, body, page.unpacked);
        if (!bytes) {
            return false;
        }
        ByteCursor cursor(*bytes);
        std::size_t with_value = entries;
        for (const bool is_definition : {false, true}) {
            const unsigned largest = is_definition ? leaf_.definition : leaf_.repetition;
            if (largest > 0) {
                const ByteSpan levels = cursor.take(cursor.read<std::uint32_t>());
                if (!cursor.ok() || !take_levels(levels, is_definition, entries, with_value)) {
                    return false;
                }
            }
        }
        return values(page.encoding, cursor.take(cursor.remaining()), with_value);
    }

    /// Levels before the packed part.
    bool second(const Page& page, ByteSpan body, std::size_t entries) {
        const auto levels = page.repetition_bytes + page.definition_bytes;
        if (std::cmp_greater(levels, body.size()) || levels > page.unpacked) {
            return false;
        }
        const auto repetitions = body.first(static_cast<std::size_t>(page.repetition_bytes));
        const auto definitions = body.subspan(static_cast<std::size_t>(page.repetition_bytes),
                                              static_cast<std::size_t>(page.definition_bytes));
        std::size_t with_value = entries;
        if ((leaf_.repetition > 0 && !take_levels(repetitions, false, entries, with_value)) ||
            (leaf_.definition > 0 && !take_levels(definitions, true, entries, with_value))) {
            return false;
        }
        const ByteSpan rest = body.subspan(static_cast<std::size_t>(levels));
        const auto bytes = unpack(page.is_packed ? codec_ : 0, rest, page.unpacked - levels);
        return bytes && values(page.encoding, *bytes, with_value);
    }

    bool take_levels(ByteSpan bytes, bool is_definition, std::size_t entries,
                     std::size_t& with_value) {
        const unsigned largest = is_definition ? leaf_.definition : leaf_.repetition;
        levels_.resize(entries);
        if (!read_rle(bytes, bits_for(largest), levels_) ||
            std::ranges::any_of(levels_, [&](std::uint32_t level) { return level > largest; })) {
            return false;
        }
        auto& to = is_definition ? column_.definitions : column_.repetitions;
        to.insert(to.end(), levels_.begin(), levels_.end());
        if (is_definition) {
            with_value = static_cast<std::size_t>(std::ranges::count(levels_, largest));
        }
        return true;
    }

    bool values(std::int64_t encoding, ByteSpan bytes, std::size_t count) {
        constexpr std::int64_t kPlain = 0, kOldDictionary = 2, kRle = 3, kDictionary = 8;
        Values to;
        if (count == 0) {
            return true;
        }
        if (encoding == kDictionary || encoding == kOldDictionary) {
            std::vector<std::uint32_t> places(count);
            const auto bits = bytes.empty() ? 33U : std::to_integer<unsigned>(bytes[0]);
            if (bits > 32 || !read_rle(bytes.subspan(1), bits, places)) {
                return false;
            }
            for (const std::uint32_t place : places) {
                if (place < dictionary_.words.size()) {
                    to.words.push_back(dictionary_.words[place]);
                } else if (place < dictionary_.whole.size()) {
                    to.whole.push_back(dictionary_.whole[place]);
                } else if (place < dictionary_.numbers.size()) {
                    to.numbers.push_back(dictionary_.numbers[place]);
                } else {
                    return false;
                }
            }
        } else if (encoding == kRle && leaf_.type == LeafKind::Boolean) {
            ByteCursor cursor(bytes);
            std::vector<std::uint32_t> truths(count);
            if (!read_rle(cursor.take(cursor.read<std::uint32_t>()), 1, truths)) {
                return false;
            }
            to.whole.assign(truths.begin(), truths.end());
        } else if (encoding != kPlain || !plain(bytes, count, to)) {
            return false;
        }
        const auto append_all = [](auto& all, const auto& more) {
            all.insert(all.end(), more.begin(), more.end());
        };
        append_all(column_.whole, to.whole);
        append_all(column_.numbers, to.numbers);
        append_all(column_.words, to.words);
        return true;
    }

    bool plain(ByteSpan bytes, std::size_t count, Values& to) {
        if (count > bytes.size() * 8) {
            return false;
        }
        ByteCursor cursor(bytes);
        for (std::size_t i = 0; i < count && cursor.ok(); ++i) {
            switch (leaf_.type) {
                case LeafKind::Boolean: {
                    const auto byte = std::to_integer<unsigned>(bytes[i / 8]);
                    to.whole.push_back(byte >> (i % 8) & 1);
                    break;
                }
                case LeafKind::Int32:
                    to.whole.push_back(cursor.read<std::int32_t>());
                    break;
                case LeafKind::Int64:
                    to.whole.push_back(cursor.read<std::int64_t>());
                    break;
                case LeafKind::Float:
                    to.numbers.push_back(cursor.read<float>());
                    break;
                case LeafKind::Double:
                    to.numbers.push_back(cursor.read<double>());
                    break;
                case LeafKind::Int96:
                    cursor.take(12);  // times of old programs: nothing here asks for them
                    to.whole.push_back(0);
                    break;
                case LeafKind::ByteArray:
                case LeafKind::FixedBytes: {
                    const std::uint64_t size = leaf_.type == LeafKind::FixedBytes
                                                   ? leaf_.width
                                                   : cursor.read<std::uint32_t>();
                    const ByteSpan text = cursor.take(size);
                    if (leaf_.is_decimal) {
                        to.whole.push_back(decimal_of(text));
                    } else {
                        to.words.push_back(static_cast<std::uint32_t>(column_.pool.size()));
                        column_.pool.emplace_back(as_text(text));
                    }
                    break;
                }
            }
        }
        return cursor.ok();
    }

    const ForeignLeaf& leaf_;
    std::int64_t codec_;
    std::uint64_t most_entries_;
    ForeignColumn column_;
    Values dictionary_;
    std::vector<std::uint32_t> levels_;
    bool has_dictionary_ = false;
};

}  // namespace

Result<ForeignFile> ForeignFile::open(ReadAt read_at, std::uint64_t file_bytes) {
    return ForeignMetadata::read(std::move(read_at), file_bytes);
}

std::optional<std::size_t> ForeignFile::leaf(std::string_view path) const {
    const auto found = std::ranges::find(leaves_, path, &ForeignLeaf::path);
    return found != leaves_.end() ? std::optional(static_cast<std::size_t>(found - leaves_.begin()))
                                  : std::nullopt;
}

Result<ForeignColumn> ForeignFile::read(std::size_t group, std::size_t leaf) const {
    const Chunk& chunk = groups_[group].chunks[leaf];
    const ForeignLeaf& about = leaves_[leaf];
    constexpr std::int64_t kCodecs[] = {0, 1, 2, 6};
    if (std::ranges::find(kCodecs, chunk.codec) == std::ranges::end(kCodecs)) {
        return Error{ErrorCode::Unsupported, "column '" + about.path +
                                                 "' is packed in a way that is not read here (" +
                                                 std::to_string(chunk.codec) +
                                                 "): write the file with Snappy, gzip or zstd"};
    }
    const std::int64_t begin =
        chunk.dictionary > 0 ? std::min(chunk.dictionary, chunk.data) : chunk.data;
    if (begin < 4 || chunk.bytes < 0 || chunk.bytes > kMostChunkBytes || chunk.values < 0 ||
        std::cmp_greater(begin, file_bytes_) ||
        std::cmp_greater(chunk.bytes, file_bytes_ - static_cast<std::uint64_t>(begin))) {
        return broken(about, "its place is not in the file");
    }
    TAFFRAIL_ASSIGN(const Bytes bytes, read_at_(static_cast<std::uint64_t>(begin),
                                                static_cast<std::uint64_t>(chunk.bytes)));
    ColumnReader reader(about, chunk.codec, std::min(kMostEntries, most_rows_of(file_bytes_)));
    ByteSpan rest = bytes;
    while (!rest.empty() && std::cmp_less(reader.entries(), chunk.values)) {
        const auto page = parse_page(rest);
        if (!page || std::cmp_greater(page->packed, rest.size() - page->head)) {
            return broken(about, "a page that is cut or no page");
        }
        const auto body = rest.subspan(page->head, static_cast<std::size_t>(page->packed));
        TAFFRAIL_TRY(reader.page(*page, body));
        rest = rest.subspan(page->head + body.size());
    }
    if (std::cmp_not_equal(reader.entries(), chunk.values)) {
        return broken(about, "it has fewer values than it says");
    }
    return std::move(reader).take();
}

}  // namespace taffrail::parquet
