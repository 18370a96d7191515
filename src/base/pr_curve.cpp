#include <taffrail/value.h>

#include <algorithm>
#include <cmath>

namespace taffrail {

PrCurve PrCurve::from_predictions(std::span<const std::uint8_t> labels,
                                  std::span<const double> predictions, std::size_t thresholds,
                                  std::span<const double> weights) {
    PrCurve curve;
    thresholds = std::max<std::size_t>(thresholds, 2);
    std::vector<double> positives(thresholds, 0), negatives(thresholds, 0);
    const std::size_t count = std::min(labels.size(), predictions.size());
    for (std::size_t i = 0; i < count; ++i) {
        const double scaled = predictions[i] * static_cast<double>(thresholds - 1);
        if (std::isnan(scaled)) {
            continue;
        }
        const auto bucket = static_cast<std::size_t>(
            std::clamp(std::floor(scaled), 0.0, static_cast<double>(thresholds - 1)));
        (labels[i] != 0 ? positives : negatives)[bucket] += i < weights.size() ? weights[i] : 1.0;
    }
    curve.thresholds.resize(thresholds);
    curve.true_positives.resize(thresholds);
    curve.false_positives.resize(thresholds);
    curve.true_negatives.resize(thresholds);
    curve.false_negatives.resize(thresholds);
    curve.precision.resize(thresholds);
    curve.recall.resize(thresholds);
    double tp = 0, fp = 0;
    for (std::size_t i = thresholds; i-- > 0;) {
        curve.thresholds[i] = static_cast<double>(i) / static_cast<double>(thresholds - 1);
        tp += positives[i];
        fp += negatives[i];
        curve.true_positives[i] = tp;
        curve.false_positives[i] = fp;
    }
    for (std::size_t i = 0; i < thresholds; ++i) {
        curve.true_negatives[i] = fp - curve.false_positives[i];
        curve.false_negatives[i] = tp - curve.true_positives[i];
        curve.precision[i] = curve.true_positives[i] /
                             std::max(1e-7, curve.true_positives[i] + curve.false_positives[i]);
        curve.recall[i] = curve.true_positives[i] / std::max(1e-7, tp);
    }
    return curve;
}

}  // namespace taffrail
