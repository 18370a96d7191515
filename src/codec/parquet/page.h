// One page of a column: values in, bytes out, and back.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/format.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace taffrail::parquet {

/// `Standard`: the smallest files. `Compat`: only encodings that every reader since 2016 knows,
/// about a third larger.
enum class Profile : std::uint8_t { Standard, Compat };

/// Values of one column, one row after the other. One of the spans is filled, as the column's type
/// says.
struct ColumnValues {
    std::span<const double> doubles;
    std::span<const std::int64_t> int64s;
    std::span<const std::int32_t> int32s;
    std::span<const std::string_view> texts;
    /// Optional columns: one per row, 0 = null (the value at that row is ignored). Empty = no
    /// nulls.
    std::span<const std::uint8_t> valid;
    /// List columns: row i has the values [offsets[i], offsets[i+1]).
    std::span<const std::uint64_t> offsets;
};

/// Values read back; the vector of the column's type is filled, with a default value where a row is
/// null.
struct DecodedColumn {
    std::vector<double> doubles;
    std::vector<std::int64_t> int64s;
    std::vector<std::int32_t> int32s;
    std::vector<std::string> texts;
    std::vector<std::uint8_t> valid;     ///< Optional columns, one per row
    std::vector<std::uint64_t> offsets;  ///< List columns: starts with 0

    /// Keeps the memory.
    void clear() noexcept;
};

/// The slice of `values` that holds the rows [first, last).
ColumnValues slice(const Column& column, const ColumnValues& values, std::size_t first,
                   std::size_t last);

/// Appends header and body of a data page with all of `values`; `rows` of them. Byte arrays with a
/// dictionary pass `indices` into it instead of texts.
struct PageResult {
    std::size_t uncompressed_bytes = 0, compressed_bytes = 0;  ///< with the header
    std::size_t values = 0, nulls = 0;
    Encoding encoding = Encoding::Plain;
};

PageResult append_data_page(Bytes& to, const Column& column, const ColumnValues& values,
                            std::size_t rows, Profile profile,
                            std::span<const std::uint32_t> indices = {},
                            std::size_t dictionary_size = 0);
PageResult append_dictionary_page(Bytes& to, std::span<const std::string_view> entries);

struct PageTaken {
    std::size_t bytes = 0;   ///< header included
    std::size_t values = 0;  ///< of a data page, nulls and empty lists counted; 0 for a dictionary
};

/// Decodes the page that starts at `bytes` (header included) and appends its values.
/// `dictionary` holds the entries of a dictionary page before it. A page's checksum does not cover
/// its header, so an encoding outside `expected` (the footer's list; empty = any) is refused.
Result<PageTaken> read_page(ByteSpan bytes, const Column& column,
                            std::span<const Encoding> expected,
                            std::vector<std::string>& dictionary, DecodedColumn& to);

/// Whether `bytes` are one page whose body passes its checksum. Decodes nothing.
Result<void> check_page(ByteSpan bytes);

}  // namespace taffrail::parquet
