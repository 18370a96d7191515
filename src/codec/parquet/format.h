// Parquet's own structures, as far as the Taffrail profile uses them. Numbers are those of the
// Parquet specification.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::parquet {

enum class Type : std::uint8_t { Int32 = 1, Int64 = 2, Double = 5, ByteArray = 6 };
enum class Encoding : std::uint8_t {
    Plain = 0,
    Rle = 3,
    DeltaBinaryPacked = 5,
    RleDictionary = 8,
    ByteStreamSplit = 9
};
enum class Codec : std::uint8_t { Uncompressed = 0, Zstd = 6 };
/// What the numbers or bytes of a column mean to other programs.
enum class Meaning : std::uint8_t { None, Text, TimestampNs, Unsigned };
/// Required: every row has a value. Optional: rows may be null. List: each row has any number of
/// values.
enum class Shape : std::uint8_t { Required, Optional, List };

struct Column {
    std::string name;
    Type type = Type::Double;
    Shape shape = Shape::Required;
    Meaning meaning = Meaning::None;
};

struct ColumnChunk {
    Type type = Type::Double;
    std::vector<Encoding> encodings;
    Codec codec = Codec::Zstd;
    std::int64_t values = 0;  ///< with nulls; list elements
    std::int64_t uncompressed_bytes = 0;
    std::int64_t compressed_bytes = 0;
    std::int64_t data_page_offset = 0;
    std::int64_t dictionary_page_offset = 0;  ///< 0 = none
    std::optional<std::int64_t> null_count;
};

struct RowGroup {
    std::vector<ColumnChunk> columns;
    std::int64_t rows = 0;
};

struct FileMetadata {
    std::vector<Column> columns;
    std::vector<RowGroup> row_groups;
    std::int64_t rows = 0;
    std::vector<std::pair<std::string, std::string>> key_values;
    std::string created_by;
};

struct PageHeader {
    bool dictionary = false;
    std::int32_t uncompressed_bytes = 0;
    std::int32_t compressed_bytes = 0;
    std::int32_t values = 0;
    Encoding encoding = Encoding::Plain;
    std::optional<std::uint32_t> crc;  ///< CRC-32 (the gzip one) of the compressed bytes
};

Bytes encode(const FileMetadata& metadata);
Result<FileMetadata> decode_metadata(ByteSpan bytes);

void append_page_header(Bytes& to, const PageHeader& header);

struct ParsedPageHeader {
    PageHeader header;
    std::size_t bytes = 0;  ///< length of the header itself
};

Result<ParsedPageHeader> decode_page_header(ByteSpan bytes);

}  // namespace taffrail::parquet
