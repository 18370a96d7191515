#include "profile/analysis/difference.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace taffrail::profile::analysis {
namespace {

template <typename Row, typename Time>
std::vector<ChangedRow> changes(const std::vector<Row>& before, double before_steps,
                                const std::vector<Row>& after, double after_steps, Time&& time) {
    std::map<std::string_view, ChangedRow> rows;
    for (const Row& row : before) {
        ChangedRow& changed = rows[row.name];
        changed.before_ns = static_cast<double>(time(row)) / before_steps;
        changed.before_calls = static_cast<double>(row.calls) / before_steps;
    }
    for (const Row& row : after) {
        ChangedRow& changed = rows[row.name];
        changed.after_ns = static_cast<double>(time(row)) / after_steps;
        changed.after_calls = static_cast<double>(row.calls) / after_steps;
    }
    std::vector<ChangedRow> made;
    for (auto& [name, row] : rows) {
        row.name = name;
        made.push_back(std::move(row));
    }
    std::stable_sort(made.begin(), made.end(), [](const ChangedRow& left, const ChangedRow& right) {
        return std::abs(left.after_ns - left.before_ns) >
               std::abs(right.after_ns - right.before_ns);
    });
    return made;
}

std::vector<std::string> rules_only_in(const Analysis& here, const Analysis& there) {
    std::vector<std::string> found;
    for (const Advice& advice : here.advice) {
        if (std::none_of(there.advice.begin(), there.advice.end(),
                         [&](const Advice& other) { return other.rule == advice.rule; })) {
            found.push_back(advice.rule);
        }
    }
    return found;
}

}  // namespace

Difference difference(const Analysis& before, const Analysis& after) {
    Difference made;
    made.before_step_ns = before.steps.mean_total_ns();
    made.after_step_ns = after.steps.mean_total_ns();
    for (std::size_t part = 0; part < kParts; ++part) {
        made.before_part_ns[part] = before.steps.mean_ns(static_cast<Part>(part));
        made.after_part_ns[part] = after.steps.mean_ns(static_cast<Part>(part));
    }
    const auto steps = [](const Analysis& one) {
        return static_cast<double>(std::max<std::size_t>(one.steps.all.size(), 1));
    };
    made.operators = changes(before.operators, steps(before), after.operators, steps(after),
                             [](const OperatorRow& row) { return row.host_self_ns; });
    made.kernels = changes(before.kernels, steps(before), after.kernels, steps(after),
                           [](const KernelRow& row) { return row.total_ns; });
    made.advice_gone = rules_only_in(before, after);
    made.advice_new = rules_only_in(after, before);
    return made;
}

}  // namespace taffrail::profile::analysis
