#include "base/strings.h"
#include "base/try.h"
#include "cli/export/exporters.h"
#include "cli/export/value_json.h"

#include <cstdio>

namespace taffrail::cli {
namespace {

std::string hexadecimal(std::uint64_t number) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
    return digits;
}

template <typename T>
void write_optional(JsonWriter& json, std::string_view name, const std::optional<T>& value) {
    json.key(name);
    value ? json.value(*value) : json.null();
}

}  // namespace

Result<void> export_jsonl(const ExportRequest& request, const ExportOutput& output) {
    MediaFiles media(request.media_folder);
    JsonWriter json;
    std::string buffer;
    for (const auto& run : request.runs) {
        const RunInfo info = run->info();
        Result<void> status;
        TAFFRAIL_TRY(run->for_each([&](const Record& record) {
            if (!request.pattern.empty() && !glob_match(request.pattern, record.key)) {
                return true;
            }
            json.clear();
            json.begin_object()
                .member("run", info.id)
                .member("key", record.key)
                .member("kind", to_string(record.kind));
            json.member("step", record.step).member("time", record.time_ns);
            write_optional(json, "epoch", record.epoch);
            write_optional(json, "samples", record.samples);
            json.key("phase");
            record.phase == Phase::None ? json.null() : json.value(to_string(record.phase));
            json.member("rank", record.rank)
                .member("writer", hexadecimal(record.writer))
                .member("attempt", record.attempt);
            json.key("value");
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
            buffer.append(json.end_object().text()).append("\n");
            if (buffer.size() > (1u << 18)) {
                status = output(buffer);
                buffer.clear();
            }
            return status.ok();
        }));
        TAFFRAIL_TRY(status);
    }
    return output(buffer);
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

}  // namespace taffrail::cli
