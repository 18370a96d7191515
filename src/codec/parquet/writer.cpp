#include "codec/parquet/writer.h"

#include "base/try.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace taffrail::parquet {
namespace {

constexpr std::string_view kMagic = "PAR1";

/// Texts that repeat are worth a dictionary; keys of a long table repeat thousands of times,
/// messages do not.
struct Dictionary {
    std::vector<std::string_view> entries;
    std::vector<std::uint32_t> indices;
};

Dictionary make_dictionary(std::span<const std::string_view> texts,
                           std::span<const std::uint8_t> valid) {
    Dictionary dictionary;
    std::unordered_map<std::string_view, std::uint32_t> known;
    std::uint32_t last = 0;
    dictionary.indices.reserve(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!valid.empty() && valid[i] == 0) {
            dictionary.indices.push_back(0);
            continue;
        }
        // Texts of a column mostly come in runs, as the keys of a table that is sorted by them do.
        if (!dictionary.entries.empty() && dictionary.entries[last] == texts[i]) {
            dictionary.indices.push_back(last);
            continue;
        }
        const auto [at, added] =
            known.try_emplace(texts[i], static_cast<std::uint32_t>(dictionary.entries.size()));
        if (added) {
            dictionary.entries.push_back(texts[i]);
            if (2 * dictionary.entries.size() > texts.size() + 1) {
                return {};
            }
        }
        last = at->second;
        dictionary.indices.push_back(last);
    }
    return dictionary;
}

ColumnChunk empty_chunk(const Column& column) {
    ColumnChunk chunk;
    chunk.type = column.type;
    chunk.encodings = {Encoding::Rle};
    if (column.shape == Shape::Optional) {
        chunk.null_count = 0;
    }
    return chunk;
}

void count_page(ColumnChunk& chunk, const PageResult& page) {
    chunk.uncompressed_bytes += static_cast<std::int64_t>(page.uncompressed_bytes);
    chunk.compressed_bytes += static_cast<std::int64_t>(page.compressed_bytes);
    if (std::find(chunk.encodings.begin(), chunk.encodings.end(), page.encoding) ==
        chunk.encodings.end()) {
        chunk.encodings.push_back(page.encoding);
    }
}

}  // namespace

Writer::Writer(std::vector<Column> columns, Output output, WriterOptions options)
    : output_(std::move(output)), options_(std::move(options)) {
    metadata_.columns = std::move(columns);
    metadata_.created_by = options_.created_by;
}

Result<void> Writer::put(ByteSpan bytes) {
    TAFFRAIL_TRY(output_(bytes));
    offset_ += bytes.size();
    return {};
}

Result<void> Writer::start() {
    return offset_ == 0 ? put(as_bytes(kMagic)) : Result<void>{};
}

Result<void> Writer::begin_row_group(std::size_t rows) {
    TAFFRAIL_TRY(start());
    metadata_.row_groups.emplace_back().rows = static_cast<std::int64_t>(rows);
    return {};
}

Result<PagePlace> Writer::put_page(ColumnChunk& chunk, ByteSpan bytes, const PageResult& page,
                                   std::size_t rows) {
    count_page(chunk, page);
    chunk.values += static_cast<std::int64_t>(page.values);
    if (chunk.null_count) {
        *chunk.null_count += static_cast<std::int64_t>(page.nulls);
    }
    const PagePlace place{offset_, static_cast<std::uint32_t>(bytes.size()),
                          static_cast<std::uint32_t>(rows)};
    TAFFRAIL_TRY(put(bytes));
    return place;
}

Result<std::vector<PagePlace>> Writer::write_pages(const ColumnPages& pages) {
    RowGroup& group = metadata_.row_groups.back();
    ColumnChunk chunk = empty_chunk(metadata_.columns[group.columns.size()]);
    chunk.data_page_offset = static_cast<std::int64_t>(offset_);
    std::vector<PagePlace> places;
    for (const ColumnPages::Page& page : pages.pages()) {
        TAFFRAIL_ASSIGN(const PagePlace place, put_page(chunk, page.bytes, page.result, page.rows));
        places.push_back(place);
    }
    group.columns.push_back(std::move(chunk));
    return places;
}

Result<std::vector<PagePlace>> Writer::write_column(const ColumnValues& values) {
    RowGroup& group = metadata_.row_groups.back();
    const Column& column = metadata_.columns[group.columns.size()];
    const auto rows = static_cast<std::size_t>(group.rows);
    ColumnChunk chunk = empty_chunk(column);
    Bytes bytes;
    Dictionary dictionary;
    if (column.type == Type::ByteArray && column.shape != Shape::List) {
        dictionary = make_dictionary(values.texts, values.valid);
    }
    if (!dictionary.entries.empty()) {
        chunk.dictionary_page_offset = static_cast<std::int64_t>(offset_);
        count_page(chunk, append_dictionary_page(bytes, dictionary.entries));
        TAFFRAIL_TRY(put(bytes));
    }
    chunk.data_page_offset = static_cast<std::int64_t>(offset_);
    std::vector<PagePlace> places;
    for (std::size_t first = 0; first < rows; first += options_.page_rows) {
        const std::size_t last = std::min(rows, first + options_.page_rows);
        bytes.clear();
        const std::span<const std::uint32_t> indices =
            dictionary.entries.empty()
                ? std::span<const std::uint32_t>{}
                : std::span<const std::uint32_t>(dictionary.indices).subspan(first, last - first);
        const PageResult page =
            append_data_page(bytes, column, slice(column, values, first, last), last - first,
                             options_.profile, indices, dictionary.entries.size());
        TAFFRAIL_ASSIGN(const PagePlace place, put_page(chunk, bytes, page, last - first));
        places.push_back(place);
    }
    group.columns.push_back(std::move(chunk));
    return places;
}

Result<void> Writer::end_row_group() {
    const RowGroup& group = metadata_.row_groups.back();
    if (group.columns.size() != metadata_.columns.size()) {
        return Error{ErrorCode::Internal,
                     "a Parquet row group ended with " + std::to_string(group.columns.size()) +
                         " of " + std::to_string(metadata_.columns.size()) + " columns"};
    }
    metadata_.rows += group.rows;
    return {};
}

Result<std::uint64_t> Writer::write_foreign(ByteSpan bytes) {
    TAFFRAIL_TRY(start());
    const std::uint64_t at = offset_;
    TAFFRAIL_TRY(put(bytes));
    return at;
}

void Writer::add_key_value(std::string key, std::string value) {
    metadata_.key_values.emplace_back(std::move(key), std::move(value));
}

Result<void> Writer::finish() {
    TAFFRAIL_TRY(start());
    Bytes footer = encode(metadata_);
    append(footer, static_cast<std::uint32_t>(footer.size()));
    append(footer, as_bytes(kMagic));
    return put(footer);
}

}  // namespace taffrail::parquet
