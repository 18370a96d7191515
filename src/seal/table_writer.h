// Writes one sealed file of scalars: rows in, Parquet with a pyramid out, checked by reading it
// back.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/writer.h"
#include "io/file.h"
#include "seal/index.h"
#include "seal/section_builder.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::seal {

/// Who logged some rows.
struct RowWriter {
    std::uint64_t writer = 0;
    std::uint32_t attempt = 0;
    std::int32_t rank = 0;
    auto operator<=>(const RowWriter&) const = default;
};

struct TableOptions {
    parquet::Profile profile = parquet::Profile::Standard;
    std::uint64_t row_group_rows = 128 * 1024;
    /// Values of one row group at most; wide tables get fewer rows instead of more memory.
    std::uint64_t row_group_values = 4 << 20;
};

class TableWriter {
  public:
    /// A wide table has one column for each key; a long one a key column and a value column.
    static Result<std::unique_ptr<TableWriter>> create_wide(const std::string& path,
                                                            std::string run_id,
                                                            std::vector<std::string> keys,
                                                            const TableOptions& options);
    static Result<std::unique_ptr<TableWriter>> create_long(const std::string& path,
                                                            std::string run_id,
                                                            const TableOptions& options);

    /// Long tables: the rows that follow belong to `key`.
    Result<void> begin_series(std::string key);
    /// Rows of one writer in log order; columns[i] belongs to the i-th key (one column in a long
    /// table).
    Result<void> add(const RowWriter& writer, const RowAxes& axes,
                     std::span<const std::span<const double>> columns);
    /// What waits in memory for its row group to be full.
    [[nodiscard]] std::size_t waiting_bytes() const noexcept;
    /// Writes it now, as a smaller row group.
    Result<void> write_waiting();
    /// Completes the file, forces it to disk and reads every value back. Nothing is kept of a file
    /// that fails.
    Result<void> finish();

    [[nodiscard]] std::uint64_t rows() const noexcept { return index_.rows; }

    [[nodiscard]] std::uint64_t bytes() const noexcept { return writer_->bytes_written(); }

    /// CRC-32C of all bytes, as they should be in the file.
    [[nodiscard]] std::uint32_t crc() const noexcept { return crc_; }

  private:
    TableWriter(std::string path, std::unique_ptr<io::File> file, TableKind kind,
                std::string run_id, std::vector<std::string> keys, const TableOptions& options);

    Result<void> end_section();
    void append_rows(const RowWriter& writer, const RowAxes& axes,
                     std::span<const std::span<const double>> columns);
    void note_writer(const RowWriter& writer, std::size_t rows);
    void note_phases(std::span<const std::uint8_t> phases);
    void encode_page();
    Result<void> write_row_group();
    Result<void> verify();

    /// Rows of the page that is being filled.
    struct Buffer {
        std::vector<std::int64_t> step, time, samples, writer, seq;
        std::vector<std::int32_t> attempt, rank;
        std::vector<double> epoch;
        std::vector<std::vector<double>> values;
        void clear();
    };

    /// The row group so far. Texts get a dictionary for all of them, so they wait as they are.
    struct RowGroup {
        std::size_t rows = 0;
        std::vector<parquet::ColumnPages> pages;  ///< by column; none of texts
        std::vector<std::uint8_t> phase;
        std::vector<std::string_view> key;
    };

    std::string path_;
    std::unique_ptr<io::File> file_;
    std::unique_ptr<parquet::Writer> writer_;
    FileIndex index_;
    std::optional<SectionBuilder> section_;
    std::vector<std::string> keys_;
    std::deque<std::string> long_keys_;
    std::uint64_t group_rows_;
    parquet::Profile profile_;
    Buffer buffer_;
    RowGroup group_;
    /// Of the bytes of each column that is read back: step, time, row number, then the values.
    std::vector<std::uint32_t> crcs_;
    std::uint32_t crc_ = 0;
};

/// The columns that every sealed table begins with: where a row stands on each axis, and who logged
/// it.
std::vector<parquet::Column> fixed_columns();

/// The columns before the values, `key` of a long table included.
std::vector<parquet::Column> columns_before_values(TableKind kind);

/// Column names for keys: unique ignoring case, never the name of an axis, without control
/// characters. The index knows the true keys.
std::vector<std::string> column_names(std::span<const std::string> keys);

}  // namespace taffrail::seal
