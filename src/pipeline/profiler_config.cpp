// The block `profiler` of a configuration.
#include <taffrail/logger.h>

#include "base/try.h"

#include <array>

namespace taffrail {

Result<ProfilerOptions> profiler_options(const Composed& composed) {
    constexpr std::array<std::string_view, 7> kNames = {
        "_target_", "dirpath",   "filename", "extended", "line_count_restriction",
        "sort_by",  "dump_stats"};
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
    return options;
}

}  // namespace taffrail
