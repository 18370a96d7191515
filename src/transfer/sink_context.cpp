#include "transfer/sink_context.h"

#include "store/glance.h"

namespace taffrail::transfer {

SinkContext describe_to_sinks(const std::string& run_folder) {
    RunInfo info = store::glance_at_run(run_folder).info;
    SinkContext context;
    context.run_id = std::move(info.id);
    context.run_name = std::move(info.name);
    context.project = std::move(info.project);
    context.group = std::move(info.group);
    context.job_type = std::move(info.job_type);
    context.tags = std::move(info.tags);
    context.notes = std::move(info.notes);
    context.config = std::move(info.config);
    context.summary.assign(info.summary.begin(), info.summary.end());
    context.metrics = store::defined_metrics(run_folder);
    context.run_folder = run_folder;
    context.start_time_ns = info.start_time_ns;
    context.world_size = info.world_size;
    return context;
}

void keep_to_rank_zero(SinkContext& context) {
    store::RankSettings said = store::settings_of_rank(context.run_folder, 0);
    context.config = std::move(said.config);
    context.summary = std::move(said.summary);
}

}  // namespace taffrail::transfer
