#include "cli/text_format.h"

#include "base/strings.h"
#include "terminal/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace taffrail::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute,
                       kDay = 24 * kHour;

std::string two_digits(std::int64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

std::string short_number(double value) {
    if (!std::isfinite(value)) {
        return format_double(value);
    }
    if (std::abs(value) < 1e9 && value == std::trunc(value)) {
        return std::to_string(static_cast<std::int64_t>(value));
    }
    char buffer[40];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 5).ptr;
    return {buffer, end};
}

std::string short_duration(std::int64_t duration_ns) {
    const std::int64_t ns = duration_ns;
    if (ns < 0) {
        return "unknown";
    }
    if (ns < kSecond) {
        return std::to_string(ns / 1'000'000) + " ms";
    }
    if (ns < kMinute) {
        const std::int64_t tenths = ns / (kSecond / 10);
        return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
    }
    if (ns < kHour) {
        return std::to_string(ns / kMinute) + " m " + two_digits(ns % kMinute / kSecond) + " s";
    }
    if (ns < kDay) {
        return std::to_string(ns / kHour) + " h " + two_digits(ns % kHour / kMinute) + " m";
    }
    return std::to_string(ns / kDay) + " d " + two_digits(ns % kDay / kHour) + " h";
}

std::string relative_time(std::int64_t time_ns, std::int64_t now_ns) {
    if (time_ns == 0) {
        return "";
    }
    std::int64_t age = 0;
    if (__builtin_sub_overflow(now_ns, time_ns, &age) || age < 0 || age > 60 * kDay) {
        return format_time_utc(time_ns).substr(0, 10);
    }
    if (age < kMinute) {
        return "just now";
    }
    if (age < kHour) {
        return std::to_string(age / kMinute) + " m ago";
    }
    if (age < kDay) {
        return std::to_string(age / kHour) + " h ago";
    }
    return age < 2 * kDay ? "yesterday" : std::to_string(age / kDay) + " d ago";
}

std::string sparkline(std::span<const double> values, bool utf8) {
    constexpr std::string_view kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr std::string_view kAscii[] = {"_", ".", "-", "~", "=", "+", "*", "#"};
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (double value : values) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    std::string line;
    for (double value : values) {
        if (std::isnan(value)) {
            line += " ";
            continue;
        }
        // A level line is drawn in the middle: it is neither low nor high.
        const double share = std::isinf(value) ? (value > 0 ? 1.0 : 0.0)
                             : high > low      ? (value - low) / (high - low)
                                               : 0.4;
        const auto level = static_cast<std::size_t>(std::clamp(share * 7.999, 0.0, 7.0));
        line += utf8 ? kBlocks[level] : kAscii[level];
    }
    return line;
}

TableCell state_cell(const Session& session, RunState state) {
    Style style = Style::Plain;
    switch (state) {
        case RunState::Running:
            style = Style::Blue;
            break;
        case RunState::Finished:
            style = Style::Green;
            break;
        case RunState::Failed:
            style = Style::Red;
            break;
        case RunState::Crashed:
            style = Style::Red;
            break;
        case RunState::Aborted:
            style = Style::Yellow;
            break;
        case RunState::Idle:
            break;
    }
    return {(session.looks().utf8 ? "● " : "* ") + std::string(to_string(state)), style};
}

std::string state_text(const Session& session, RunState state) {
    const TableCell cell = state_cell(session, state);
    return session.styled(cell.style, cell.text);
}

namespace {

/// One line of plain text.
std::string shown(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\t', ' ');
    return terminal::without_controls(text);
}

}  // namespace

void declare_wide(Arguments& arguments, bool& wide) {
    arguments.flag("--wide", wide, "long names whole, not cut in the middle");
}

void TextTable::column(std::string title, Align align) {
    columns_.emplace_back(TableCell(shown(std::move(title)), Style::Dim), align);
}

void TextTable::row(std::vector<TableCell> cells) {
    for (TableCell& cell : cells) {
        cell.text = shown(std::move(cell.text));
    }
    cells.resize(columns_.size(), TableCell(""));
    rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths(const Session& session, std::string_view indent,
                                           Fit fit) const {
    const std::size_t widest = fit == Fit::Whole ? SIZE_MAX : kWidestCell;
    std::vector<std::size_t> widths;
    std::size_t total = indent.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t width = terminal::display_width(columns_[i].first.text);
        for (const auto& row : rows_) {
            width = std::max(width, terminal::display_width(row[i].text));
        }
        widths.push_back(std::min(width, widest));
        total += widths.back() + (i == 0 ? 0 : 2);
    }
    // Too wide for the window: the widest columns give way first, ids and numbers stay whole.
    constexpr std::size_t kNarrowest = 28;
    const auto window = static_cast<std::size_t>(std::max(session.looks().width, 20));
    while (fit == Fit::Cut && total > window) {
        const auto largest = std::max_element(widths.begin(), widths.end());
        if (largest == widths.end() || *largest <= kNarrowest) {
            break;
        }
        --*largest;
        --total;
    }
    return widths;
}

std::string TextTable::render(const Session& session, std::string_view indent, Fit fit) const {
    const std::vector<std::size_t> wide = widths(session, indent, fit);
    const auto line_of = [&](const auto& cell_at) {
        std::string line(indent);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const TableCell& cell = cell_at(i);
            const std::string text = terminal::cut_middle(cell.text, wide[i]);
            const std::string padding(wide[i] - terminal::display_width(text), ' ');
            const std::string styled = session.styled(cell.style, text);
            line += i == 0 ? "" : "  ";
            const bool last_left = i + 1 == columns_.size() && columns_[i].second == Align::Left;
            line += columns_[i].second == Align::Right ? padding + styled
                    : last_left                        ? styled
                                                       : styled + padding;
        }
        const auto width = static_cast<std::size_t>(std::max(session.looks().width, 20));
        return (fit == Fit::Whole ? line : terminal::cut_to_width(line, width)) + "\n";
    };
    const bool has_titles = std::any_of(columns_.begin(), columns_.end(),
                                        [](const auto& each) { return !each.first.text.empty(); });
    std::string text =
        has_titles ? line_of([&](std::size_t i) -> const TableCell& { return columns_[i].first; })
                   : "";
    for (const auto& row : rows_) {
        text += line_of([&](std::size_t i) -> const TableCell& { return row[i]; });
    }
    return text;
}

}  // namespace taffrail::cli
