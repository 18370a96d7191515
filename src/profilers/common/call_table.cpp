#include "profilers/common/call_table.h"

#include "profile/derive.h"
#include "profile/formats/pstats/pstats.h"
#include "terminal/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace taffrail::profilers {

namespace {

struct CallRow {
    double calls = 0, primitive_calls = 0, self = 0, total = 0;
    std::string place;
};

std::string number(double value, const char* form) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), form, value);
    return text.data();
}

// "module.cpp:42(Model::forward)"; zones of names made at run time have no place.
std::string place_of(const profile::Profile& profile, profile::FrameId id) {
    const profile::Frame& frame = profile.frames[id];
    const std::string name = terminal::without_controls(profile.texts[frame.name]);
    std::string_view file = profile.texts[frame.file];
    if (file.empty()) {
        return name;
    }
    file = file.substr(file.rfind('/') + 1);
    return std::string(file) + ":" + std::to_string(frame.line) + "(" + name + ")";
}

std::vector<CallRow> rows_of(profile::Profile& profile) {
    profile::make_graph(profile);
    const std::size_t value = profile::main_value(profile);
    const double seconds =
        value == profile::kNone ? 0 : profile::seconds_per_unit(profile.value_types[value].unit);
    std::vector<CallRow> rows;
    for (const profile::GraphFunction& function : profile.functions) {
        const profile::GraphCost& cost = function.cost;
        rows.push_back({cost.calls, cost.primitive_calls,
                        value < cost.self.size() ? cost.self[value] * seconds : 0,
                        value < cost.total.size() ? cost.total[value] * seconds : 0,
                        place_of(profile, function.frame)});
    }
    return rows;
}

void sort(std::vector<CallRow>& rows, std::string_view key) {
    std::ranges::stable_sort(rows, [&](const CallRow& left, const CallRow& right) {
        return key == "tottime"  ? left.self > right.self
               : key == "ncalls" ? left.calls > right.calls
               : key == "name"   ? left.place < right.place
                                 : left.total > right.total;
    });
}

const char* order_of(std::string_view key) {
    return key == "tottime"  ? "internal time"
           : key == "ncalls" ? "call count"
           : key == "name"   ? "function name"
                             : "cumulative time";
}

std::string line(const CallRow& row) {
    std::string calls = number(row.calls, "%.0f");
    if (row.calls != row.primitive_calls) {
        calls += "/" + number(row.primitive_calls, "%.0f");
    }
    const auto share = [](double of, double by) { return by > 0 ? of / by : 0; };
    return std::string(calls.size() < 9 ? 9 - calls.size() : 0, ' ') + calls + " " +
           number(row.self, "%8.3f") + " " + number(share(row.self, row.calls), "%8.3f") + " " +
           number(row.total, "%8.3f") + " " +
           number(share(row.total, row.primitive_calls), "%8.3f") + " " + row.place + "\n";
}

}  // namespace

bool is_sort_key(std::string_view key) noexcept {
    constexpr std::array<std::string_view, 4> kKeys = {"cumulative", "tottime", "ncalls", "name"};
    return std::ranges::find(kKeys, key) != kKeys.end();
}

std::string call_table(profile::Profile& profile, const CallTableOptions& options) {
    std::vector<CallRow> rows = rows_of(profile);
    sort(rows, options.sort_by);
    double calls = 0, primitive_calls = 0, seconds = 0;
    for (const CallRow& row : rows) {
        calls += row.calls;
        primitive_calls += row.primitive_calls;
        seconds += row.self;
    }
    std::string text = "         " + number(calls, "%.0f") + " function calls";
    if (calls != primitive_calls) {
        text += " (" + number(primitive_calls, "%.0f") + " primitive calls)";
    }
    text += " in " + number(seconds, "%.3f") +
            " seconds\n\n   Ordered by: " + order_of(options.sort_by) + "\n";
    const std::size_t all = rows.size();
    const double wanted = options.restriction <= 1
                              ? std::ceil(options.restriction * static_cast<double>(all))
                              : options.restriction;
    if (wanted < static_cast<double>(all)) {
        rows.resize(static_cast<std::size_t>(std::max(wanted, 0.0)));
        text += "   List reduced from " + std::to_string(all) + " to " +
                std::to_string(rows.size()) + " due to restriction <" +
                number(options.restriction, "%g") + ">\n";
    }
    text += "\n   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n";
    for (const CallRow& row : rows) {
        text += line(row);
    }
    return text;
}

}  // namespace taffrail::profilers
