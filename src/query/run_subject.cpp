// What the names of a filter mean for a run.
#include "model/metric_meaning.h"
#include "model/run_time.h"
#include "query/filter.h"

#include <algorithm>

namespace taffrail::query {

std::vector<Cell> RunSubject::metric(std::string_view statistic, std::string_view name) const {
    const bool is_summary = statistic == "summary";
    if (is_summary || statistic == "last") {
        if (const auto found = info_.summary.find(std::string(name));
            found != info_.summary.end()) {
            return {found->second};
        }
    }
    const std::vector<KeyInfo>* const keys = keys_();
    if (keys == nullptr) {
        return {};
    }
    auto found = std::ranges::lower_bound(
        *keys, name, {}, [](const KeyInfo& key) { return std::string_view(key.key); });
    while (found != keys->end() && found->key == name && found->kind != Kind::Scalar) {
        ++found;  // a key may have had several kinds
    }
    if (found == keys->end() || found->key != name || found->scalar.count == 0) {
        return {};
    }
    const SeriesSummary& s = found->scalar;
    if (is_summary) {
        const auto value = model::summary_of(*found);
        return value ? std::vector<Cell>{Cell(*value)} : std::vector<Cell>();
    }
    if (statistic == "count") {
        return {Cell(static_cast<std::int64_t>(s.count))};
    }
    const std::optional<double> number = statistic == "min"    ? s.smallest()
                                         : statistic == "max"  ? s.largest()
                                         : statistic == "last" ? s.newest()
                                                               : s.mean();
    return number ? std::vector<Cell>{Cell(*number)} : std::vector<Cell>();
}

std::vector<Cell> RunSubject::values(std::string_view name) const {
    if (name == "tag" || name == "tags") {
        return {info_.tags.begin(), info_.tags.end()};
    }
    const std::pair<std::string_view, std::string_view> fields[] = {
        {"name", info_.name},
        {"project", info_.project},
        {"group", info_.group},
        {"job_type", info_.job_type},
        {"state", to_string(info_.state)},
        {"note", info_.notes},
        {"notes", info_.notes},
        {"id", info_.id},
        {"source", info_.source}};
    for (const auto& [field, text] : fields) {
        if (field == name) {
            return {Cell(std::string(text))};
        }
    }
    if (name == "archived") {
        return {Cell(info_.archived)};
    }
    // A run that says nothing of its time has none: it is neither old nor new.
    if (name == "started" || name == "ended" || name == "duration") {
        if (info_.start_time_ns == 0) {
            return {};
        }
        if (name == "duration") {
            const auto duration = model::duration_ns(info_);
            return duration ? std::vector<Cell>{*duration} : std::vector<Cell>();
        }
        return {Cell(name == "started" ? info_.start_time_ns : info_.end_time_ns)};
    }
    const auto config = [&](std::string_view key) -> std::vector<Cell> {
        for (auto entry = info_.config.rbegin(); entry != info_.config.rend(); ++entry) {
            if (entry->first == key) {
                return {entry->second};
            }
        }
        return {};
    };
    if (name.starts_with("config:")) {
        return config(name.substr(7));
    }
    if (name.starts_with("summary:")) {
        const auto found = info_.summary.find(std::string(name.substr(8)));
        return found == info_.summary.end() ? std::vector<Cell>()
                                            : std::vector<Cell>{found->second};
    }
    if (name.starts_with("metric")) {
        const auto colon = name.find(':');
        if (colon != std::string_view::npos) {
            return metric(colon == 6 ? std::string_view("summary") : name.substr(7, colon - 7),
                          name.substr(colon + 1));
        }
    }
    if (auto found = config(name); !found.empty()) {
        return found;
    }
    if (auto found = metric("summary", name); !found.empty()) {
        return found;
    }
    for (std::string_view statistic : {"min", "max", "mean", "last", "count"}) {
        if (name.size() > statistic.size() + 1 && name.ends_with(statistic) &&
            name[name.size() - statistic.size() - 1] == '.') {
            if (auto found = metric(statistic, name.substr(0, name.size() - statistic.size() - 1));
                !found.empty()) {
                return found;
            }
        }
    }
    return {};
}

void RunSubject::add_names(std::vector<std::string>& to) const {
    for (const char* field : {"name", "project", "group", "job_type", "state", "tag", "notes", "id",
                              "source", "archived", "started", "ended", "duration"}) {
        to.emplace_back(field);
    }
    for (const auto& [name, cell] : info_.config) {
        to.push_back(name);
    }
    for (const auto& [name, cell] : info_.summary) {
        to.push_back(name);
    }
    if (const std::vector<KeyInfo>* const keys = keys_()) {
        for (const KeyInfo& key : *keys) {
            if (key.kind == Kind::Scalar) {
                to.push_back(key.key);
            }
        }
    }
}

}  // namespace taffrail::query
