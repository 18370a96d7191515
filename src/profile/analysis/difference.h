// What changed between two traces of the same program.
#pragma once

#include "profile/analysis/analysis.h"

#include <string>
#include <vector>

namespace taffrail::profile::analysis {

/// One thing by name: times of a mean step, so that traces of different length compare.
struct ChangedRow {
    std::string name;
    double before_ns = 0, after_ns = 0;
    double before_calls = 0, after_calls = 0;
};

struct Difference {
    double before_step_ns = 0, after_step_ns = 0;
    std::array<double, kParts> before_part_ns = {}, after_part_ns = {};
    std::vector<ChangedRow> operators;                 ///< host self time, the largest change first
    std::vector<ChangedRow> kernels;                   ///< device time, likewise
    std::vector<std::string> advice_gone, advice_new;  ///< rules
};

Difference difference(const Analysis& before, const Analysis& after);

}  // namespace taffrail::profile::analysis
