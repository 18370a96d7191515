#include "terminal/bar_line.h"

#include "terminal/format.h"
#include "terminal/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace taffrail::terminal {
namespace {

constexpr int kSmallestBar = 10;
// With its numbers a bar then stays below 80 columns: few windows get so narrow that it wraps.
constexpr int kLargestBar = 32;
constexpr std::string_view kIndent = "    ";

std::optional<double> rate(const BarState& state) {
    const auto done = state.position - state.initial;
    if (done <= 0 || state.elapsed_seconds <= 0) {
        return std::nullopt;
    }
    return static_cast<double>(done) / state.elapsed_seconds;
}

double fraction(const BarState& state) {
    if (!state.total) {
        return 0;
    }
    if (*state.total <= 0) {
        return 1;
    }
    return std::clamp(static_cast<double>(state.position) / static_cast<double>(*state.total), 0.0,
                      1.0);
}

std::string two_decimals(double value) {
    std::array<char, 48> text;
    const int length =
        std::snprintf(text.data(), text.size(), value < 1e6 ? "%.2f" : "%.2e", value);
    return {text.data(), static_cast<std::size_t>(length)};
}

// A bar owns its lines: a name with a line break in it must not make another one.
std::string on_one_line(std::string_view text) {
    std::string line = without_controls(text);
    for (std::size_t at = 0; (at = line.find_first_of("\n\t", at)) != std::string::npos; at += 2) {
        line.replace(at, 1, line[at] == '\n' ? "\\n" : "\\t");
    }
    return line;
}

std::string left_part(const BarState& state) {
    std::string text = state.description.empty() ? "" : on_one_line(state.description) + ": ";
    if (state.total) {
        // Rounded down: 100% is said when it is done, not before.
        std::array<char, 8> percent;
        std::snprintf(percent.data(), percent.size(), "%3d%%",
                      static_cast<int>(std::floor(fraction(state) * 100)));
        text += percent.data();
    }
    return text;
}

std::string count_part(const BarState& state) {
    return std::to_string(state.position) + "/" +
           (state.total ? std::to_string(*state.total) : "?");
}

std::string time_part(const BarState& state) {
    const auto left = seconds_left(state);
    const auto speed = rate(state);
    return format_clock(state.elapsed_seconds) + "<" + (left ? format_clock(*left) : "?") + ", " +
           (speed ? two_decimals(*speed) : "?") + state.unit + "/s";
}

std::string bar(double done, int width, const BarStyle& style) {
    if (!style.utf8) {
        const int full = static_cast<int>(std::floor(done * width));
        return std::string(static_cast<std::size_t>(full), '#') +
               std::string(static_cast<std::size_t>(width - full), ' ');
    }
    constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = static_cast<int>(std::floor(done * width * 8));
    std::string text;
    for (int i = 0; i < eighths / 8; ++i) {
        text += "█";
    }
    text += kEighths[static_cast<std::size_t>(eighths % 8)];
    const int used = (eighths + 7) / 8;
    text.append(static_cast<std::size_t>(width - used), ' ');
    return style.color ? "\x1B[36m" + text + "\x1B[0m" : text;
}

std::string metric_text(const std::pair<std::string, std::string>& metric) {
    return on_one_line(metric.first) + "=" + on_one_line(metric.second);
}

}  // namespace

std::optional<double> seconds_left(const BarState& state) {
    const auto speed = rate(state);
    if (!state.total || !speed) {
        return std::nullopt;
    }
    return static_cast<double>(std::max<std::int64_t>(0, *state.total - state.position)) / *speed;
}

std::vector<std::string> bar_lines(const BarState& state, const BarStyle& style) {
    const std::string left = left_part(state) + "|";
    const std::string right = "| " + count_part(state) + " [" + time_part(state);
    std::vector<std::string> metrics;
    std::string joined;
    for (const auto& metric : state.metrics) {
        metrics.push_back(metric_text(metric));
        joined += ", " + metrics.back();
    }
    const int columns = style.columns - 1;
    const int fixed = static_cast<int>(display_width(left) + display_width(right)) + 1;
    const int metrics_width = static_cast<int>(display_width(joined));
    const bool inside = fixed + metrics_width + kSmallestBar <= columns;
    const int width = std::clamp(columns - fixed - (inside ? metrics_width : 0), 0, kLargestBar);
    std::vector<std::string> lines;
    lines.push_back(left + bar(fraction(state), width, style) + right + (inside ? joined : "") +
                    "]");
    if (inside) {
        return lines;
    }
    std::string line;
    int used = 0;  // columns
    for (const std::string& text : metrics) {
        const int wanted = static_cast<int>(display_width(text));
        if (!line.empty() && used + wanted + 2 > columns) {
            lines.push_back(std::exchange(line, {}) + ",");
        }
        used = line.empty() ? static_cast<int>(kIndent.size()) + wanted : used + 2 + wanted;
        line += line.empty() ? kIndent : ", ";
        line += text;
    }
    if (!line.empty()) {
        lines.push_back(line);
    }
    return lines;
}

std::string plain_bar_line(const BarState& state) {
    std::string text = left_part(state);
    text += (text.empty() || text.back() == ' ' ? "" : " ") + count_part(state) + " [" +
            time_part(state);
    for (const auto& metric : state.metrics) {
        text += ", " + metric_text(metric);
    }
    return text + "]";
}

}  // namespace taffrail::terminal
