#include "server/columns.h"

#include "base/strings.h"
#include "model/metric_meaning.h"
#include "model/run_time.h"

#include <algorithm>
#include <cmath>

namespace taffrail::server {
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
    const std::uint64_t numbers = s.count - std::min(s.count, s.nan_count);
    if (statistic == "metric") {
        const auto value = model::summary_of(*key);
        return value ? Cell(*value) : Cell();
    }
    if (statistic == "metric.last") {
        return s.last;
    }
    if (statistic == "metric.count") {
        return static_cast<std::int64_t>(s.count);
    }
    if (numbers == 0) {
        return {};
    }
    if (statistic == "metric.min") {
        return s.min;
    }
    if (statistic == "metric.max") {
        return s.max;
    }
    return statistic == "metric.mean" ? Cell(s.sum / static_cast<double>(numbers)) : Cell();
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

int kind_order(const Cell& cell) {
    switch (cell.index()) {
        case 0:
            return 3;  // absent: last
        case 4:
            return 2;  // text
        default:
            return 1;  // truth and numbers
    }
}

double as_number(const Cell& cell) {
    if (const auto* truth = std::get_if<bool>(&cell)) {
        return *truth ? 1 : 0;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return static_cast<double>(*whole);
    }
    const auto* number = std::get_if<double>(&cell);
    return number != nullptr ? *number : std::nan("");
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

int compare_cells(const Cell& a, const Cell& b, bool descending) {
    const bool a_absent = a.index() == 0 || (a.index() == 3 && std::isnan(std::get<double>(a)));
    const bool b_absent = b.index() == 0 || (b.index() == 3 && std::isnan(std::get<double>(b)));
    if (a_absent || b_absent) {
        return a_absent == b_absent ? 0 : a_absent ? 1 : -1;
    }
    int order = 0;
    if (kind_order(a) != kind_order(b)) {
        order = kind_order(a) < kind_order(b) ? -1 : 1;
    } else if (a.index() == 4) {
        const int compared = std::get<std::string>(a).compare(std::get<std::string>(b));
        order = compared < 0 ? -1 : compared > 0 ? 1 : 0;
    } else {
        const double left = as_number(a), right = as_number(b);
        order = left < right ? -1 : left > right ? 1 : 0;
    }
    return descending ? -order : order;
}

std::string cell_label(const Cell& cell) {
    switch (cell.index()) {
        case 0:
            return "–";
        case 1:
            return std::get<bool>(cell) ? "true" : "false";
        case 2:
            return std::to_string(std::get<std::int64_t>(cell));
        case 3:
            return format_double(std::get<double>(cell));
        default:
            return std::get<std::string>(cell);
    }
}

}  // namespace taffrail::server
