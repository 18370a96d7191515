// Metrics of classifiers: accuracy, precision, recall, F1, confusion matrix, area under the ROC
// curve. Exact over batches and ranks of any sizes.
#pragma once

#include <taffrail/api.h>
#include <taffrail/metric.h>

#include <cstdint>
#include <optional>
#include <span>

namespace taffrail {

enum class Task : std::uint8_t {
    Binary,      ///< one score per sample; targets 0 and 1
    Multiclass,  ///< `classes` scores per sample, row after row; targets 0 … classes - 1
    Multilabel,  ///< `classes` scores and as many targets 0 and 1 per sample
};

/// How the values of the classes become one.
enum class Average : std::uint8_t {
    Micro,     ///< from the counts of all classes together
    Macro,     ///< plain mean over the classes that occur
    Weighted,  ///< mean weighted by how often a class is the target
    None,      ///< one value per class
};

struct ClassificationOptions {
    Task task = Task::Multiclass;
    std::int64_t classes = 2;  ///< classes, or labels of a multilabel task
    Average average = Average::Macro;
    std::int64_t top_k = 1;  ///< multiclass scores: right when the target is among the k highest
    /// Samples (for multilabel: single labels) with this target are left out.
    std::optional<std::int64_t> ignore_index = {};
    /// Binary and multilabel: scores above it are positive. Scores outside of 0 … 1 are taken as
    /// logits.
    double threshold = 0.5;
};

/// Which number a StatScores metric gives.
enum class Score : std::uint8_t { Accuracy, Precision, Recall, F1 };

/// Counts true and false positives and negatives per class; Accuracy, Precision, Recall and F1Score
/// are its values.
class TAFFRAIL_API StatScores : public Metric {
  public:
    StatScores(Score score, const ClassificationOptions& options, MetricSettings settings = {});

    /// Scores, row after row; see Task for how many per sample.
    Result<void> update(std::span<const double> scores, std::span<const std::int64_t> target);
    Result<MetricValue> forward(std::span<const double> scores,
                                std::span<const std::int64_t> target);
    /// Decided classes instead of scores (for multilabel: 0 or 1 per label).
    Result<void> update_labels(std::span<const std::int64_t> predicted,
                               std::span<const std::int64_t> target);
    Result<MetricValue> forward_labels(std::span<const std::int64_t> predicted,
                                       std::span<const std::int64_t> target);

  private:
    Result<void> add_scores(std::span<const double> scores, std::span<const std::int64_t> target);
    Result<void> add_labels(std::span<const std::int64_t> predicted,
                            std::span<const std::int64_t> target);
    [[nodiscard]] MetricValue compute_state() const override;

    Score score_;
    ClassificationOptions options_;
    StateId true_positives_, false_positives_, true_negatives_, false_negatives_;
};

class Accuracy final : public StatScores {
  public:
    explicit Accuracy(const ClassificationOptions& options, MetricSettings settings = {})
        : StatScores(Score::Accuracy, options, settings) {}
};

class Precision final : public StatScores {
  public:
    explicit Precision(const ClassificationOptions& options, MetricSettings settings = {})
        : StatScores(Score::Precision, options, settings) {}
};

class Recall final : public StatScores {
  public:
    explicit Recall(const ClassificationOptions& options, MetricSettings settings = {})
        : StatScores(Score::Recall, options, settings) {}
};

class F1Score final : public StatScores {
  public:
    explicit F1Score(const ClassificationOptions& options, MetricSettings settings = {})
        : StatScores(Score::F1, options, settings) {}
};

/// What a confusion matrix is divided by.
enum class Normalize : std::uint8_t { None, Target, Predicted, All };

/// Rows are targets, columns predictions: 2×2, classes×classes, or labels×2×2 for a multilabel
/// task.
class TAFFRAIL_API ConfusionMatrix final : public Metric {
  public:
    explicit ConfusionMatrix(const ClassificationOptions& options,
                             Normalize normalize = Normalize::None, MetricSettings settings = {});

    Result<void> update(std::span<const double> scores, std::span<const std::int64_t> target);
    Result<void> update_labels(std::span<const std::int64_t> predicted,
                               std::span<const std::int64_t> target);

  private:
    Result<void> add_labels(std::span<const std::int64_t> predicted,
                            std::span<const std::int64_t> target);
    [[nodiscard]] MetricValue compute_state() const override;

    ClassificationOptions options_;
    Normalize normalize_;
    StateId counts_;
};

/// Area under the ROC curve, exact: keeps every score until compute(). Classes without both kinds
/// of targets give NaN and are left out of means.
class TAFFRAIL_API Auroc final : public Metric {
  public:
    explicit Auroc(const ClassificationOptions& options, MetricSettings settings = {});

    Result<void> update(std::span<const double> scores, std::span<const std::int64_t> target);
    Result<MetricValue> forward(std::span<const double> scores,
                                std::span<const std::int64_t> target);

  private:
    Result<void> add(std::span<const double> scores, std::span<const std::int64_t> target);
    [[nodiscard]] MetricValue compute_state() const override;

    ClassificationOptions options_;
    StateId scores_, targets_;
};

}  // namespace taffrail
