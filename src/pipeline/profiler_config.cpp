// The block `profiler` of a configuration.
#include <taffrail/logger.h>

#include "base/try.h"

#include <array>

namespace taffrail {

Result<ProfilerOptions> profiler_options(const Composed& composed) {
    constexpr std::array<std::string_view, 18> kNames = {
        "_target_",      "dirpath",        "filename",   "extended", "line_count_restriction",
        "sort_by",       "dump_stats",     "skip_first", "wait",     "warmup",
        "active",        "repeat",         "max_bytes",  "use_gzip", "worker",
        "record_shapes", "profile_memory", "with_stack"};
    ProfilerOptions options;
    const Config* block = composed.config.find("profiler");
    if (block == nullptr || !block->is_map()) {
        return options;
    }
    TAFFRAIL_TRY(block->check_names(kNames, "'profiler'"));
    TAFFRAIL_ASSIGN(options.dirpath, block->text_or("dirpath", options.dirpath));
    TAFFRAIL_ASSIGN(options.filename, block->text_or("filename", options.filename));
    TAFFRAIL_ASSIGN(options.extended, block->bool_or("extended", options.extended));
    TAFFRAIL_ASSIGN(options.line_count_restriction,
                    block->double_or("line_count_restriction", options.line_count_restriction));
    TAFFRAIL_ASSIGN(options.sort_by, block->text_or("sort_by", options.sort_by));
    TAFFRAIL_ASSIGN(options.dump_stats, block->bool_or("dump_stats", options.dump_stats));
    TAFFRAIL_ASSIGN(options.worker, block->text_or("worker", options.worker));
    TAFFRAIL_ASSIGN(options.use_gzip, block->bool_or("use_gzip", options.use_gzip));
    TAFFRAIL_ASSIGN(options.record_shapes, block->bool_or("record_shapes", options.record_shapes));
    TAFFRAIL_ASSIGN(options.profile_memory,
                    block->bool_or("profile_memory", options.profile_memory));
    TAFFRAIL_ASSIGN(options.with_stack, block->bool_or("with_stack", options.with_stack));
    ScheduleOptions& steps = options.schedule;
    TAFFRAIL_ASSIGN(steps.skip_first, block->int_or("skip_first", steps.skip_first));
    TAFFRAIL_ASSIGN(steps.wait, block->int_or("wait", steps.wait));
    TAFFRAIL_ASSIGN(steps.warmup, block->int_or("warmup", steps.warmup));
    TAFFRAIL_ASSIGN(steps.active, block->int_or("active", steps.active));
    TAFFRAIL_ASSIGN(steps.repeat, block->int_or("repeat", steps.repeat));
    TAFFRAIL_ASSIGN(const std::int64_t bytes,
                    block->int_or("max_bytes", static_cast<std::int64_t>(options.max_bytes)));
    if (bytes < 0) {
        return Error{ErrorCode::InvalidArgument, "'profiler.max_bytes' must not be negative"};
    }
    options.max_bytes = static_cast<std::uint64_t>(bytes);
    return options;
}

}  // namespace taffrail
