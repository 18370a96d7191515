#include "base/strings.h"
#include "base/try.h"
#include "query/export/exporters.h"

namespace taffrail::query {

bool wants_scalar(const ExportRequest& request, const KeyInfo& key) {
    return key.kind == Kind::Scalar &&
           (request.pattern.empty() || glob_match(request.pattern, key.key));
}

Result<void> export_points(const ExportRequest& request, TableFormat format, ExportOutput output) {
    const auto table = make_point_table(format, std::move(output));
    for (const auto& run : request.runs) {
        const RunInfo info = run->info();
        const ExportedRun named{info.id, info.name};
        for (const KeyInfo& key : run->keys()) {
            if (wants_scalar(request, key)) {
                TAFFRAIL_TRY(run->visit_points(key.key, request.attempts,
                                               [&](std::span<const Point> points) {
                                                   return table->add(named, key.key, points);
                                               }));
            }
        }
    }
    return table->finish();
}

}  // namespace taffrail::query
