#include "base/strings.h"
#include "base/try.h"
#include "query/export/exporters.h"
#include "query/export/value_json.h"
#include "query/export/winning_records.h"

#include <optional>

namespace taffrail::query {
namespace {

/// Where a record stands, in the form of a point.
Point place_of(const Record& record) {
    Point place;
    place.step = record.step;
    place.time_ns = record.time_ns;
    place.epoch = record.epoch.value_or(place.epoch);
    place.samples = record.samples.value_or(place.samples);
    place.attempt = record.attempt;
    place.rank = record.rank;
    place.phase = record.phase;
    place.writer = record.writer;
    return place;
}

}  // namespace

Result<void> export_records(const ExportRequest& request, const ExportOutput& output) {
    MediaFiles media(request.media_folder);
    JsonWriter json;
    TextPieces pieces(output);
    for (const auto& run : request.runs) {
        const RunInfo info = run->info();
        std::optional<WinningRecords> winners;
        if (request.attempts == Attempts::Winning) {
            TAFFRAIL_ASSIGN(winners, WinningRecords::of(*run));
        }
        Result<void> status;
        TAFFRAIL_TRY(run->for_each([&](const Record& record) {
            if ((!request.pattern.empty() && !glob_match(request.pattern, record.key)) ||
                (winners && !winners->wins(record))) {
                return true;
            }
            json.clear();
            begin_jsonl(json, info.id, record.key, record.kind, place_of(record));
            if (record.kind == Kind::Scalar) {
                json.value(record.scalar);
            } else {
                auto files = media.files(*run, info, record);
                if (!files.ok()) {
                    status = files.error();
                    return false;
                }
                write_value(json, *record.value, *files);
            }
            pieces.text().append(json.end_object().text()).push_back('\n');
            status = pieces.hand_on_if_large();
            return status.ok();
        }));
        TAFFRAIL_TRY(status);
    }
    return pieces.hand_on();
}

Result<void> export_media(const ExportRequest& request, const ExportOutput& output) {
    MediaFiles media(request.media_folder);
    for (const auto& run : request.runs) {
        const RunInfo info = run->info();
        Result<void> status;
        TAFFRAIL_TRY(run->for_each([&](const Record& record) {
            const bool wanted = request.pattern.empty() || glob_match(request.pattern, record.key);
            if (record.kind == Kind::Scalar || !wanted) {
                return true;
            }
            auto files = media.files(*run, info, record);
            if (!files.ok()) {
                status = files.error();
                return false;
            }
            for (const MediaFile& file : *files) {
                status = output(file.file + "\n");
            }
            return status.ok();
        }));
        TAFFRAIL_TRY(status);
    }
    return {};
}

}  // namespace taffrail::query
