#include <taffrail/classification.h>

#include "base/try.h"
#include "metrics/classify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace taffrail {

namespace {

struct Judged {
    double score;
    bool positive;
};

// The share of pairs (positive, negative) in the right order; a tie counts half. By ranks, so that
// it costs a sort.
double area(std::vector<Judged> all) {
    std::ranges::sort(all, {}, &Judged::score);
    double rank_sum = 0;
    double positives = 0;
    for (std::size_t begin = 0; begin < all.size();) {
        std::size_t end = begin;
        while (end < all.size() && all[end].score == all[begin].score) {
            ++end;
        }
        const double rank = (static_cast<double>(begin) + 1 + static_cast<double>(end)) / 2;
        for (; begin < end; ++begin) {
            rank_sum += all[begin].positive ? rank : 0;
            positives += all[begin].positive ? 1 : 0;
        }
    }
    const double negatives = static_cast<double>(all.size()) - positives;
    if (positives == 0 || negatives == 0) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives);
}

}  // namespace

Auroc::Auroc(const ClassificationOptions& options, MetricSettings settings)
    : Metric(settings),
      options_(options),
      scores_(add_state("preds", {}, StateReduce::Cat)),
      targets_(add_state("target", {}, StateReduce::Cat)) {}

Result<void> Auroc::update(std::span<const double> scores, std::span<const std::int64_t> target) {
    return apply_update([&] { return add(scores, target); });
}

Result<MetricValue> Auroc::forward(std::span<const double> scores,
                                   std::span<const std::int64_t> target) {
    return apply_forward([&] { return add(scores, target); });
}

Result<void> Auroc::add(std::span<const double> scores, std::span<const std::int64_t> target) {
    TAFFRAIL_TRY(metrics::check_scores(options_, scores, target));
    const std::vector<double> shares = metrics::probabilities(options_, scores);
    const std::size_t width = target.empty() ? 1 : shares.size() / target.size();
    for (std::size_t item = 0; item < target.size(); ++item) {
        // Ignored labels of a multilabel row keep their place; ignored samples go.
        if (target[item] == options_.ignore_index && options_.task != Task::Multilabel) {
            continue;
        }
        state(targets_).push_back(static_cast<double>(target[item]));
        const auto begin = shares.begin() + static_cast<std::ptrdiff_t>(item * width);
        state(scores_).insert(state(scores_).end(), begin,
                              begin + static_cast<std::ptrdiff_t>(width));
    }
    return {};
}

MetricValue Auroc::compute_state() const {
    const Values& scores = state(scores_);
    const Values& targets = state(targets_);
    const auto classes = static_cast<std::size_t>(options_.classes);
    const auto ignored = [&](double target) {
        return options_.ignore_index && target == static_cast<double>(*options_.ignore_index);
    };
    if (options_.task == Task::Binary ||
        (options_.task == Task::Multilabel && options_.average == Average::Micro)) {
        std::vector<Judged> all;
        for (std::size_t item = 0; item < targets.size(); ++item) {
            if (!ignored(targets[item])) {
                all.push_back({scores[item], targets[item] == 1});
            }
        }
        return area(std::move(all));
    }
    Values areas(classes);
    Values support(classes);
    for (std::size_t one = 0; one < classes; ++one) {
        std::vector<Judged> all;
        for (std::size_t item = 0; item < targets.size(); ++item) {
            if (options_.task == Task::Multiclass) {
                all.push_back(
                    {scores[item * classes + one], targets[item] == static_cast<double>(one)});
            } else if (item % classes == one && !ignored(targets[item])) {
                all.push_back({scores[item], targets[item] == 1});
            }
        }
        support[one] = static_cast<double>(std::ranges::count_if(all, &Judged::positive));
        areas[one] = area(std::move(all));
    }
    if (options_.average == Average::None) {
        return {std::move(areas), {options_.classes}};
    }
    double sum = 0;
    double weights = 0;
    for (std::size_t one = 0; one < classes; ++one) {
        if (!std::isnan(areas[one])) {
            const double weight = options_.average == Average::Weighted ? support[one] : 1;
            sum += weight * areas[one];
            weights += weight;
        }
    }
    return sum / weights;
}

}  // namespace taffrail
