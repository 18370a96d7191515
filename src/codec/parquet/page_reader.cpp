// Decoding of pages: every length is checked before it is used.
#include "base/try.h"
#include "codec/parquet/byte_planes.h"
#include "codec/parquet/compression.h"
#include "codec/parquet/encodings.h"
#include "codec/parquet/page.h"

#include <algorithm>
#include <optional>

namespace taffrail::parquet {
namespace {

// Budgets: a few bytes can stand for any number of values, and memory is asked for before they are
// read. No writer of ours comes near them.
constexpr std::size_t kMaxRows = std::size_t{1} << 20;      ///< of a page
constexpr std::size_t kMaxElements = std::size_t{1} << 24;  ///< of a page of lists
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;
constexpr std::size_t kFreeBytes = std::size_t{64} << 20;  ///< of a page, however well it is packed
constexpr std::size_t kMaxRatio = 1024;                    ///< beyond that
constexpr std::size_t kKeptBytes = std::size_t{256} << 10;  ///< of memory, by a thread

Error damaged(const Column& column, const char* what) {
    return {ErrorCode::Corrupt, "Parquet column '" + column.name + "': " + what};
}

std::optional<std::vector<std::uint32_t>> take_levels(ByteCursor& body, std::size_t count) {
    const auto length = body.read<std::uint32_t>();
    const ByteSpan bytes = body.take(length);
    std::vector<std::uint32_t> levels(count);
    if (!body.ok() || !read_rle(bytes, 1, levels)) {
        return std::nullopt;
    }
    return levels;
}

/// Whether the levels say in one run that nothing is null, as they mostly do; taken only then.
bool take_all_present(ByteCursor& body, std::size_t count) {
    ByteCursor ahead = body;
    const auto length = ahead.read<std::uint32_t>();
    ByteCursor run(ahead.take(length));
    const std::uint64_t header = run.varint();
    const bool all =
        (header & 1) == 0 && header >> 1 == count && run.read<std::byte>() == std::byte{1};
    if (!ahead.ok() || !run.ok() || !all) {
        return false;
    }
    body = ahead;
    return true;
}

bool take_plain(ByteCursor& body, std::vector<std::string>& texts, std::size_t count) {
    for (std::size_t i = 0; i < count && body.ok(); ++i) {
        const auto length = body.read<std::uint32_t>();
        texts.emplace_back(as_text(body.take(length)));
    }
    return body.ok();
}

template <typename T>
bool take_plain(ByteCursor& body, std::span<T> to) {
    const ByteSpan bytes = body.take(to.size_bytes());
    if (body.ok() && !bytes.empty()) {
        std::memcpy(to.data(), bytes.data(), bytes.size());
    }
    return body.ok();
}

template <typename T>
bool take_integers(ByteCursor& body, Encoding encoding, std::span<T> to) {
    if (encoding == Encoding::Plain) {
        return take_plain(body, to);
    }
    return encoding == Encoding::DeltaBinaryPacked &&
           read_delta_packed(body.take(body.remaining()), to);
}

bool take_doubles(ByteCursor& body, Encoding encoding, std::span<double> to) {
    if (encoding == Encoding::Plain) {
        return take_plain(body, to);
    }
    if (encoding != Encoding::ByteStreamSplit || body.remaining() != to.size_bytes()) {
        return false;
    }
    join_byte_planes(body.take(body.remaining()), to);
    return true;
}

bool take_texts(ByteCursor& body, Encoding encoding, const std::vector<std::string>& dictionary,
                std::vector<std::string>& to, std::size_t count) {
    if (encoding == Encoding::Plain) {
        return take_plain(body, to, count);
    }
    const auto bits = static_cast<unsigned>(body.read<std::byte>());
    std::vector<std::uint32_t> indices(count);
    if (encoding != Encoding::RleDictionary || !body.ok() ||
        !read_rle(body.take(body.remaining()), bits, indices)) {
        return false;
    }
    std::size_t bytes = 0;
    for (const std::uint32_t index : indices) {
        if (index >= dictionary.size() || (bytes += dictionary[index].size()) > kMaxTextBytes) {
            return false;
        }
        to.push_back(dictionary[index]);
    }
    return true;
}

/// Moves the packed values at the end of `values` apart, so that nulls have their rows.
template <typename T>
void spread(std::vector<T>& values, std::size_t before, std::span<const std::uint32_t> levels) {
    std::size_t from = values.size(), to = before + levels.size();
    values.resize(to);
    for (std::size_t row = levels.size(); row-- > 0;) {
        --to;
        if (levels[row] != 0) {
            --from;
            if (from != to) {
                values[to] = std::move(values[from]);
            }
        } else {
            values[to] = T{};
        }
    }
}

/// Decodes `count` values of the column's type and, for nulls, spreads them over the rows of
/// `levels`.
bool take_values(ByteCursor& body, const Column& column, Encoding encoding,
                 const std::vector<std::string>& dictionary, std::size_t count,
                 std::span<const std::uint32_t> levels, DecodedColumn& to) {
    const auto fixed = [&](auto& vector, auto take) {
        const std::size_t before = vector.size();
        vector.resize(before + count);
        if (!take(body, encoding, std::span(vector).subspan(before))) {
            return false;
        }
        if (!levels.empty()) {
            spread(vector, before, levels);
        }
        return true;
    };
    switch (column.type) {
        case Type::Double:
            return fixed(to.doubles, take_doubles);
        case Type::Int64:
            return fixed(to.int64s, take_integers<std::int64_t>);
        case Type::Int32:
            return fixed(to.int32s, take_integers<std::int32_t>);
        case Type::ByteArray: {
            const std::size_t before = to.texts.size();
            if (!take_texts(body, encoding, dictionary, to.texts, count)) {
                return false;
            }
            if (!levels.empty()) {
                spread(to.texts, before, levels);
            }
            return true;
        }
    }
    return false;
}

void append_offsets(std::span<const std::uint32_t> repetition,
                    std::span<const std::uint32_t> definition,
                    std::vector<std::uint64_t>& offsets) {
    if (offsets.empty()) {
        offsets.push_back(0);
    }
    if (repetition.empty()) {
        return;
    }
    std::uint64_t end = offsets.back();
    for (std::size_t i = 0; i < repetition.size(); ++i) {
        if (repetition[i] == 0 && i > 0) {
            offsets.push_back(end);
        }
        end += definition[i];
    }
    offsets.push_back(end);
}

}  // namespace

void DecodedColumn::clear() noexcept {
    doubles.clear();
    int64s.clear();
    int32s.clear();
    texts.clear();
    valid.clear();
    offsets.clear();
}

Result<PageTaken> read_page(ByteSpan bytes, const Column& column,
                            std::span<const Encoding> expected,
                            std::vector<std::string>& dictionary, DecodedColumn& to) {
    TAFFRAIL_ASSIGN(const ParsedPageHeader parsed, decode_page_header(bytes));
    const PageHeader& header = parsed.header;
    const auto packed_size = static_cast<std::size_t>(header.compressed_bytes);
    if (bytes.size() - parsed.bytes < packed_size) {
        return damaged(column, "a page is cut short");
    }
    const ByteSpan packed = bytes.subspan(parsed.bytes, packed_size);
    if (header.crc && *header.crc != crc32(packed)) {
        return damaged(column, "a page fails its checksum");
    }
    if (!expected.empty() &&
        std::find(expected.begin(), expected.end(), header.encoding) == expected.end()) {
        return damaged(column, "a page header names another encoding than the footer");
    }
    const auto entries = static_cast<std::size_t>(header.values);
    if (entries > (column.shape == Shape::List ? kMaxElements : kMaxRows)) {
        return damaged(column, "a page claims too many values");
    }
    const auto body_size = static_cast<std::size_t>(header.uncompressed_bytes);
    if (body_size > kFreeBytes && body_size / kMaxRatio > packed_size) {
        return damaged(column, "a page claims an impossible size");
    }
    // Page after page is as large: their memory is taken once. What is larger goes again.
    thread_local Bytes kept;
    Bytes large(body_size > kKeptBytes ? body_size : 0);
    if (body_size <= kKeptBytes && kept.size() < body_size) {
        kept.resize(body_size);
    }
    const std::span<std::byte> unpacked =
        body_size > kKeptBytes ? std::span(large) : std::span(kept).first(body_size);
    if (!unpack_zstd(packed, unpacked)) {
        return damaged(column, "a page does not unpack");
    }
    ByteCursor body(unpacked);
    if (header.dictionary) {
        dictionary.clear();
        if (!take_plain(body, dictionary, entries)) {
            return damaged(column, "the dictionary is damaged");
        }
        return PageTaken{parsed.bytes + packed_size, 0};
    }
    std::vector<std::uint32_t> definition;
    std::size_t present = entries;
    if (column.shape == Shape::Optional && take_all_present(body, entries)) {
        to.valid.resize(to.valid.size() + entries, 1);
    } else if (column.shape != Shape::Required) {
        std::optional<std::vector<std::uint32_t>> repetition, levels;
        if (column.shape == Shape::List && !(repetition = take_levels(body, entries))) {
            return damaged(column, "repetition levels are damaged");
        }
        if (!(levels = take_levels(body, entries))) {
            return damaged(column, "definition levels are damaged");
        }
        definition = *std::move(levels);
        // As spread() and append_offsets() count them; take_levels() let nothing but 0 and 1 pass.
        present = entries -
                  static_cast<std::size_t>(std::count(definition.begin(), definition.end(), 0u));
        if (column.shape == Shape::List) {
            if (entries > 0 && repetition->front() != 0) {
                return damaged(column, "a page begins in the middle of a list");
            }
            append_offsets(*repetition, definition, to.offsets);
            definition.clear();  // list values lie packed; there is nothing to spread
        } else {
            to.valid.insert(to.valid.end(), definition.begin(), definition.end());
            if (present == entries) {
                definition.clear();
            }
        }
    }
    if (!take_values(body, column, header.encoding, dictionary, present, definition, to)) {
        return damaged(column, "values do not fit their page");
    }
    return PageTaken{parsed.bytes + packed_size, entries};
}

Result<void> check_page(ByteSpan bytes) {
    TAFFRAIL_ASSIGN(const ParsedPageHeader parsed, decode_page_header(bytes));
    const auto packed_size = static_cast<std::size_t>(parsed.header.compressed_bytes);
    if (bytes.size() - parsed.bytes != packed_size || !parsed.header.crc) {
        return Error{ErrorCode::Corrupt, "a page header that does not fit its page"};
    }
    if (*parsed.header.crc != crc32(bytes.subspan(parsed.bytes))) {
        return Error{ErrorCode::Corrupt, "a page fails its checksum"};
    }
    return {};
}

}  // namespace taffrail::parquet
