// A sealed file of scalars, open for reading: index in memory, pyramid blocks and pages on demand.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/page.h"
#include "io/file.h"
#include "model/bin_segment.h"
#include "seal/index.h"
#include "seal/levels.h"
#include "seal/page_values.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::seal {

/// Where a series lies in a file.
struct SeriesPlace {
    std::size_t section = 0, series = 0;
};

/// Immutable on disk; caches what it decoded. Safe for concurrent use.
class SealedFile : public std::enable_shared_from_this<SealedFile> {
  public:
    static Result<std::shared_ptr<SealedFile>> open(const std::string& path);

    [[nodiscard]] const FileIndex& index() const noexcept { return index_; }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// One page of a column, decoded; kept until the cache is full.
    Result<std::shared_ptr<const PageValues>> page(std::size_t column, std::size_t number);
    /// The page that holds `row`, and that page's first row.
    [[nodiscard]] std::pair<std::size_t, std::uint64_t> page_of(std::size_t column,
                                                                std::uint64_t row) const;
    /// Bytes of a pyramid block, checked.
    Result<Bytes> block(const BlockPlace& place);

    /// The points of a series.
    Result<std::vector<Point>> points(const SeriesPlace& place);
    /// Rows of the file without their values.
    Result<std::vector<Point>> axes(std::uint64_t first_row, std::uint64_t rows);
    /// Values of a column.
    Result<std::vector<double>> values(std::size_t column, std::uint64_t first_row,
                                       std::uint64_t rows);
    /// The series on an axis; null when the axis does not rise. `origin_ns` is the zero of
    /// RelativeTime.
    std::shared_ptr<const model::BinSegment> segment(const SeriesPlace& place, Axis axis,
                                                     std::int64_t origin_ns);

  private:
    SealedFile(std::string path, std::unique_ptr<io::File> file)
        : path_(std::move(path)), file_(std::move(file)) {}

    Result<Bytes> read(std::uint64_t offset, std::uint64_t size);
    /// Calls take(page, row in it, row in the file) for each row.
    template <typename Take>
    Result<void> for_rows(std::size_t column, std::uint64_t first_row, std::uint64_t rows,
                          Take take);

    std::string path_;
    std::unique_ptr<io::File> file_;
    FileIndex index_;
    Bytes tail_;  ///< the last bytes before the index
    std::uint64_t tail_offset_ = UINT64_MAX;
    std::vector<std::vector<std::uint64_t>> page_rows_;  ///< first row of each page, by column

    std::mutex mutex_;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<const PageValues>> pages_;
    std::size_t cached_bytes_ = 0;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<ValueLevels>> value_levels_;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<AxisLevels<std::int64_t>>>
        integer_levels_;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<AxisLevels<double>>>
        number_levels_;
};

}  // namespace taffrail::seal
