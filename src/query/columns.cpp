#include "query/columns.h"

#include "base/cell_text.h"
#include "model/metric_meaning.h"
#include "model/run_time.h"

#include <optional>

namespace taffrail::query {
namespace {

Cell metric_value(const RunDetails& run, std::string_view statistic, std::string_view name) {
    if (statistic == "metric") {
        if (const auto explicit_value = run.info.summary.find(std::string(name));
            explicit_value != run.info.summary.end()) {
            return explicit_value->second;
        }
    }
    const KeyInfo* key = run.key(name);
    if (key == nullptr || key->kind != Kind::Scalar || key->scalar.count == 0) {
        return {};
    }
    const SeriesSummary& s = key->scalar;
    const auto cell = [](std::optional<double> number) { return number ? Cell(*number) : Cell(); };
    if (statistic == "metric") {
        const auto value = model::summary_of(*key);
        return value ? Cell(*value) : Cell();
    }
    if (statistic == "metric.last") {
        return cell(s.newest());
    }
    if (statistic == "metric.count") {
        return static_cast<std::int64_t>(s.count);
    }
    if (statistic == "metric.min") {
        return cell(s.smallest());
    }
    if (statistic == "metric.max") {
        return cell(s.largest());
    }
    return statistic == "metric.mean" ? cell(s.mean()) : Cell();
}

Cell field_value(const RunDetails& run, std::string_view name) {
    const RunInfo& info = run.info;
    if (name == "name") {
        return info.name;
    }
    if (name == "project") {
        return info.project;
    }
    if (name == "group") {
        return info.group;
    }
    if (name == "job_type") {
        return info.job_type;
    }
    if (name == "state") {
        return std::string(to_string(info.state));
    }
    if (name == "notes") {
        return info.notes;
    }
    if (name == "start_ms") {
        return static_cast<double>(info.start_time_ns) / 1e6;
    }
    if (name == "end_ms") {
        return static_cast<double>(info.end_time_ns) / 1e6;
    }
    if (name == "duration_ms") {
        const auto duration = model::duration_ns(info);
        return duration ? Cell(static_cast<double>(*duration) / 1e6) : Cell();
    }
    if (name == "attempts") {
        return static_cast<std::int64_t>(info.attempts);
    }
    if (name == "tags") {
        std::string joined;
        for (const std::string& tag : info.tags) {
            joined += (joined.empty() ? "" : ", ") + tag;
        }
        return joined;
    }
    return {};
}

}  // namespace

Cell column_value(const RunDetails& run, std::string_view column) {
    const auto colon = column.find(':');
    if (colon == std::string_view::npos) {
        return field_value(run, column);
    }
    const std::string_view family = column.substr(0, colon), name = column.substr(colon + 1);
    if (family == "config") {
        // Later values overwrite earlier ones.
        for (auto entry = run.info.config.rbegin(); entry != run.info.config.rend(); ++entry) {
            if (entry->first == name) {
                return entry->second;
            }
        }
        return {};
    }
    if (family == "summary") {
        const auto found = run.info.summary.find(std::string(name));
        return found == run.info.summary.end() ? Cell() : found->second;
    }
    return metric_value(run, family, name);
}

std::string cell_label(const Cell& cell) {
    return cell.index() == 0 ? "–" : cell_text(cell);
}

}  // namespace taffrail::query
