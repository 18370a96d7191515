#include "base/strings.h"
#include "base/try.h"
#include "cli/export/exporters.h"
#include "query/wide_table.h"

#include <algorithm>
#include <cmath>

namespace taffrail::cli {
namespace {

bool wanted(const ExportRequest& request, const KeyInfo& key) {
    return key.kind == Kind::Scalar &&
           (request.pattern.empty() || glob_match(request.pattern, key.key));
}

/// The columns of the wide table: every wanted key of any run, in order.
std::vector<std::string> column_names(const ExportRequest& request) {
    std::vector<std::string> names;
    for (const auto& run : request.runs) {
        for (const KeyInfo& key : run->keys()) {
            if (wanted(request, key)) {
                names.push_back(key.key);
            }
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Result<query::WideTable> wide_table(const ExportRequest& request, const RecordedRun& run,
                                    const std::vector<std::string>& names) {
    std::vector<KeyInfo> keys = run.keys();
    std::ranges::sort(keys, {}, &KeyInfo::key);  // as the columns are
    query::WideTable table;
    for (const KeyInfo& key : keys) {
        if (wanted(request, key)) {
            const auto column = std::ranges::lower_bound(names, key.key) - names.begin();
            TAFFRAIL_ASSIGN(const auto points, run.points(key.key));
            table.add(static_cast<std::size_t>(column), points);
        }
    }
    return table;
}

}  // namespace

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
            if (!wanted(request, key)) {
                continue;
            }
            const std::string name = csv_field(key.key);
            TAFFRAIL_ASSIGN(const auto points, run->points(key.key));
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
        }
    }
    return output(text);
}

Result<void> export_csv_wide(const ExportRequest& request, const ExportOutput& output) {
    const std::vector<std::string> names = column_names(request);
    std::string text = "run,step,rank,attempt";
    for (const std::string& name : names) {
        text += "," + csv_field(name);
    }
    text += "\n";
    for (const auto& run : request.runs) {
        const std::string id = csv_field(run->info().id);
        TAFFRAIL_ASSIGN(const query::WideTable table, wide_table(request, *run, names));
        for (const auto& [place, row] : table.rows()) {
            text += id + "," + std::to_string(place.step) + "," + std::to_string(place.rank) + "," +
                    std::to_string(place.attempt);
            std::size_t next = 0;
            for (std::size_t column = 0; column < names.size(); ++column) {
                text += ",";
                if (next < row.size() && row[next].first == column) {
                    text += format_double(row[next++].second);
                }
            }
            text += "\n";
            if (text.size() > (1u << 18)) {
                TAFFRAIL_TRY(output(text));
                text.clear();
            }
        }
    }
    return output(text);
}

}  // namespace taffrail::cli
