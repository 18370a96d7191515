#include <taffrail/aggregation.h>

#include "base/diagnostics.h"
#include "base/try.h"
#include "codec/tensor.h"
#include "metrics/infinity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail {

namespace {

// Repeats `weights` along its axes of extent 1 until it has the shape of `values`.
Result<std::vector<double>> broadcast(const TensorView& weights, const TensorView& values) {
    const std::size_t rank = values.shape.rank();
    const std::size_t missing = rank - std::min(rank, weights.shape.rank());
    bool fits = weights.shape.rank() <= rank;
    for (std::size_t axis = missing; fits && axis < rank; ++axis) {
        const std::int64_t extent = weights.shape[axis - missing];
        fits = extent == 1 || extent == values.shape[axis];
    }
    if (!fits) {
        return Error{ErrorCode::InvalidArgument,
                     "weights " + describe(weights) + " do not broadcast to values " +
                         describe(values) + "; give them extents of 1 where they repeat"};
    }
    const std::vector<double> given = to_f64(weights);
    std::vector<double> all(static_cast<std::size_t>(values.shape.elements()));
    for (std::size_t item = 0; item < all.size(); ++item) {
        std::size_t rest = item;
        std::size_t place = 0;
        std::size_t stride = 1;
        for (std::size_t axis = rank; axis-- > missing;) {
            const auto extent = static_cast<std::size_t>(values.shape[axis]);
            const auto own = static_cast<std::size_t>(weights.shape[axis - missing]);
            place += own == 1 ? 0 : (rest % extent) * stride;
            stride *= own;
            rest /= extent;
        }
        all[item] = given[place];
    }
    return all;
}

double pass_nan(double left, double right, bool larger) {
    if (std::isnan(left) || std::isnan(right)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return larger ? std::max(left, right) : std::min(left, right);
}

}  // namespace

Result<Aggregator::Input> Aggregator::read(const TensorView& values,
                                           const TensorView* weights) const {
    TAFFRAIL_TRY(check_tensor(values, "values"));
    Input all{to_f64(values), {}};
    if (weights == nullptr) {
        all.weights.assign(all.values.size(), 1.0);
    } else {
        TAFFRAIL_TRY(check_tensor(*weights, "weights"));
        TAFFRAIL_ASSIGN(all.weights, broadcast(*weights, values));
    }
    if (policy_.action == NanPolicy::Action::Keep) {
        return all;
    }
    Input clean;
    std::size_t found = 0;
    for (std::size_t item = 0; item < all.values.size(); ++item) {
        const bool bad = std::isnan(all.values[item]) || std::isnan(all.weights[item]);
        found += bad ? 1 : 0;
        if (!bad) {
            clean.values.push_back(all.values[item]);
            clean.weights.push_back(all.weights[item]);
        } else if (policy_.action == NanPolicy::Action::Replace) {
            clean.values.push_back(std::isnan(all.values[item]) ? policy_.replacement
                                                                : all.values[item]);
            clean.weights.push_back(std::isnan(all.weights[item]) ? policy_.replacement
                                                                  : all.weights[item]);
        }
    }
    if (found > 0 && policy_.action == NanPolicy::Action::Error) {
        return Error{ErrorCode::InvalidArgument,
                     std::to_string(found) +
                         " NaN in the values of an aggregator that refuses them; "
                         "choose another NanPolicy to drop or replace them"};
    }
    if (found > 0 && policy_.action == NanPolicy::Action::Warn) {
        diagnose_once(DiagnosticLevel::Warning, "aggregator.nan",
                      "an aggregator was fed NaN; they are left out. NanPolicy changes that");
    }
    return clean;
}

Result<void> Aggregator::update(const TensorView& values) {
    return apply_update([&]() -> Result<void> {
        TAFFRAIL_ASSIGN(const Input input, read(values, nullptr));
        add(input);
        return {};
    });
}

Result<MetricValue> Aggregator::forward(const TensorView& values) {
    return apply_forward([&]() -> Result<void> {
        TAFFRAIL_ASSIGN(const Input input, read(values, nullptr));
        add(input);
        return {};
    });
}

MeanMetric::MeanMetric(NanPolicy policy, MetricSettings settings)
    : Aggregator(policy, settings),
      total_(add_state("value", {0}, StateReduce::Sum)),
      weight_(add_state("weight", {0}, StateReduce::Sum)) {}

void MeanMetric::add(const Input& input) {
    for (std::size_t item = 0; item < input.values.size(); ++item) {
        state(total_)[0] += input.values[item] * input.weights[item];
        state(weight_)[0] += input.weights[item];
    }
}

MetricValue MeanMetric::compute_state() const {
    return state(total_)[0] / state(weight_)[0];
}

Result<void> MeanMetric::update(double value, double weight) {
    return update(TensorView(&value, DType::F64, {}), TensorView(&weight, DType::F64, {}));
}

Result<void> MeanMetric::update(const TensorView& values, const TensorView& weights) {
    return apply_update([&]() -> Result<void> {
        TAFFRAIL_ASSIGN(const Input input, read(values, &weights));
        add(input);
        return {};
    });
}

Result<MetricValue> MeanMetric::forward(double value, double weight) {
    return forward(TensorView(&value, DType::F64, {}), TensorView(&weight, DType::F64, {}));
}

Result<MetricValue> MeanMetric::forward(const TensorView& values, const TensorView& weights) {
    return apply_forward([&]() -> Result<void> {
        TAFFRAIL_ASSIGN(const Input input, read(values, &weights));
        add(input);
        return {};
    });
}

SumMetric::SumMetric(NanPolicy policy, MetricSettings settings)
    : Aggregator(policy, settings), total_(add_state("sum_value", {0}, StateReduce::Sum)) {}

void SumMetric::add(const Input& input) {
    for (const double value : input.values) {
        state(total_)[0] += value;
    }
}

MaxMetric::MaxMetric(NanPolicy policy, MetricSettings settings)
    : Aggregator(policy, settings),
      largest_(add_state("max_value", {-metrics::kInfinity}, StateReduce::Max)) {}

void MaxMetric::add(const Input& input) {
    for (const double value : input.values) {
        state(largest_)[0] = pass_nan(state(largest_)[0], value, true);
    }
}

MinMetric::MinMetric(NanPolicy policy, MetricSettings settings)
    : Aggregator(policy, settings),
      smallest_(add_state("min_value", {metrics::kInfinity}, StateReduce::Min)) {}

void MinMetric::add(const Input& input) {
    for (const double value : input.values) {
        state(smallest_)[0] = pass_nan(state(smallest_)[0], value, false);
    }
}

}  // namespace taffrail
