// Writes a Parquet file of the Taffrail profile: flat columns and lists, pages of 16k rows, zstd,
// checksums, and room for foreign bytes before the footer, which other readers never look at.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/column_pages.h"
#include "codec/parquet/format.h"
#include "codec/parquet/page.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::parquet {

inline constexpr std::size_t kPageRows = 16 * 1024;

struct WriterOptions {
    Profile profile = Profile::Standard;
    std::size_t page_rows = kPageRows;
    std::string created_by = "taffrail";
};

/// Where a page lies in the file.
struct PagePlace {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t rows = 0;
};

/// Calls in order: for each row group begin_row_group, write_column or write_pages for every
/// column, end_row_group; then foreign bytes and key/values; then finish. The bytes go to the
/// output as they come up; nothing is ever rewritten.
class Writer {
  public:
    using Output = std::function<Result<void>(ByteSpan)>;

    Writer(std::vector<Column> columns, Output output, WriterOptions options = {});

    Result<void> begin_row_group(std::size_t rows);
    /// The next column's values; returns where its data pages came to lie.
    Result<std::vector<PagePlace>> write_column(const ColumnValues& values);
    /// The next column, of which every page is encoded already.
    Result<std::vector<PagePlace>> write_pages(const ColumnPages& pages);
    Result<void> end_row_group();
    /// Returns the offset of the bytes in the file. Between row groups.
    Result<std::uint64_t> write_foreign(ByteSpan bytes);
    void add_key_value(std::string key, std::string value);
    Result<void> finish();

    [[nodiscard]] std::uint64_t bytes_written() const noexcept { return offset_; }

    [[nodiscard]] const std::vector<Column>& columns() const noexcept { return metadata_.columns; }

  private:
    Result<void> put(ByteSpan bytes);
    Result<PagePlace> put_page(ColumnChunk& chunk, ByteSpan bytes, const PageResult& page,
                               std::size_t rows);
    Result<void> start();

    FileMetadata metadata_;
    Output output_;
    WriterOptions options_;
    std::uint64_t offset_ = 0;
};

}  // namespace taffrail::parquet
