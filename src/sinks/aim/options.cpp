#include "sinks/aim/options.h"

#include "base/sha256.h"
#include "io/expand.h"
#include "trackers/ranks.h"
#include "trackers/tracker_options.h"

#include <algorithm>

namespace taffrail::sinks::aim {

const OptionSchema<Options>& schema() {
    static const auto all =
        OptionSchema<Options>("aim")
            .add("log_dir", &Options::log_dir,
                 "the repository is log_dir/.aim; inside the run's own folder where none is given",
                 {.other_names = {"repo", "save_dir"}})
            .add("experiment", &Options::experiment,
                 "the experiment there; the project of the run where none is given")
            .add("name", &Options::name, "the name shown; that of the run where none is given",
                 {.other_names = {"run_name"}})
            .add("hash", &Options::hash,
                 "the run's hash there, 24 hexadecimal digits; made of the run's id where none is "
                 "given",
                 {.other_names = {"run_hash"}})
            .add("tags", &Options::tags, "tags beside those of the run")
            .add("ranks", &Options::ranks, trackers::kRanksHelp, {.check = trackers::check_ranks})
            .add("console", &Options::console, "whether captured output goes there")
            .add("system_metrics", &Options::system_metrics,
                 "whether the load of the machine goes there");
    return all;
}

Result<Options> completed(Options options, const SinkContext& context) {
    options.log_dir = io::expand_path(options.log_dir);
    trackers::fill(options.log_dir, nullptr, context.run_folder);
    trackers::fill(options.experiment, nullptr, context.project);
    trackers::fill(options.name, nullptr, context.run_name);
    trackers::fill(options.hash, nullptr, to_hex(sha256(as_bytes(context.run_id))).substr(0, 24));
    options.tags.insert(options.tags.end(), context.tags.begin(), context.tags.end());
    const bool is_hash = options.hash.size() == 24 && std::ranges::all_of(options.hash, [](char c) {
                             return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                         });
    if (!is_hash) {
        return Error{ErrorCode::InvalidArgument,
                     "aim: '" + options.hash + "' is no hash of a run there; use 24 digits 0-9a-f"};
    }
    return options;
}

}  // namespace taffrail::sinks::aim
