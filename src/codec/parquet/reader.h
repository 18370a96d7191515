// Reads Parquet files of the Taffrail profile back: for verification, for compaction, and as the
// way in when the compact index of a sealed file is missing.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/format.h"
#include "codec/parquet/page.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::parquet {

/// Reads exactly `size` bytes at `offset`, or fails.
using ReadAt = std::function<Result<Bytes>(std::uint64_t offset, std::uint64_t size)>;

class Reader {
  public:
    static Result<Reader> open(ReadAt read_at, std::uint64_t file_bytes);
    /// Over bytes in memory, which must outlive the reader.
    static Result<Reader> open(ByteSpan bytes);

    [[nodiscard]] const FileMetadata& metadata() const noexcept { return metadata_; }

    [[nodiscard]] std::optional<std::string_view> key_value(std::string_view key) const;
    [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
    /// All values of one column in one row group.
    [[nodiscard]] Result<DecodedColumn> read_column(std::size_t row_group,
                                                    std::size_t column) const;
    /// The same, a page at a time; `take` sees each page's values before the next one is read.
    Result<void> for_each_page(std::size_t row_group, std::size_t column,
                               const std::function<void(const DecodedColumn&)>& take) const;
    /// All values of one column.
    [[nodiscard]] Result<DecodedColumn> read_column(std::size_t column) const;

    /// Bytes of the file, for those who look at pages themselves. Fails where the file is shorter.
    [[nodiscard]] Result<Bytes> bytes(std::uint64_t offset, std::uint64_t size) const;

  private:
    /// Decodes into `to`; `after_page` may take from it what it holds.
    template <typename AfterPage>
    Result<void> append_chunk(std::size_t row_group, std::size_t column, DecodedColumn& to,
                              AfterPage after_page) const;

    ReadAt read_at_;
    std::uint64_t file_bytes_ = 0;
    FileMetadata metadata_;
};

}  // namespace taffrail::parquet
