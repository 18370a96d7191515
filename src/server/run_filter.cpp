#include "server/run_filter.h"

#include "query/filter.h"
#include "server/api/api.h"

namespace taffrail::server {

RunFilter compile_run_filter(std::string_view text) {
    auto parsed = query::Filter::parse(text);
    if (const auto* error = std::get_if<query::FilterError>(&parsed)) {
        throw ApiError{400, "invalid", "filter: " + error->message, error->offset};
    }
    return [filter = std::get<query::Filter>(std::move(parsed))](const RunDetails& run) {
        return filter.matches(query::RunSubject(run.info, &run.keys));
    };
}

}  // namespace taffrail::server
