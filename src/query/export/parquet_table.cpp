#include "query/export/parquet_table.h"

#include "base/bytes.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace taffrail::query {
namespace {

using parquet::ColumnValues;
using parquet::Meaning;
using parquet::Type;

constexpr std::size_t kGroupRows = 64 * 1024;

std::vector<parquet::Column> table_columns() {
    constexpr auto kRequired = parquet::Shape::Required, kOptional = parquet::Shape::Optional;
    return {{"run", Type::ByteArray, kRequired, Meaning::Text},
            {"name", Type::ByteArray, kRequired, Meaning::Text},
            {"key", Type::ByteArray, kRequired, Meaning::Text},
            {"step", Type::Int64, kRequired, Meaning::None},
            {"time", Type::Int64, kRequired, Meaning::TimestampNs},
            {"epoch", Type::Double, kOptional, Meaning::None},
            {"samples", Type::Int64, kOptional, Meaning::None},
            {"phase", Type::ByteArray, kOptional, Meaning::Text},
            {"rank", Type::Int32, kRequired, Meaning::None},
            {"attempt", Type::Int32, kRequired, Meaning::None},
            {"value", Type::Double, kRequired, Meaning::None}};
}

/// One row group. The columns only borrow, so all of it is filled before the first is written.
struct GroupRows {
    std::vector<std::string_view> phase;
    std::vector<std::int64_t> step, time, samples;
    std::vector<std::int32_t> rank, attempt;
    std::vector<double> epoch, value;
    std::vector<std::uint8_t> has_samples, has_epoch, has_phase;

    explicit GroupRows(std::span<const Point> points) {
        for (const Point& point : points) {
            step.push_back(point.step);
            time.push_back(point.time_ns);
            // Absent values stand in the mask only.
            has_epoch.push_back(!std::isnan(point.epoch));
            epoch.push_back(std::isnan(point.epoch) ? 0 : point.epoch);
            has_samples.push_back(point.samples != INT64_MIN);
            samples.push_back(point.samples == INT64_MIN ? 0 : point.samples);
            has_phase.push_back(point.phase != Phase::None);
            phase.push_back(to_string(point.phase));
            rank.push_back(point.rank);
            attempt.push_back(static_cast<std::int32_t>(point.attempt));
            value.push_back(point.value);
        }
    }
};

ColumnValues column_of(std::span<const std::string_view> texts,
                       std::span<const std::uint8_t> valid = {}) {
    ColumnValues column;
    column.texts = texts;
    column.valid = valid;
    return column;
}

ColumnValues column_of(std::span<const std::int64_t> wholes,
                       std::span<const std::uint8_t> valid = {}) {
    ColumnValues column;
    column.int64s = wholes;
    column.valid = valid;
    return column;
}

ColumnValues column_of(std::span<const std::int32_t> wholes) {
    ColumnValues column;
    column.int32s = wholes;
    return column;
}

ColumnValues column_of(std::span<const double> numbers, std::span<const std::uint8_t> valid = {}) {
    ColumnValues column;
    column.doubles = numbers;
    column.valid = valid;
    return column;
}

}  // namespace

ParquetTable::ParquetTable(ExportOutput output)
    : writer_(table_columns(),
              [output = std::move(output)](ByteSpan bytes) { return output(as_text(bytes)); },
              {.profile = parquet::Profile::Compat}) {}

Result<void> ParquetTable::add(const ExportedRun& run, std::string_view key,
                               std::span<const Point> points) {
    for (std::size_t first = 0; first < points.size(); first += kGroupRows) {
        const std::size_t count = std::min(kGroupRows, points.size() - first);
        const GroupRows rows(points.subspan(first, count));
        const std::vector<std::string_view> ids(count, run.id), names(count, run.name),
            keys(count, key);
        TAFFRAIL_TRY(writer_.begin_row_group(count));
        for (const ColumnValues& column :
             {column_of(ids), column_of(names), column_of(keys), column_of(rows.step),
              column_of(rows.time), column_of(rows.epoch, rows.has_epoch),
              column_of(rows.samples, rows.has_samples), column_of(rows.phase, rows.has_phase),
              column_of(rows.rank), column_of(rows.attempt), column_of(rows.value)}) {
            TAFFRAIL_TRY(writer_.write_column(column));
        }
        TAFFRAIL_TRY(writer_.end_row_group());
    }
    return {};
}

}  // namespace taffrail::query
