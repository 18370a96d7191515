#include "base/strings.h"
#include "base/try.h"
#include "cli/export/exporters.h"

#include <cmath>

namespace taffrail::cli {
bool wants_scalar(const ExportRequest& request, const KeyInfo& key) {
    return key.kind == Kind::Scalar &&
           (request.pattern.empty() || glob_match(request.pattern, key.key));
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos &&
        (text.empty() || (text.front() != ' ' && text.back() != ' '))) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (char c : text) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + "\"";
}

Result<void> export_csv_tidy(const ExportRequest& request, const ExportOutput& output) {
    std::string text = "run,key,step,time,epoch,samples,phase,rank,attempt,value\n";
    for (const auto& run : request.runs) {
        const std::string id = csv_field(run->info().id);
        for (const KeyInfo& key : run->keys()) {
            if (!wants_scalar(request, key)) {
                continue;
            }
            const std::string name = csv_field(key.key);
            const auto write = [&](std::span<const Point> points) -> Result<void> {
                for (const Point& point : points) {
                    text += id + "," + name + "," + std::to_string(point.step) + "," +
                            std::to_string(point.time_ns) + ",";
                    text += std::isnan(point.epoch) ? "" : format_double(point.epoch);
                    text += ",";
                    text += point.samples == INT64_MIN ? "" : std::to_string(point.samples);
                    text += "," + std::string(to_string(point.phase)) + "," +
                            std::to_string(point.rank) + "," + std::to_string(point.attempt) + "," +
                            format_double(point.value) + "\n";
                    if (text.size() > (1u << 18)) {
                        TAFFRAIL_TRY(output(text));
                        text.clear();
                    }
                }
                return {};
            };
            TAFFRAIL_TRY(run->visit_points(key.key, request.attempts, write));
        }
    }
    return output(text);
}

}  // namespace taffrail::cli
