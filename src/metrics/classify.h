// From scores to decided classes, with the checks every classification metric makes.
#pragma once

#include <taffrail/classification.h>

#include <cstdint>
#include <span>
#include <vector>

namespace taffrail::metrics {

/// Sizes and targets that fit the task, or what is wrong with them.
Result<void> check_scores(const ClassificationOptions& options, std::span<const double> scores,
                          std::span<const std::int64_t> target);
Result<void> check_labels(const ClassificationOptions& options,
                          std::span<const std::int64_t> predicted,
                          std::span<const std::int64_t> target);

/// The class each row of scores stands for. With top_k the target itself where it is among the k
/// highest.
std::vector<std::int64_t> decide(const ClassificationOptions& options,
                                 std::span<const double> scores,
                                 std::span<const std::int64_t> target);

/// Scores as probabilities: logits go through the logistic function, or softmax for multiclass
/// tasks.
std::vector<double> probabilities(const ClassificationOptions& options,
                                  std::span<const double> scores);

/// The largest score of a row comes first.
std::size_t highest(std::span<const double> row) noexcept;

}  // namespace taffrail::metrics
