#include "query/export/point_table.h"

#include "base/names.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/csv.h"
#include "query/export/parquet_table.h"

#include <cmath>
#include <utility>

namespace taffrail::query {
namespace {

class CsvTable final : public PointTable {
  public:
    explicit CsvTable(ExportOutput output) : pieces_(std::move(output)) {
        pieces_.text() = "run,name,key,step,time,epoch,samples,phase,rank,attempt,value\n";
    }

    Result<void> add(const ExportedRun& run, std::string_view key,
                     std::span<const Point> points) override {
        const std::string head =
            csv_safe_cell(run.id) + ',' + csv_safe_cell(run.name) + ',' + csv_safe_cell(key) + ',';
        std::string& text = pieces_.text();
        for (const Point& point : points) {
            text.append(head).append(std::to_string(point.step)).push_back(',');
            text.append(std::to_string(point.time_ns)).push_back(',');
            if (!std::isnan(point.epoch)) {
                text.append(format_double(point.epoch));
            }
            text.push_back(',');
            if (point.samples != INT64_MIN) {
                text.append(std::to_string(point.samples));
            }
            text.append(1, ',').append(to_string(point.phase)).push_back(',');
            text.append(std::to_string(point.rank)).push_back(',');
            text.append(std::to_string(point.attempt)).push_back(',');
            text.append(format_double(point.value)).push_back('\n');
            TAFFRAIL_TRY(pieces_.hand_on_if_large());
        }
        return {};
    }

    Result<void> finish() override { return pieces_.hand_on(); }

  private:
    TextPieces pieces_;
};

class JsonlTable final : public PointTable {
  public:
    explicit JsonlTable(ExportOutput output) : pieces_(std::move(output)) {}

    Result<void> add(const ExportedRun& run, std::string_view key,
                     std::span<const Point> points) override {
        for (const Point& point : points) {
            json_.clear();
            begin_jsonl(json_, run.id, key, Kind::Scalar, point);
            json_.value(point.value).end_object();
            pieces_.text().append(json_.text()).push_back('\n');
            TAFFRAIL_TRY(pieces_.hand_on_if_large());
        }
        return {};
    }

    Result<void> finish() override { return pieces_.hand_on(); }

  private:
    TextPieces pieces_;
    JsonWriter json_;
};

}  // namespace

void begin_jsonl(JsonWriter& json, std::string_view run_id, std::string_view key, Kind kind,
                 const Point& place) {
    json.begin_object().member("run", run_id).member("key", key).member("kind", to_string(kind));
    json.member("step", place.step).member("time", place.time_ns).key("epoch");
    std::isnan(place.epoch) ? json.null() : json.value(place.epoch);
    json.key("samples");
    place.samples == INT64_MIN ? json.null() : json.value(place.samples);
    json.key("phase");
    place.phase == Phase::None ? json.null() : json.value(to_string(place.phase));
    json.member("rank", place.rank)
        .member("writer", writer_name(place.writer))
        .member("attempt", place.attempt);
    json.key("value");
}

std::unique_ptr<PointTable> make_point_table(TableFormat format, ExportOutput output) {
    switch (format) {
        case TableFormat::Jsonl:
            return std::make_unique<JsonlTable>(std::move(output));
        case TableFormat::Parquet:
            return std::make_unique<ParquetTable>(std::move(output));
        case TableFormat::Csv:
            break;
    }
    return std::make_unique<CsvTable>(std::move(output));
}

}  // namespace taffrail::query
