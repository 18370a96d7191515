#include "sinks/neptune/options.h"

#include "io/expand.h"
#include "io/files.h"
#include "trackers/ranks.h"
#include "trackers/tracker_options.h"

namespace taffrail::sinks::neptune {

const OptionSchema<Options>& schema() {
    static const auto all =
        OptionSchema<Options>("neptune")
            .add("log_dir", &Options::log_dir,
                 "logs go to folders in it; inside the run's own folder where none is given",
                 {.other_names = {"save_dir", "log_directory"}})
            .add("project", &Options::project,
                 "workspace/project there; that of the run where none is given")
            .add("name", &Options::name,
                 "the name of the experiment; that of the run where none is given",
                 {.other_names = {"experiment_name"}})
            .add("id", &Options::id, "the run's id there; that of the run where none is given",
                 {.other_names = {"run_id"}})
            .add("tags", &Options::tags, "tags beside those of the run")
            .add("ranks", &Options::ranks, trackers::kRanksHelp, {.check = trackers::check_ranks})
            .add("console", &Options::console, "whether captured output goes there")
            .add("system_metrics", &Options::system_metrics,
                 "whether the load of the machine goes there");
    return all;
}

Result<Options> completed(Options options, const SinkContext& context) {
    constexpr std::size_t kLongest = 730;
    options.log_dir = io::expand_path(options.log_dir);
    trackers::fill(options.log_dir, nullptr, io::join(context.run_folder, "neptune"));
    trackers::fill(options.project, "NEPTUNE_PROJECT", context.project);
    trackers::fill(options.name, nullptr, context.run_name);
    trackers::fill(options.id, nullptr, context.run_id);
    options.tags.insert(options.tags.end(), context.tags.begin(), context.tags.end());
    if (options.project.empty()) {
        options.project = "workspace/taffrail";
    } else if (options.project.find('/') == std::string::npos) {
        options.project = "workspace/" + options.project;
    }
    if (options.id.empty() || options.id.size() > kLongest ||
        options.id.find('/') != std::string::npos) {
        return Error{ErrorCode::InvalidArgument,
                     "neptune: '" + options.id +
                         "' cannot be the id of a run there; use up to 730 bytes without '/'"};
    }
    options.name.resize(std::min(options.name.size(), kLongest));
    return options;
}

}  // namespace taffrail::sinks::neptune
