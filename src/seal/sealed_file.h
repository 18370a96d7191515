// A sealed file of scalars, open for reading: index in memory, pyramid blocks and pages on demand.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/page.h"
#include "io/file.h"
#include "model/bin_segment.h"
#include "seal/damage_notes.h"
#include "seal/index.h"
#include "seal/levels.h"
#include "seal/page_values.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::seal {

/// Where a series lies in a file.
struct SeriesPlace {
    std::size_t section = 0, series = 0;
};

/// One mark a row, set where a page it needs cannot be read; empty = nothing is lost.
class LostRows {
  public:
    void mark(std::size_t first, std::size_t end, std::size_t rows) {
        marks_.resize(rows);
        std::fill(marks_.begin() + static_cast<std::ptrdiff_t>(first),
                  marks_.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{1});
    }

    [[nodiscard]] bool contains(std::size_t row) const noexcept {
        return !marks_.empty() && marks_[row] != 0;
    }

    [[nodiscard]] bool any() const noexcept { return !marks_.empty(); }

  private:
    std::vector<std::uint8_t> marks_;
};

/// Immutable on disk; caches what it decoded. Safe for concurrent use. A page that cannot be read
/// costs its rows in its column (an axis every point needs: its rows) and is noted; the rest is
/// returned.
class SealedFile : public std::enable_shared_from_this<SealedFile> {
  public:
    /// Fails when neither the index nor the Parquet footer tells where things lie.
    static Result<std::shared_ptr<SealedFile>> open(
        const std::string& path,
        std::shared_ptr<DamageNotes> notes = std::make_shared<DamageNotes>());
    ~SealedFile();
    SealedFile(const SealedFile&) = delete;
    SealedFile& operator=(const SealedFile&) = delete;

    [[nodiscard]] const FileIndex& index() const noexcept { return index_; }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// One page of a column, decoded; kept while PageCache has room.
    Result<std::shared_ptr<const PageValues>> page(std::size_t column, std::size_t number);
    /// One page of a column as it stands in the file; nothing is kept. `to` is emptied first.
    Result<void> decode(std::size_t column, std::size_t number, parquet::DecodedColumn& to);
    /// Notes a page that cannot be read, and says what it was.
    Damage note_page(std::size_t column, std::size_t number, const std::string& why);
    /// Looks once at the checksums of all pages of a column, so that its damage is noted before
    /// anything of it is handed out.
    void check_column(std::size_t column);
    /// The page that holds `row`, and that page's first row.
    [[nodiscard]] std::pair<std::size_t, std::uint64_t> page_of(std::size_t column,
                                                                std::uint64_t row) const;
    /// Bytes of a pyramid block, checked.
    Result<Bytes> block(const BlockPlace& place);

    /// The points of a series, without those in unreadable pages.
    std::vector<Point> points(const SeriesPlace& place);
    /// The same of `rows` rows from row `first` of the series on.
    std::vector<Point> points(const SeriesPlace& place, std::uint64_t first, std::uint64_t rows);
    /// Rows of the file without their values. An epoch or sample count that cannot be read is left
    /// out of its row; a step, time or row number costs the row.
    std::vector<Point> axes(std::uint64_t first_row, std::uint64_t rows, LostRows& lost);
    /// Values of a column.
    std::vector<double> values(std::size_t column, std::uint64_t first_row, std::uint64_t rows,
                               LostRows& lost);
    /// Reads every page and every block, so that all damage is noted.
    void read_everything();
    /// The series on an axis; null when the axis does not rise. `origin_ns` is the zero of
    /// RelativeTime.
    std::shared_ptr<const model::BinSegment> segment(const SeriesPlace& place, Axis axis,
                                                     std::int64_t origin_ns);

  private:
    SealedFile(std::string path, std::unique_ptr<io::File> file,
               std::shared_ptr<DamageNotes> notes);

    /// Reads the index and sets what follows from it.
    Result<void> load_index(std::uint64_t file_bytes);
    void keep_tail();
    void complete_summaries();
    Result<FileIndex> find_index(std::uint64_t file_bytes);
    Result<FileIndex> read_index(std::uint64_t trailer_offset);
    Result<std::shared_ptr<const PageValues>> read_page(std::size_t column, std::size_t number);
    Result<void> check_page(std::size_t column, std::size_t number);
    [[nodiscard]] std::string name_of(std::size_t column) const;
    Result<Bytes> read(std::uint64_t offset, std::uint64_t size);
    /// Calls take(page, row in it, row of the range) for each row that can be read and lose(first,
    /// end) for the others.
    template <typename Take, typename Lose>
    void for_rows(std::size_t column, std::uint64_t first_row, std::uint64_t rows, Take take,
                  Lose lose);

    std::string path_;
    std::unique_ptr<io::File> file_;
    std::uint64_t file_bytes_ = 0;
    std::shared_ptr<DamageNotes> notes_;
    FileIndex index_;
    Bytes tail_;  ///< the last bytes before the index; empty where many files are open
    std::uint64_t tail_offset_ = UINT64_MAX;
    std::size_t kept_tail_ = 0;
    std::vector<std::vector<std::uint64_t>> page_rows_;  ///< first row of each page, by column

    const std::uint64_t number_;  ///< in PageCache

    std::mutex mutex_;
    std::set<std::size_t> checked_columns_;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<ValueLevels>> value_levels_;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<AxisLevels<std::int64_t>>>
        integer_levels_;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<AxisLevels<double>>>
        number_levels_;
};

}  // namespace taffrail::seal
