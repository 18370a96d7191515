#include "server/api/export_parquet.h"

#include "base/try.h"
#include "codec/parquet/writer.h"

#include <algorithm>
#include <cmath>

namespace taffrail::server {
namespace {

using parquet::Meaning;
using parquet::Type;

std::vector<parquet::Column> columns() {
    constexpr auto kRequired = parquet::Shape::Required, kOptional = parquet::Shape::Optional;
    return {{"run_id", Type::ByteArray, kRequired, Meaning::Text},
            {"run", Type::ByteArray, kRequired, Meaning::Text},
            {"key", Type::ByteArray, kRequired, Meaning::Text},
            {"step", Type::Int64, kRequired, Meaning::None},
            {"time", Type::Int64, kRequired, Meaning::TimestampNs},
            {"epoch", Type::Double, kOptional, Meaning::None},
            {"samples", Type::Int64, kOptional, Meaning::None},
            {"attempt", Type::Int32, kRequired, Meaning::None},
            {"rank", Type::Int32, kRequired, Meaning::None},
            {"value", Type::Double, kRequired, Meaning::None}};
}

}  // namespace

struct ParquetExport::State {
    parquet::Writer writer;
};

ParquetExport::ParquetExport(std::function<bool(std::string_view)> write) {
    const auto output = [write = std::move(write)](ByteSpan bytes) -> Result<void> {
        return write(as_text(bytes)) ? Result<void>()
                                     : Error{ErrorCode::Io, "the download was broken off"};
    };
    state_ = std::make_unique<State>(
        State{parquet::Writer(columns(), output, {.profile = parquet::Profile::Compat})});
}

ParquetExport::~ParquetExport() = default;

Result<void> ParquetExport::add(std::string_view run_id, std::string_view run, std::string_view key,
                                std::span<const Point> points) {
    for (std::size_t first = 0; first < points.size(); first += kGroupRows) {
        const std::size_t rows = std::min(kGroupRows, points.size() - first);
        // Vectors of the same names as ColumnValues, which only borrows.
        parquet::DecodedColumn step, time, epoch, samples, attempt, rank, value;
        const std::vector<std::string_view> ids(rows, run_id), names(rows, run), tags(rows, key);
        // Absent values stand in the mask only.
        for (std::size_t i = first; i < first + rows; ++i) {
            const Point& point = points[i];
            step.int64s.push_back(point.step);
            time.int64s.push_back(point.time_ns);
            epoch.valid.push_back(std::isnan(point.epoch) ? 0 : 1);
            epoch.doubles.push_back(std::isnan(point.epoch) ? 0 : point.epoch);
            samples.valid.push_back(point.samples == INT64_MIN ? 0 : 1);
            samples.int64s.push_back(point.samples == INT64_MIN ? 0 : point.samples);
            attempt.int32s.push_back(static_cast<std::int32_t>(point.attempt));
            rank.int32s.push_back(point.rank);
            value.doubles.push_back(point.value);
        }
        TAFFRAIL_TRY(state_->writer.begin_row_group(rows));
        for (const std::vector<std::string_view>* texts : {&ids, &names, &tags}) {
            TAFFRAIL_TRY(state_->writer.write_column({.doubles = {},
                                                      .int64s = {},
                                                      .int32s = {},
                                                      .texts = *texts,
                                                      .valid = {},
                                                      .offsets = {}}));
        }
        for (const parquet::DecodedColumn* column :
             {&step, &time, &epoch, &samples, &attempt, &rank, &value}) {
            TAFFRAIL_TRY(state_->writer.write_column({.doubles = column->doubles,
                                                      .int64s = column->int64s,
                                                      .int32s = column->int32s,
                                                      .texts = {},
                                                      .valid = column->valid,
                                                      .offsets = {}}));
        }
        TAFFRAIL_TRY(state_->writer.end_row_group());
    }
    return {};
}

Result<void> ParquetExport::finish() {
    return state_->writer.finish();
}

}  // namespace taffrail::server
