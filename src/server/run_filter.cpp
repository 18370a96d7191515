#include "server/run_filter.h"

#include "server/api/api.h"

namespace taffrail::server {

RunFilter::RunFilter(std::string_view text, const RunList& runs) {
    const auto refused = [](const query::FilterError& error) {
        return ApiError{400, "invalid", "filter: " + error.message, error.offset};
    };
    auto parsed = query::Filter::parse(text);
    if (const auto* error = std::get_if<query::FilterError>(&parsed)) {
        throw refused(*error);
    }
    filter_ = std::get<query::Filter>(std::move(parsed));
    if (filter_.empty()) {
        return;
    }
    std::vector<std::unique_ptr<query::FilterSubject>> subjects;
    subjects.reserve(runs.size());
    for (const auto& run : runs) {
        subjects.push_back(std::make_unique<query::RunSubject>(run->info, &run->keys));
    }
    if (const auto error = filter_.fault(subjects)) {
        throw refused(*error);
    }
}

bool RunFilter::operator()(const RunDetails& run) const {
    return filter_.matches(query::RunSubject(run.info, &run.keys));
}

}  // namespace taffrail::server
