#include "base/strings.h"
#include "base/try.h"
#include "sinks/terminal/sink.h"

#include <algorithm>

namespace taffrail::sinks::terminal {
namespace {

// ALL_CAPS is the spelling of a statistic; anything else may be the key of a metric.
bool looks_like_statistic(std::string_view name) {
    return std::ranges::all_of(
        name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::string to_upper(std::string_view text) {
    std::string upper(text);
    std::ranges::transform(upper, upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return upper;
}

Result<void> check_statistics(const std::string& text) {
    std::vector<std::string> known;
    std::string list;
    for (const StatInfo& info : registered_stats()) {
        known.push_back(info.name);
        list += (list.empty() ? "" : ", ") + info.name;
    }
    for (const std::string& name : option_list(text)) {
        // In other letters than capitals it may be a metric's key, unless it all but is a
        // statistic.
        const bool misspelt = !looks_like_statistic(name) && suggestion(to_upper(name), known);
        if ((looks_like_statistic(name) || misspelt) && !find_stat(name)) {
            return Error{ErrorCode::InvalidArgument,
                         "unknown statistic '" + name + "' in stats_to_track" +
                             did_you_mean(to_upper(name), known) + " (known: " + list + ")"};
        }
    }
    return {};
}

}  // namespace

const OptionSchema<TerminalSinkOptions>& terminal_options() {
    static const auto schema =
        OptionSchema<TerminalSinkOptions>("LocalWriter")
            .add("log_dir", &TerminalSinkOptions::log_dir,
                 "pictures are saved here; not at all where it is not given")
            .add("stats_to_track", &TerminalSinkOptions::stats_to_track,
                 "statistics or keys; every scalar where none is given",
                 {.check = check_statistics})
            .add("max_log_size", &TerminalSinkOptions::max_log_size,
                 "rows kept on the screen; 0 = append, erase nothing", {.least = 0})
            .add("steps_per_log", &TerminalSinkOptions::steps_per_log,
                 "rows at multiples of this step", {.least = 1})
            .add("max_iter", &TerminalSinkOptions::max_iter,
                 "the last step, for the percentage; 0 = not known", {.least = 0});
    return schema;
}

Result<TerminalSinkOptions> parse_terminal_options(const OptionMap& options) {
    return terminal_options().parse(options);
}

Result<std::unique_ptr<Sink>> make_terminal_sink(const OptionMap& options) {
    TAFFRAIL_ASSIGN(TerminalSinkOptions parsed, parse_terminal_options(options));
    return std::unique_ptr<Sink>(
        std::make_unique<TerminalSink>(std::move(parsed), taffrail::terminal::Screen::standard()));
}

}  // namespace taffrail::sinks::terminal
