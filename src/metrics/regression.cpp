#include <taffrail/regression.h>

#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail {

namespace {

using Values = Metric::Values;

Result<void> check_sizes(std::size_t predicted, std::size_t target) {
    if (predicted != target) {
        return Error{ErrorCode::InvalidArgument, std::to_string(predicted) + " predictions for " +
                                                     std::to_string(target) + " targets"};
    }
    return {};
}

// {count, mean, sum of squared distances from the mean} of two sets of numbers together.
Values merge_moments(const Values& one, const Values& other) {
    const double count = one[0] + other[0];
    if (count == 0) {
        return one;
    }
    const double distance = other[1] - one[1];
    return {count, one[1] + distance * other[0] / count,
            one[2] + other[2] + distance * distance * one[0] * other[0] / count};
}

Values merge_all(const std::vector<Values>& parts) {
    Values merged = parts.front();
    for (std::size_t part = 1; part < parts.size(); ++part) {
        merged = merge_moments(merged, parts[part]);
    }
    return merged;
}

}  // namespace

MeanSquaredError::MeanSquaredError(bool root, MetricSettings settings)
    : Metric(settings),
      root_(root),
      squares_(add_state("sum_squared_error", {0}, StateReduce::Sum)),
      count_(add_state("total", {0}, StateReduce::Sum)) {}

Result<void> MeanSquaredError::update(std::span<const double> predicted,
                                      std::span<const double> target) {
    return apply_update([&] { return add(predicted, target); });
}

Result<MetricValue> MeanSquaredError::forward(std::span<const double> predicted,
                                              std::span<const double> target) {
    return apply_forward([&] { return add(predicted, target); });
}

Result<void> MeanSquaredError::add(std::span<const double> predicted,
                                   std::span<const double> target) {
    TAFFRAIL_TRY(check_sizes(predicted.size(), target.size()));
    for (std::size_t item = 0; item < target.size(); ++item) {
        const double distance = predicted[item] - target[item];
        state(squares_)[0] += distance * distance;
    }
    state(count_)[0] += static_cast<double>(target.size());
    return {};
}

MetricValue MeanSquaredError::compute_state() const {
    const double mean = state(squares_)[0] / state(count_)[0];
    return root_ ? std::sqrt(mean) : mean;
}

R2Score::R2Score(MetricSettings settings)
    : Metric(settings),
      residual_(add_state("residual", {0}, StateReduce::Sum)),
      moments_(add_state("moments", {0, 0, 0}, StateReduce::Custom, merge_all)) {}

Result<void> R2Score::update(std::span<const double> predicted, std::span<const double> target) {
    return apply_update([&] { return add(predicted, target); });
}

Result<MetricValue> R2Score::forward(std::span<const double> predicted,
                                     std::span<const double> target) {
    return apply_forward([&] { return add(predicted, target); });
}

Result<void> R2Score::add(std::span<const double> predicted, std::span<const double> target) {
    TAFFRAIL_TRY(check_sizes(predicted.size(), target.size()));
    Values batch{0, 0, 0};
    for (std::size_t item = 0; item < target.size(); ++item) {
        const double distance = predicted[item] - target[item];
        state(residual_)[0] += distance * distance;
        batch = merge_moments(batch, {1, target[item], 0});
    }
    state(moments_) = merge_moments(state(moments_), batch);
    return {};
}

MetricValue R2Score::compute_state() const {
    const Values& moments = state(moments_);
    if (moments[0] < 2) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (moments[2] == 0) {
        return state(residual_)[0] == 0 ? 1.0 : 0.0;
    }
    return 1 - state(residual_)[0] / moments[2];
}

Perplexity::Perplexity(std::int64_t vocabulary, std::optional<std::int64_t> ignore_index,
                       MetricSettings settings)
    : Metric(settings),
      vocabulary_(vocabulary),
      ignore_index_(ignore_index),
      total_(add_state("total_log_probs", {0}, StateReduce::Sum)),
      count_(add_state("count", {0}, StateReduce::Sum)) {}

Result<void> Perplexity::update(std::span<const double> logits,
                                std::span<const std::int64_t> target) {
    return apply_update([&] { return add(logits, target); });
}

Result<MetricValue> Perplexity::forward(std::span<const double> logits,
                                        std::span<const std::int64_t> target) {
    return apply_forward([&] { return add(logits, target); });
}

Result<void> Perplexity::add(std::span<const double> logits, std::span<const std::int64_t> target) {
    const auto width = static_cast<std::size_t>(vocabulary_);
    if (logits.size() != target.size() * width) {
        return Error{ErrorCode::InvalidArgument, std::to_string(logits.size()) + " logits for " +
                                                     std::to_string(target.size()) + " targets; " +
                                                     std::to_string(width) +
                                                     " per target are needed"};
    }
    for (std::size_t item = 0; item < target.size(); ++item) {
        if (target[item] == ignore_index_) {
            continue;
        }
        if (target[item] < 0 || target[item] >= vocabulary_) {
            return Error{ErrorCode::InvalidArgument, "target " + std::to_string(target[item]) +
                                                         " is outside of the vocabulary"};
        }
        const auto row = logits.subspan(item * width, width);
        const double most = *std::ranges::max_element(row);
        double sum = 0;
        for (const double logit : row) {
            sum += std::exp(logit - most);
        }
        state(total_)[0] += most + std::log(sum) - row[static_cast<std::size_t>(target[item])];
        state(count_)[0] += 1;
    }
    return {};
}

MetricValue Perplexity::compute_state() const {
    return std::exp(state(total_)[0] / state(count_)[0]);
}

}  // namespace taffrail
