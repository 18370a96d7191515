#include "sinks/comet/options.h"

#include "base/md5.h"
#include "base/sha256.h"
#include "base/try.h"
#include "io/expand.h"
#include "io/files.h"
#include "trackers/ranks.h"
#include "trackers/tracker_options.h"

#include <algorithm>

namespace taffrail::sinks::comet {

const OptionSchema<Options>& schema() {
    static const auto all =
        OptionSchema<Options>("comet")
            .add("log_dir", &Options::log_dir,
                 "archives go here; inside the run's own folder where none is given",
                 {.other_names = {"save_dir", "offline_directory"}})
            .add("project", &Options::project, "the project there; that of the run where none is",
                 {.other_names = {"project_name"}})
            .add("workspace", &Options::workspace, "the workspace there")
            .add("name", &Options::name, "the name shown; that of the run where none is given",
                 {.other_names = {"experiment_name"}})
            .add("key", &Options::key,
                 "the experiment's key there, 32 to 50 letters and digits; made of the run's id "
                 "where none is given",
                 {.other_names = {"experiment_key"}})
            .add("tags", &Options::tags, "tags beside those of the run")
            .add("ranks", &Options::ranks, trackers::kRanksHelp, {.check = trackers::check_ranks})
            .add("console", &Options::console, "whether captured output goes there")
            .add("system_metrics", &Options::system_metrics,
                 "whether the load of the machine goes there");
    return all;
}

Result<Options> completed(Options options, const SinkContext& context) {
    options.log_dir = io::expand_path(options.log_dir);
    trackers::fill(options.log_dir, "COMET_OFFLINE_DIRECTORY",
                   io::join(context.run_folder, "comet"));
    trackers::fill(options.project, "COMET_PROJECT_NAME", context.project);
    trackers::fill(options.workspace, "COMET_WORKSPACE");
    trackers::fill(options.name, nullptr, context.run_name);
    trackers::fill(options.key, "COMET_EXPERIMENT_KEY", to_hex(md5(as_bytes(context.run_id))));
    options.tags.insert(options.tags.end(), context.tags.begin(), context.tags.end());
    const bool is_plain = std::ranges::all_of(options.key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
    if (!is_plain || options.key.size() < 32 || options.key.size() > 50) {
        return Error{ErrorCode::InvalidArgument,
                     "comet: '" + options.key +
                         "' cannot be the key of an experiment there; use 32 to 50 letters and "
                         "digits"};
    }
    if (options.project.empty()) {
        options.project = "general";
    }
    return options;
}

}  // namespace taffrail::sinks::comet
