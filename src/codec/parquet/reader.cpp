#include "codec/parquet/reader.h"

#include "base/try.h"

#include <algorithm>
#include <utility>

namespace taffrail::parquet {
namespace {

constexpr std::uint64_t kTailBytes = 8;  // footer length and magic

Error not_parquet(const char* why) {
    return {ErrorCode::Corrupt, std::string("not a whole Parquet file: ") + why};
}

}  // namespace

Result<Reader> Reader::open(ByteSpan bytes) {
    return open(
        [bytes](std::uint64_t offset, std::uint64_t size) -> Result<Bytes> {
            if (offset > bytes.size() || bytes.size() - offset < size) {
                return not_parquet("a range lies behind its end");
            }
            const ByteSpan part =
                bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
            return Bytes(part.begin(), part.end());
        },
        bytes.size());
}

Result<Reader> Reader::open(ReadAt read_at, std::uint64_t file_bytes) {
    Reader reader;
    reader.read_at_ = std::move(read_at);
    reader.file_bytes_ = file_bytes;
    if (file_bytes < kTailBytes + 4) {
        return not_parquet("it is too short");
    }
    TAFFRAIL_ASSIGN(const Bytes tail, reader.read_at_(file_bytes - kTailBytes, kTailBytes));
    const auto footer_bytes = load<std::uint32_t>(tail.data());
    if (as_text(tail).substr(4) != "PAR1") {
        return not_parquet("the magic at its end is missing");
    }
    if (footer_bytes > file_bytes - kTailBytes - 4) {
        return not_parquet("its footer is longer than the file");
    }
    TAFFRAIL_ASSIGN(const Bytes footer,
                    reader.read_at_(file_bytes - kTailBytes - footer_bytes, footer_bytes));
    TAFFRAIL_ASSIGN(reader.metadata_, decode_metadata(footer));
    return reader;
}

std::optional<std::string_view> Reader::key_value(std::string_view key) const {
    for (const auto& [name, value] : metadata_.key_values) {
        if (name == key) {
            return value;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> Reader::column(std::string_view name) const {
    for (std::size_t i = 0; i < metadata_.columns.size(); ++i) {
        if (metadata_.columns[i].name == name) {
            return i;
        }
    }
    return std::nullopt;
}

template <typename AfterPage>
Result<void> Reader::append_chunk(std::size_t row_group, std::size_t column, DecodedColumn& to,
                                  AfterPage after_page) const {
    const RowGroup& group = metadata_.row_groups[row_group];
    const ColumnChunk& chunk = group.columns[column];
    const Column& schema = metadata_.columns[column];
    const std::int64_t start =
        chunk.dictionary_page_offset > 0 ? chunk.dictionary_page_offset : chunk.data_page_offset;
    if (chunk.codec != Codec::Zstd || chunk.type != schema.type) {
        return Error{ErrorCode::Unsupported, "Parquet column '" + schema.name +
                                                 "' is stored in a way that no Taffrail file uses"};
    }
    if (start < 4 || chunk.compressed_bytes < 0 || chunk.values < 0 ||
        static_cast<std::uint64_t>(start) > file_bytes_ ||
        file_bytes_ - static_cast<std::uint64_t>(start) <
            static_cast<std::uint64_t>(chunk.compressed_bytes)) {
        return Error{ErrorCode::Corrupt,
                     "Parquet column '" + schema.name + "' claims bytes outside the file"};
    }
    TAFFRAIL_ASSIGN(const Bytes bytes,
                    read_at_(static_cast<std::uint64_t>(start),
                             static_cast<std::uint64_t>(chunk.compressed_bytes)));
    std::vector<std::string> dictionary;
    std::uint64_t values = 0;
    for (std::size_t at = 0; at < bytes.size();) {
        TAFFRAIL_ASSIGN(const PageTaken taken, read_page(ByteSpan(bytes).subspan(at), schema,
                                                         chunk.encodings, dictionary, to));
        at += taken.bytes;
        values += taken.values;
        after_page();
    }
    if (values != static_cast<std::uint64_t>(chunk.values)) {
        return Error{ErrorCode::Corrupt,
                     "Parquet column '" + schema.name + "' holds " + std::to_string(values) +
                         " values where the footer counts " + std::to_string(chunk.values)};
    }
    return {};
}

Result<Bytes> Reader::bytes(std::uint64_t offset, std::uint64_t size) const {
    if (offset > file_bytes_ || file_bytes_ - offset < size) {
        return not_parquet("a range lies behind its end");
    }
    return read_at_(offset, size);
}

Result<DecodedColumn> Reader::read_column(std::size_t row_group, std::size_t column) const {
    DecodedColumn decoded;
    TAFFRAIL_TRY(append_chunk(row_group, column, decoded, [] {}));
    return decoded;
}

Result<void> Reader::for_each_page(std::size_t row_group, std::size_t column,
                                   const std::function<void(const DecodedColumn&)>& take) const {
    DecodedColumn page;
    return append_chunk(row_group, column, page, [&] {
        take(page);
        page.clear();
    });
}

Result<DecodedColumn> Reader::read_column(std::size_t column) const {
    DecodedColumn decoded;
    for (std::size_t group = 0; group < metadata_.row_groups.size(); ++group) {
        TAFFRAIL_TRY(append_chunk(group, column, decoded, [] {}));
    }
    return decoded;
}

}  // namespace taffrail::parquet
