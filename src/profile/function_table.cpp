#include "profile/function_table.h"

#include "profile/derive.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace taffrail::profile {

Result<FunctionTable> function_table(Profile& profile, std::string_view value, TableOrder order) {
    make_graph(profile);
    const std::size_t column = main_value(profile, value);
    if (column == kNone) {
        std::string known;
        for (const ValueType& type : profile.value_types) {
            known += (known.empty() ? "" : ", ") + type.name + " (" + type.unit + ")";
        }
        return Error{ErrorCode::InvalidArgument,
                     "the profile has no weights" +
                         (value.empty() ? "" : " \"" + std::string(value) + "\"") +
                         (known.empty() ? "" : "; it has " + known)};
    }
    FunctionTable table{.type = profile.value_types[column]};
    // One unit for all times, so that tables of different formats compare.
    const auto ns = nanoseconds_per(table.type.unit);
    const double scale = ns.value_or(1);
    if (ns) {
        table.type.unit = "nanoseconds";
    }
    for (const GraphFunction& function : profile.functions) {
        const Frame& frame = profile.frames[function.frame];
        table.rows.push_back({.name = std::string(profile.texts[frame.name]),
                              .file = std::string(profile.texts[frame.file]),
                              .line = frame.line,
                              .calls = function.cost.calls,
                              .self = function.cost.self[column] * scale,
                              .total = function.cost.total[column] * scale});
        table.whole += function.cost.self[column] * scale;
        table.has_calls = table.has_calls || function.cost.calls > 0;
    }
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [&](const FunctionRow& left, const FunctionRow& right) {
                         switch (order) {
                             case TableOrder::Self:
                                 return left.self > right.self;
                             case TableOrder::Total:
                                 return left.total > right.total;
                             case TableOrder::Calls:
                                 return left.calls > right.calls;
                             default:
                                 return left.name < right.name;
                         }
                     });
    return table;
}

std::vector<ChangedRow> changed_rows(const FunctionTable& before, const FunctionTable& after) {
    std::map<std::pair<std::string, std::string>, ChangedRow> rows;
    // Lines move when a file is edited: a function is its name and its file.
    const auto add = [](FunctionRow& to, const FunctionRow& row) {
        const FunctionRow old = to;
        to = row;
        to.calls += old.calls;
        to.self += old.self;
        to.total += old.total;
    };
    for (const FunctionRow& row : before.rows) {
        add(rows[{row.name, row.file}].before, row);
    }
    for (const FunctionRow& row : after.rows) {
        add(rows[{row.name, row.file}].after, row);
    }
    std::vector<ChangedRow> changed;
    for (auto& [key, row] : rows) {
        changed.push_back(std::move(row));
    }
    std::stable_sort(changed.begin(), changed.end(),
                     [](const ChangedRow& left, const ChangedRow& right) {
                         return std::abs(left.after.self - left.before.self) >
                                std::abs(right.after.self - right.before.self);
                     });
    return changed;
}

}  // namespace taffrail::profile
