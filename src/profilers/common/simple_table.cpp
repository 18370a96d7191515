#include "profilers/common/simple_table.h"

#include "terminal/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace taffrail::profilers {

namespace {

constexpr std::size_t kCell = 15;

// Five significant digits: 1.6399e-05, 0.030893, 21.692.
std::string five_digits(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.5g", value);
    return text.data();
}

std::string cell(const std::string& text) {
    return terminal::pad_to_width(text, kCell);
}

// With the tabs of the original, which stand between text and bars.
std::string line(const std::string& action, std::size_t width, const std::string& mean,
                 const std::string& calls, const std::string& total, const std::string& share) {
    return terminal::pad_to_width(action, width) + "\t|  " + cell(mean) + "\t|" + cell(calls) +
           "\t|  " + cell(total) + "\t|  " + cell(share) + "\t|\n";
}

std::string short_line(const std::string& action, std::size_t width, const std::string& mean,
                       const std::string& total) {
    return terminal::pad_to_width(action, width) + "\t|  " + cell(mean) + "\t|  " + cell(total) +
           "\t|\n";
}

std::size_t width_with_tabs(const std::string& text) {
    std::size_t width = 0;
    for (const char letter : text) {
        width = letter == '\t' ? width / 8 * 8 + 8 : width + (letter == '\n' ? 0 : 1);
    }
    return width;
}

std::string shown(std::string_view name) {
    std::string clean = terminal::without_controls(name);
    for (char& letter : clean) {
        letter = letter == '\n' || letter == '\t' || letter == '|' ? ' ' : letter;
    }
    return clean;
}

}  // namespace

std::string simple_table(const std::vector<ActionTotals>& totals, double elapsed_seconds,
                         bool extended) {
    std::map<std::string, ActionTotals> by_name;
    for (const ActionTotals& each : totals) {
        ActionTotals& row = by_name[shown(without_owner(each.name))];
        row.calls += each.calls;
        row.seconds += each.seconds;
    }
    std::vector<ActionTotals> rows;
    std::size_t width = 6;
    for (auto& [name, row] : by_name) {
        row.name = name;
        width = std::max(width, terminal::display_width(name));
        rows.push_back(row);
    }
    std::ranges::stable_sort(rows, [&](const ActionTotals& left, const ActionTotals& right) {
        return extended ? left.seconds > right.seconds
                        : left.seconds / static_cast<double>(left.calls) >
                              right.seconds / static_cast<double>(right.calls);
    });
    const std::string header =
        extended ? line("Action", width, "Mean duration (s)", "Num calls", "Total time (s)",
                        "Percentage %")
                 : short_line("Action", width, "Mean duration (s)", "Total time (s)");
    const std::string rule = std::string(width_with_tabs(header), '-') + "\n";
    std::string table = header + rule;
    if (extended) {
        table += line("Total", width, "-", "_", five_digits(elapsed_seconds), "100 %") + rule;
    }
    for (const ActionTotals& row : rows) {
        const std::string mean = five_digits(row.seconds / static_cast<double>(row.calls));
        table +=
            extended
                ? line(row.name, width, mean, std::to_string(row.calls), five_digits(row.seconds),
                       five_digits(elapsed_seconds > 0 ? row.seconds / elapsed_seconds * 100 : 0))
                : short_line(row.name, width, mean, five_digits(row.seconds));
    }
    return table;
}

}  // namespace taffrail::profilers
