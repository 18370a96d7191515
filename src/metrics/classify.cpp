#include "metrics/classify.h"

#include <algorithm>
#include <cmath>

namespace taffrail::metrics {

namespace {

bool are_probabilities(std::span<const double> scores) {
    return std::ranges::all_of(scores, [](double score) { return score >= 0 && score <= 1; });
}

std::size_t columns(const ClassificationOptions& options) {
    return options.task == Task::Multiclass ? static_cast<std::size_t>(options.classes) : 1;
}

Result<void> check_targets(const ClassificationOptions& options,
                           std::span<const std::int64_t> target) {
    const std::int64_t most = options.task == Task::Multiclass ? options.classes - 1 : 1;
    for (const std::int64_t one : target) {
        if ((one < 0 || one > most) && one != options.ignore_index) {
            return Error{ErrorCode::InvalidArgument,
                         "target " + std::to_string(one) + " is outside of 0 … " +
                             std::to_string(most) + "; set ignore_index to leave such samples out"};
        }
    }
    if (options.task == Task::Multilabel &&
        target.size() % static_cast<std::size_t>(options.classes) != 0) {
        return Error{ErrorCode::InvalidArgument, std::to_string(target.size()) +
                                                     " targets do not make whole rows of " +
                                                     std::to_string(options.classes) + " labels"};
    }
    return {};
}

Result<void> check_options(const ClassificationOptions& options) {
    if (options.classes < 1 || options.top_k < 1 ||
        options.top_k > std::max<std::int64_t>(options.classes, 1)) {
        return Error{ErrorCode::InvalidArgument,
                     "a classification metric needs at least one class and 1 <= top_k <= classes"};
    }
    return {};
}

}  // namespace

Result<void> check_scores(const ClassificationOptions& options, std::span<const double> scores,
                          std::span<const std::int64_t> target) {
    if (auto fine = check_options(options); !fine.ok()) {
        return fine;
    }
    if (scores.size() != target.size() * columns(options)) {
        return Error{ErrorCode::InvalidArgument, std::to_string(scores.size()) + " scores for " +
                                                     std::to_string(target.size()) + " targets; " +
                                                     std::to_string(columns(options)) +
                                                     " per target are needed"};
    }
    return check_targets(options, target);
}

Result<void> check_labels(const ClassificationOptions& options,
                          std::span<const std::int64_t> predicted,
                          std::span<const std::int64_t> target) {
    if (auto fine = check_options(options); !fine.ok()) {
        return fine;
    }
    const std::int64_t most = options.task == Task::Multiclass ? options.classes - 1 : 1;
    if (predicted.size() != target.size()) {
        return Error{ErrorCode::InvalidArgument, std::to_string(predicted.size()) +
                                                     " predictions for " +
                                                     std::to_string(target.size()) + " targets"};
    }
    if (std::ranges::any_of(predicted, [&](std::int64_t one) { return one < 0 || one > most; })) {
        return Error{ErrorCode::InvalidArgument,
                     "a prediction is outside of 0 … " + std::to_string(most)};
    }
    return check_targets(options, target);
}

std::size_t highest(std::span<const double> row) noexcept {
    return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

std::vector<std::int64_t> decide(const ClassificationOptions& options,
                                 std::span<const double> scores,
                                 std::span<const std::int64_t> target) {
    std::vector<std::int64_t> decided(target.size());
    if (options.task != Task::Multiclass) {
        const std::vector<double> shares = probabilities(options, scores);
        for (std::size_t index = 0; index < decided.size(); ++index) {
            decided[index] = shares[index] > options.threshold ? 1 : 0;
        }
        return decided;
    }
    const std::size_t width = columns(options);
    for (std::size_t sample = 0; sample < decided.size(); ++sample) {
        const auto row = scores.subspan(sample * width, width);
        decided[sample] = static_cast<std::int64_t>(highest(row));
        const std::int64_t wanted = target[sample];
        if (options.top_k > 1 && wanted >= 0 && wanted < options.classes) {
            const double own = row[static_cast<std::size_t>(wanted)];
            const auto better =
                std::ranges::count_if(row, [&](double score) { return score > own; });
            decided[sample] = better < options.top_k ? wanted : decided[sample];
        }
    }
    return decided;
}

std::vector<double> probabilities(const ClassificationOptions& options,
                                  std::span<const double> scores) {
    std::vector<double> shares(scores.begin(), scores.end());
    if (are_probabilities(scores)) {
        return shares;
    }
    if (options.task != Task::Multiclass) {
        for (double& share : shares) {
            share = 1 / (1 + std::exp(-share));
        }
        return shares;
    }
    const std::size_t width = columns(options);
    for (std::size_t begin = 0; begin + width <= shares.size(); begin += width) {
        const auto row = std::span(shares).subspan(begin, width);
        const double most = row[highest(row)];
        double total = 0;
        for (double& share : row) {
            share = std::exp(share - most);
            total += share;
        }
        for (double& share : row) {
            share /= total;
        }
    }
    return shares;
}

}  // namespace taffrail::metrics
