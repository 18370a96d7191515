#include "sinks/wandb/options.h"

#include "base/diagnostics.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/expand.h"
#include "sinks/wandb/graphql.h"
#include "trackers/ranks.h"
#include "trackers/tracker_options.h"

namespace taffrail::sinks::wandb {
namespace {

Result<void> check_mode(const std::string& text) {
    if (text == "online" || text == "offline" || text == "disabled" || text.empty()) {
        return {};
    }
    return Error{ErrorCode::Unsupported,
                 "mode '" + text + "' is not offered; use online, offline or disabled"};
}

Result<void> check_id(const std::string& id) {
    constexpr std::size_t kLongest = 64;
    if (id.empty() || id.size() > kLongest || id.starts_with('.') ||
        id.find_first_of("/\\#?%:*\"<>|") != std::string::npos) {
        return Error{ErrorCode::InvalidArgument,
                     "wandb: '" + id +
                         "' cannot be the id of a run there; use up to 64 letters, digits, '-', "
                         "'_' and '.'"};
    }
    return {};
}

}  // namespace

const OptionSchema<Options>& schema() {
    static const auto all =
        OptionSchema<Options>("wandb")
            .add("log_dir", &Options::log_dir,
                 "run folders go to log_dir/wandb; inside the run's own folder where none is given",
                 {.other_names = {"save_dir", "dir"}})
            .add("project", &Options::project, "the project there; that of the run where none is")
            .add("entity", &Options::entity, "the team or user there")
            .add("name", &Options::name, "the name shown; that of the run where none is given")
            .add("id", &Options::id, "the id there; that of the run where none is given",
                 {.other_names = {"run_id", "version"}})
            .add("group", &Options::group, "the group; that of the run where none is given")
            .add("job_type", &Options::job_type, "the job type; that of the run where none is")
            .add("notes", &Options::notes, "notes; those of the run where none are given")
            .add("tags", &Options::tags, "tags beside those of the run")
            .add("mode", &Options::mode,
                 "online: sent to WANDB_BASE_URL while it is written; offline: run folders for "
                 "`wandb sync`; disabled: nothing. Where none is given: WANDB_MODE, else online "
                 "where there is a key (WANDB_API_KEY or ~/.netrc)",
                 {.check = check_mode})
            .add("ranks", &Options::ranks, trackers::kRanksHelp, {.check = trackers::check_ranks})
            .add("console", &Options::console, "whether captured output goes there")
            .add("system_metrics", &Options::system_metrics,
                 "whether the load of the machine goes there");
    return all;
}

Result<Options> parse_options(const OptionMap& given) {
    TAFFRAIL_ASSIGN(Options parsed, schema().parse(given));
    parsed.log_dir = io::expand_path(parsed.log_dir);
    return parsed;
}

std::string mode_of(const Options& options) {
    const std::string mode = trackers::variable("WANDB_MODE");
    if (mode == "disabled" || (options.mode.empty() && (mode == "offline" || mode == "online"))) {
        return mode;
    }
    if (!mode.empty() && mode != "offline" && mode != "online") {
        diagnose_once(DiagnosticLevel::Warning, "wandb mode",
                      "wandb: WANDB_MODE=" + mode + " is not offered; use online or offline");
    }
    return !options.mode.empty()           ? options.mode
           : find_key(find_base()).empty() ? "offline"
                                           : "online";
}

Result<Options> completed(Options options, const SinkContext& context) {
    trackers::fill(options.log_dir, "WANDB_DIR", context.run_folder);
    trackers::fill(options.project, "WANDB_PROJECT", context.project);
    trackers::fill(options.entity, "WANDB_ENTITY");
    trackers::fill(options.name, "WANDB_NAME", context.run_name);
    trackers::fill(options.id, "WANDB_RUN_ID", context.run_id);
    trackers::fill(options.group, "WANDB_RUN_GROUP", context.group);
    trackers::fill(options.job_type, "WANDB_JOB_TYPE", context.job_type);
    trackers::fill(options.notes, "WANDB_NOTES", context.notes);
    if (options.tags.empty()) {
        for (const std::string& tag : option_list(trackers::variable("WANDB_TAGS"))) {
            options.tags.push_back(tag);
        }
    }
    options.tags.insert(options.tags.end(), context.tags.begin(), context.tags.end());
    options.mode = mode_of(options);
    if (options.mode == "online" && find_key(find_base()).empty()) {
        return Error{ErrorCode::InvalidArgument,
                     "wandb: no key to go online with; set WANDB_API_KEY, or use mode=offline"};
    }
    if (options.project.empty()) {
        options.project = "uncategorized";
    }
    TAFFRAIL_TRY(check_id(options.id));
    return options;
}

}  // namespace taffrail::sinks::wandb
