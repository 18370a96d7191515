#include "base/strings.h"
#include "base/try.h"
#include "sinks/terminal/sink.h"

#include <algorithm>
#include <array>

namespace taffrail {
namespace {

Error option_error(std::string message) {
    return {ErrorCode::InvalidArgument, "LocalWriter: " + std::move(message)};
}

Result<std::int64_t> whole_number(const std::string& name, const std::string& text,
                                  std::int64_t least) {
    const auto value = parse_int(trim(text));
    if (!value || *value < least) {
        return option_error("'" + name + "' must be a whole number of at least " +
                            std::to_string(least) + ", found '" + text + "'");
    }
    return *value;
}

// "[A, B]" or "A, B".
std::vector<std::string> list_of(std::string_view text) {
    text = trim(text);
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
    }
    std::vector<std::string> items;
    for (const std::string_view part : split(text, ',')) {
        std::string_view item = trim(part);
        if (item.size() >= 2 && (item.front() == '"' || item.front() == '\'') &&
            item.back() == item.front()) {
            item = item.substr(1, item.size() - 2);
        }
        if (!item.empty()) {
            items.emplace_back(item);
        }
    }
    return items;
}

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

Result<void> check_statistics(const std::vector<std::string>& names) {
    std::vector<std::string> known;
    std::string list;
    for (const StatInfo& info : registered_stats()) {
        known.push_back(info.name);
        list += (list.empty() ? "" : ", ") + info.name;
    }
    for (const std::string& name : names) {
        // In other letters than capitals it may be a metric's key, unless it all but is a
        // statistic.
        const bool misspelt = !looks_like_statistic(name) && suggestion(to_upper(name), known);
        if ((looks_like_statistic(name) || misspelt) && !find_stat(name)) {
            return option_error("unknown statistic '" + name + "' in stats_to_track" +
                                did_you_mean(to_upper(name), known) + " (known: " + list + ")");
        }
    }
    return {};
}

}  // namespace

Result<TerminalSinkOptions> parse_terminal_options(const OptionMap& options) {
    TerminalSinkOptions parsed;
    for (const auto& [name, value] : options) {
        if (name == "log_dir") {
            parsed.log_dir = value;
        } else if (name == "stats_to_track") {
            parsed.stats_to_track = list_of(value);
            TAFFRAIL_TRY(check_statistics(parsed.stats_to_track));
        } else if (name == "max_log_size") {
            TAFFRAIL_ASSIGN(parsed.max_log_size, whole_number(name, value, 0));
        } else if (name == "steps_per_log") {
            TAFFRAIL_ASSIGN(parsed.steps_per_log, whole_number(name, value, 1));
        } else if (name == "max_iter") {
            TAFFRAIL_ASSIGN(parsed.max_iter, whole_number(name, value, 0));
        } else {
            const std::array<std::string, 5> known = {"log_dir", "stats_to_track", "max_log_size",
                                                      "steps_per_log", "max_iter"};
            return option_error(
                "unknown option '" + name + "'" + did_you_mean(name, known) +
                " (known: log_dir, stats_to_track, max_log_size, steps_per_log, max_iter)");
        }
    }
    return parsed;
}

Result<std::unique_ptr<Sink>> make_terminal_sink(const OptionMap& options) {
    TAFFRAIL_ASSIGN(TerminalSinkOptions parsed, parse_terminal_options(options));
    return std::unique_ptr<Sink>(
        std::make_unique<TerminalSink>(std::move(parsed), terminal::Screen::standard()));
}

}  // namespace taffrail
