#include <taffrail/classification.h>

#include "base/try.h"
#include "metrics/classify.h"

namespace taffrail {

namespace {

std::size_t cells(const ClassificationOptions& options) {
    const auto classes = static_cast<std::size_t>(options.classes);
    return options.task == Task::Binary       ? 4
           : options.task == Task::Multilabel ? classes * 4
                                              : classes * classes;
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(const ClassificationOptions& options, Normalize normalize,
                                 MetricSettings settings)
    : Metric(settings),
      options_(options),
      normalize_(normalize),
      counts_(add_state("confmat", Values(cells(options)), StateReduce::Sum)) {}

Result<void> ConfusionMatrix::update(std::span<const double> scores,
                                     std::span<const std::int64_t> target) {
    return apply_update([&]() -> Result<void> {
        TAFFRAIL_TRY(metrics::check_scores(options_, scores, target));
        return add_labels(metrics::decide(options_, scores, target), target);
    });
}

Result<void> ConfusionMatrix::update_labels(std::span<const std::int64_t> predicted,
                                            std::span<const std::int64_t> target) {
    return apply_update([&] { return add_labels(predicted, target); });
}

Result<void> ConfusionMatrix::add_labels(std::span<const std::int64_t> predicted,
                                         std::span<const std::int64_t> target) {
    TAFFRAIL_TRY(metrics::check_labels(options_, predicted, target));
    const std::size_t width =
        options_.task == Task::Multiclass ? static_cast<std::size_t>(options_.classes) : 2;
    for (std::size_t item = 0; item < target.size(); ++item) {
        if (target[item] == options_.ignore_index) {
            continue;
        }
        const std::size_t label = options_.task == Task::Multilabel
                                      ? item % static_cast<std::size_t>(options_.classes)
                                      : 0;
        state(counts_)[label * 4 + static_cast<std::size_t>(target[item]) * width +
                       static_cast<std::size_t>(predicted[item])] += 1;
    }
    return {};
}

MetricValue ConfusionMatrix::compute_state() const {
    const std::int64_t side = options_.task == Task::Multiclass ? options_.classes : 2;
    const auto width = static_cast<std::size_t>(side);
    Values matrix = state(counts_);
    // A synced state of unequal ranks cannot occur: all add up the same cells.
    for (std::size_t first = 0; first < matrix.size(); first += width * width) {
        const Values block(matrix.begin() + static_cast<std::ptrdiff_t>(first),
                           matrix.begin() + static_cast<std::ptrdiff_t>(first + width * width));
        for (std::size_t row = 0; row < width; ++row) {
            for (std::size_t column = 0; column < width; ++column) {
                double whole = 0;
                for (std::size_t other = 0; other < width; ++other) {
                    for (std::size_t across = 0; across < width; ++across) {
                        const bool counts =
                            normalize_ == Normalize::All ||
                            (normalize_ == Normalize::Target && other == row) ||
                            (normalize_ == Normalize::Predicted && across == column);
                        whole += counts ? block[other * width + across] : 0;
                    }
                }
                double& cell = matrix[first + row * width + column];
                cell = normalize_ == Normalize::None ? cell : whole == 0 ? 0 : cell / whole;
            }
        }
    }
    if (options_.task == Task::Multilabel) {
        return {std::move(matrix), {options_.classes, 2, 2}};
    }
    return {std::move(matrix), {side, side}};
}

}  // namespace taffrail
