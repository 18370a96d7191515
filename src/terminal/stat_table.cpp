#include "terminal/stat_table.h"

#include "terminal/format.h"
#include "terminal/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace taffrail::terminal {
namespace {

constexpr std::size_t kCell = 20;

std::string without_trailing_spaces(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

}  // namespace

std::string format_stat(StatFormat format, double value) {
    switch (format) {
        case StatFormat::Duration:
            return format_duration(value);
        case StatFormat::Rate:
            return format_rate(value);
        case StatFormat::Number:
            break;
    }
    return format_value(value);
}

std::size_t StatTable::width_of(const StatInfo& column) const {
    // The longest duration of a day or more, "99 d, 23 h, 59 m, 59 s", would run into the next
    // column.
    const std::size_t content = column.format == StatFormat::Duration ? 24 : kCell;
    return std::max(content, display_width(column.label) + 1);
}

// How many columns, from the left, fit whole.
std::size_t StatTable::fitting(std::size_t width) const {
    std::size_t used = kCell;
    std::size_t count = 0;
    for (const StatInfo& column : columns_) {
        used += width_of(column);
        if (used > width) {
            break;
        }
        ++count;
    }
    return count;
}

std::vector<std::string> StatTable::header(std::size_t width) const {
    std::string labels = pad_to_width(last_step_ > 0 ? "Step (% Done)" : "Step", kCell);
    std::size_t used = kCell;
    const std::size_t count = fitting(width);
    for (std::size_t i = 0; i < count; ++i) {
        labels += pad_to_width(without_controls(columns_[i].label), width_of(columns_[i]));
        used += width_of(columns_[i]);
    }
    labels = without_trailing_spaces(std::move(labels));
    labels += count < columns_.size() ? " ..." : "";
    return {std::move(labels), std::string(used, '-')};
}

std::string StatTable::row(const StatRow& row, std::size_t width) const {
    std::string text = std::to_string(row.step);
    if (last_step_ > 0) {
        std::array<char, 32> percent;
        std::snprintf(percent.data(), percent.size(), " (%.2f%%)",
                      static_cast<double>(row.step) / static_cast<double>(last_step_) * 100);
        text += percent.data();
    }
    text = pad_to_width(text, kCell);
    for (std::size_t i = 0, count = fitting(width); i < count; ++i) {
        const StatInfo& column = columns_[i];
        const auto found = row.values.find(column.label);
        text +=
            pad_to_width(found == row.values.end() ? "" : format_stat(column.format, found->second),
                         width_of(column));
    }
    return without_trailing_spaces(std::move(text));
}

}  // namespace taffrail::terminal
