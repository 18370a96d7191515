#include "base/strings.h"
#include "base/try.h"
#include "cli/export/exporters.h"
#include "codec/parquet/writer.h"

#include <algorithm>
#include <cmath>

namespace taffrail::cli {
namespace {

using parquet::Column;
using parquet::ColumnValues;
using parquet::Meaning;
using parquet::Type;

/// One row group, filled column by column.
struct Rows {
    std::vector<std::string_view> run, key, phase;
    std::vector<std::int64_t> step, time, samples;
    std::vector<std::int32_t> rank, attempt;
    std::vector<double> epoch, value;
    std::vector<std::uint8_t> has_samples, has_epoch, has_phase;
    std::size_t count = 0;
};

std::vector<Column> columns() {
    constexpr auto kRequired = parquet::Shape::Required, kOptional = parquet::Shape::Optional;
    return {{"run", Type::ByteArray, kRequired, Meaning::Text},
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

Rows rows_of(std::string_view run, std::string_view key, std::span<const Point> points) {
    Rows rows;
    for (const Point& point : points) {
        rows.run.push_back(run), rows.key.push_back(key),
            rows.phase.push_back(to_string(point.phase));
        rows.step.push_back(point.step), rows.time.push_back(point.time_ns);
        rows.samples.push_back(point.samples == INT64_MIN ? 0 : point.samples);
        rows.has_samples.push_back(point.samples != INT64_MIN);
        rows.epoch.push_back(std::isnan(point.epoch) ? 0 : point.epoch);
        rows.has_epoch.push_back(!std::isnan(point.epoch));
        rows.has_phase.push_back(point.phase != Phase::None);
        rows.rank.push_back(point.rank);
        rows.attempt.push_back(static_cast<std::int32_t>(point.attempt));
        rows.value.push_back(point.value);
        ++rows.count;
    }
    return rows;
}

Result<void> write_group(parquet::Writer& writer, const Rows& rows) {
    TAFFRAIL_TRY(writer.begin_row_group(rows.count));
    const auto texts = [](const std::vector<std::string_view>& values) {
        ColumnValues column;
        column.texts = values;
        return column;
    };
    const auto wholes = [](const std::vector<std::int64_t>& values) {
        ColumnValues column;
        column.int64s = values;
        return column;
    };
    const auto shorts = [](const std::vector<std::int32_t>& values) {
        ColumnValues column;
        column.int32s = values;
        return column;
    };
    const auto reals = [](const std::vector<double>& values) {
        ColumnValues column;
        column.doubles = values;
        return column;
    };
    ColumnValues epoch = reals(rows.epoch), samples = wholes(rows.samples),
                 phase = texts(rows.phase);
    epoch.valid = rows.has_epoch, samples.valid = rows.has_samples, phase.valid = rows.has_phase;
    for (const ColumnValues& column :
         {texts(rows.run), texts(rows.key), wholes(rows.step), wholes(rows.time), epoch, samples,
          phase, shorts(rows.rank), shorts(rows.attempt), reals(rows.value)}) {
        TAFFRAIL_TRY(writer.write_column(column));
    }
    return writer.end_row_group();
}

}  // namespace

Result<void> export_parquet(const ExportRequest& request, const ExportOutput& output) {
    parquet::Writer writer(columns(), [&](ByteSpan bytes) { return output(as_text(bytes)); },
                           {.profile = parquet::Profile::Compat});
    constexpr std::size_t kGroupRows = 64 * 1024;
    for (const auto& run : request.runs) {
        const std::string id = run->info().id;
        for (const KeyInfo& key : run->keys()) {
            if (key.kind != Kind::Scalar ||
                (!request.pattern.empty() && !glob_match(request.pattern, key.key))) {
                continue;
            }
            const auto write = [&](std::span<const Point> points) -> Result<void> {
                for (std::size_t first = 0; first < points.size(); first += kGroupRows) {
                    const std::size_t rows = std::min(kGroupRows, points.size() - first);
                    TAFFRAIL_TRY(
                        write_group(writer, rows_of(id, key.key, points.subspan(first, rows))));
                }
                return {};
            };
            TAFFRAIL_TRY(run->visit_points(key.key, request.attempts, write));
        }
    }
    return writer.finish();
}

}  // namespace taffrail::cli
