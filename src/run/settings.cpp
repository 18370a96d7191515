#include "run/settings.h"

#include "base/strings.h"
#include "base/try.h"
#include "record/ring_layout.h"
#include "system/secrets.h"

#include <algorithm>

namespace taffrail::run {
namespace {

void fill(std::string& option, const Variables& variables, const char* name) {
    if (option.empty()) {
        option = variables(name).value_or("");
    }
}

Error unknown_value(const char* name, const std::string& value, std::string_view known) {
    return {ErrorCode::InvalidArgument,
            std::string(name) + "='" + value + "' is not understood; use " + std::string(known)};
}

Result<std::optional<bool>> truth(const Variables& variables, const char* name) {
    const auto text = variables(name);
    if (!text) {
        return std::optional<bool>();
    }
    const std::string word = to_lower(*text);
    if (word == "1" || word == "true" || word == "on" || word == "yes") {
        return std::optional<bool>(true);
    }
    if (word == "0" || word == "false" || word == "off" || word == "no") {
        return std::optional<bool>(false);
    }
    return unknown_value(name, *text, "1 or 0");
}

Result<void> fill_resume(RunOptions& options, const Variables& variables) {
    const auto text = variables("TAFFRAIL_RESUME");
    if (!text || options.resume != Resume::Never) {
        return {};
    }
    const std::string word = to_lower(*text);
    if (word == "never" || word == "allow" || word == "must") {
        options.resume = word == "must"    ? Resume::Must
                         : word == "allow" ? Resume::Allow
                                           : Resume::Never;
        return {};
    }
    return unknown_value("TAFFRAIL_RESUME", *text, "never, allow or must");
}

Result<void> fill_load(RunOptions& options, const Variables& variables) {
    const auto text = variables("TAFFRAIL_MACHINE_LOAD");
    if (!text) {
        return {};
    }
    const std::string word = to_lower(*text);
    const auto seconds = parse_double(word);
    if (word == "off" || word == "0" || word == "no" || word == "false") {
        options.machine_load.reset();
    } else if (seconds && *seconds >= 0.1 && *seconds <= 86'400) {
        options.machine_load =
            std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
    } else {
        return unknown_value("TAFFRAIL_MACHINE_LOAD", *text,
                             "off or the seconds between two readings (0.1 or more)");
    }
    return {};
}

Result<void> check(const RunOptions& options) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.';
    };
    if (options.id.size() > 64 || !std::all_of(options.id.begin(), options.id.end(), plain) ||
        (!options.id.empty() && options.id.front() == '.')) {
        return Error{ErrorCode::InvalidArgument,
                     "the run id '" + options.id +
                         "' cannot name a folder; use up to 64 letters, digits, '_' and '.'"};
    }
    const std::int32_t rank = options.rank.value_or(0), world_size = options.world_size.value_or(1);
    if (rank < 0 || world_size < 1 || rank >= world_size) {
        return Error{ErrorCode::InvalidArgument,
                     "rank " + std::to_string(rank) + " does not exist in a world of " +
                         std::to_string(world_size) + "; set rank and world_size together"};
    }
    if (options.flush_interval <= std::chrono::milliseconds(0)) {
        return Error{ErrorCode::InvalidArgument, "flush_interval must be longer than nothing"};
    }
    if (options.ring_budget_bytes < record::kMinRingBytes) {
        return Error{ErrorCode::InvalidArgument,
                     "ring_budget_bytes must be at least " + std::to_string(record::kMinRingBytes)};
    }
    return {};
}

}  // namespace

Result<Settings> resolve_settings(RunOptions options, const Variables& variables) {
    Settings settings;
    if (const auto mode = variables("TAFFRAIL_MODE")) {
        const std::string word = to_lower(*mode);
        if (word != "off" && word != "on") {
            return unknown_value("TAFFRAIL_MODE", *mode, "on or off");
        }
        settings.off = word == "off";
    }
    TAFFRAIL_ASSIGN(const auto strict, truth(variables, "TAFFRAIL_STRICT"));
    settings.strict = strict.value_or(false);
    fill(options.root, variables, "TAFFRAIL_DIR");
    fill(options.project, variables, "TAFFRAIL_PROJECT");
    fill(options.name, variables, "TAFFRAIL_NAME");
    fill(options.group, variables, "TAFFRAIL_GROUP");
    fill(options.job_type, variables, "TAFFRAIL_JOB_TYPE");
    // What a script puts into variables nobody proof-reads; options written in code stay as they
    // are.
    if (options.notes.empty()) {
        options.notes = system::scrub_secrets(variables("TAFFRAIL_NOTES").value_or(""));
    }
    fill(options.spool, variables, "TAFFRAIL_SPOOL");
    if (options.tags.empty()) {
        if (const auto tags = variables("TAFFRAIL_TAGS")) {
            for (std::string_view tag : split(*tags, ',')) {
                if (!trim(tag).empty()) {
                    options.tags.push_back(system::scrub_secrets(trim(tag)));
                }
            }
        }
    }
    settings.id_from_variable = options.id.empty() && variables("TAFFRAIL_RUN_ID").has_value();
    fill(options.id, variables, "TAFFRAIL_RUN_ID");
    TAFFRAIL_TRY(fill_resume(options, variables));
    if (const auto text = variables("TAFFRAIL_RESUME_STEP"); text && !options.resume_step) {
        options.resume_step = parse_int(*text);
        if (!options.resume_step) {
            return unknown_value("TAFFRAIL_RESUME_STEP", *text,
                                 "the first step that the resumed attempt logs again");
        }
    }
    TAFFRAIL_TRY(fill_load(options, variables));
    TAFFRAIL_ASSIGN(const auto console, truth(variables, "TAFFRAIL_CONSOLE"));
    options.console = console.value_or(options.console);
    TAFFRAIL_ASSIGN(const auto environment, truth(variables, "TAFFRAIL_ENVIRONMENT"));
    options.environment = environment.value_or(options.environment);
    if (options.root.empty()) {
        options.root = "taffrail";
    }
    if (options.project.empty()) {
        options.project = "default";
    }
    settings.launch = detect_launch(variables);
    if (!options.rank && !options.world_size) {
        options.rank = settings.launch.rank;
        options.world_size = settings.launch.world_size;
    }
    TAFFRAIL_TRY(check(options));
    settings.options = std::move(options);
    return settings;
}

}  // namespace taffrail::run
