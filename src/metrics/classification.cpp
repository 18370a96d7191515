#include <taffrail/classification.h>

#include "base/try.h"
#include "metrics/classify.h"

#include <numeric>

namespace taffrail {

namespace {

using Values = Metric::Values;

double ratio(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
}

double total(const Values& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// The score of one class, or of all together, from its counts.
double score_of(Score score, Task task, double tp, double fp, double tn, double fn) {
    switch (score) {
        case Score::Accuracy:
            // Among several classes every true negative would make a bad class look good.
            return task == Task::Multiclass ? ratio(tp, tp + fn)
                                            : ratio(tp + tn, tp + tn + fp + fn);
        case Score::Precision:
            return ratio(tp, tp + fp);
        case Score::Recall:
            return ratio(tp, tp + fn);
        case Score::F1:
            return ratio(2 * tp, 2 * tp + fp + fn);
    }
    return 0;
}

std::size_t counters(const ClassificationOptions& options) {
    return options.task == Task::Binary ? 1 : static_cast<std::size_t>(options.classes);
}

}  // namespace

StatScores::StatScores(Score score, const ClassificationOptions& options, MetricSettings settings)
    : Metric(settings),
      score_(score),
      options_(options),
      true_positives_(add_state("tp", Values(counters(options)), StateReduce::Sum)),
      false_positives_(add_state("fp", Values(counters(options)), StateReduce::Sum)),
      true_negatives_(add_state("tn", Values(counters(options)), StateReduce::Sum)),
      false_negatives_(add_state("fn", Values(counters(options)), StateReduce::Sum)) {}

Result<void> StatScores::update(std::span<const double> scores,
                                std::span<const std::int64_t> target) {
    return apply_update([&] { return add_scores(scores, target); });
}

Result<MetricValue> StatScores::forward(std::span<const double> scores,
                                        std::span<const std::int64_t> target) {
    return apply_forward([&] { return add_scores(scores, target); });
}

Result<void> StatScores::update_labels(std::span<const std::int64_t> predicted,
                                       std::span<const std::int64_t> target) {
    return apply_update([&] { return add_labels(predicted, target); });
}

Result<MetricValue> StatScores::forward_labels(std::span<const std::int64_t> predicted,
                                               std::span<const std::int64_t> target) {
    return apply_forward([&] { return add_labels(predicted, target); });
}

Result<void> StatScores::add_scores(std::span<const double> scores,
                                    std::span<const std::int64_t> target) {
    TAFFRAIL_TRY(metrics::check_scores(options_, scores, target));
    return add_labels(metrics::decide(options_, scores, target), target);
}

Result<void> StatScores::add_labels(std::span<const std::int64_t> predicted,
                                    std::span<const std::int64_t> target) {
    TAFFRAIL_TRY(metrics::check_labels(options_, predicted, target));
    for (std::size_t item = 0; item < target.size(); ++item) {
        if (target[item] == options_.ignore_index) {
            continue;
        }
        if (options_.task == Task::Multiclass) {
            const auto wanted = static_cast<std::size_t>(target[item]);
            const auto chosen = static_cast<std::size_t>(predicted[item]);
            for (std::size_t one = 0; one < counters(options_); ++one) {
                const StateId counter = one == wanted
                                            ? (one == chosen ? true_positives_ : false_negatives_)
                                            : (one == chosen ? false_positives_ : true_negatives_);
                state(counter)[one] += 1;
            }
            continue;
        }
        const std::size_t label = options_.task == Task::Binary ? 0 : item % counters(options_);
        const StateId counter = target[item] == 1
                                    ? (predicted[item] == 1 ? true_positives_ : false_negatives_)
                                    : (predicted[item] == 1 ? false_positives_ : true_negatives_);
        state(counter)[label] += 1;
    }
    return {};
}

MetricValue StatScores::compute_state() const {
    const Values& tp = state(true_positives_);
    const Values& fp = state(false_positives_);
    const Values& tn = state(true_negatives_);
    const Values& fn = state(false_negatives_);
    if (options_.task == Task::Binary || options_.average == Average::Micro) {
        return score_of(score_, options_.task, total(tp), total(fp), total(tn), total(fn));
    }
    Values scores(tp.size());
    double sum = 0;
    double weights = 0;
    for (std::size_t one = 0; one < scores.size(); ++one) {
        scores[one] = score_of(score_, options_.task, tp[one], fp[one], tn[one], fn[one]);
        double weight = 1;
        if (options_.average == Average::Weighted) {
            weight = tp[one] + fn[one];
        } else if (options_.task == Task::Multiclass) {
            // A class counts as seen once it was predicted, too; with several guesses a sample,
            // only the reference's F1 goes on counting it so.
            const bool guesses_count = options_.top_k == 1 || score_ == Score::F1;
            const double seen = tp[one] + fn[one] + (guesses_count ? fp[one] : 0);
            weight = seen == 0 ? 0 : 1;
        }
        sum += weight * scores[one];
        weights += weight;
    }
    if (options_.average == Average::None) {
        const auto count = static_cast<std::int64_t>(scores.size());
        return {std::move(scores), {count}};
    }
    return ratio(sum, weights);
}

}  // namespace taffrail
