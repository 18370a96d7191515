#include "run/sink_context.h"

#include "transfer/sink_context.h"

namespace taffrail::run {

SinkContext describe_to_sinks(const RunPlace& place, const Settings& settings) {
    const RunOptions& options = settings.options;
    SinkContext context = transfer::describe_to_sinks(place.folder);
    const auto fill = [](std::string& field, const std::string& own) {
        if (field.empty()) {
            field = own;
        }
    };
    context.run_id = place.id;
    context.rank = options.rank.value_or(0);
    if (context.rank != 0) {
        // Rank 0 writes the name down; its folder may spell it another way.
        context.run_name = place.name;
    }
    fill(context.project, options.project);
    fill(context.group, options.group);
    fill(context.job_type, options.job_type);
    fill(context.notes, options.notes);
    if (context.tags.empty()) {
        context.tags = options.tags;
    }
    context.attempt = place.attempt;
    context.resume_step = place.attempt > 0 ? options.resume_step : std::nullopt;
    context.world_size = options.world_size.value_or(1);
    return context;
}

}  // namespace taffrail::run
