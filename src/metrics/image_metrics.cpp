#include <taffrail/image_metrics.h>

#include "base/try.h"
#include "codec/tensor.h"
#include "metrics/infinity.h"

#include <algorithm>
#include <cmath>

namespace taffrail {

namespace {

Result<void> check_pair(const TensorView& predicted, const TensorView& target) {
    TAFFRAIL_TRY(check_tensor(predicted, "prediction"));
    TAFFRAIL_TRY(check_tensor(target, "target"));
    if (!(predicted.shape == target.shape)) {
        return Error{ErrorCode::InvalidArgument, "prediction " + describe(predicted) +
                                                     " and target " + describe(target) +
                                                     " must have the same shape"};
    }
    return {};
}

// A picture of one channel that shrinks as the window passes over it, first along rows, then along
// columns.
struct Plane {
    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<double> pixels;
};

std::vector<double> gaussian(double sigma) {
    const auto radius = static_cast<std::ptrdiff_t>(3.5 * sigma + 0.5);
    std::vector<double> window;
    double total = 0;
    for (std::ptrdiff_t offset = -radius; offset <= radius; ++offset) {
        const double distance = static_cast<double>(offset) / sigma;
        window.push_back(std::exp(-0.5 * distance * distance));
        total += window.back();
    }
    for (double& weight : window) {
        weight /= total;
    }
    return window;
}

Plane blurred(const Plane& plane, const std::vector<double>& window) {
    const std::size_t reach = window.size() - 1;
    Plane rows{plane.height, plane.width - reach, {}};
    rows.pixels.resize(rows.height * rows.width);
    for (std::size_t y = 0; y < rows.height; ++y) {
        for (std::size_t x = 0; x < rows.width; ++x) {
            double sum = 0;
            for (std::size_t tap = 0; tap < window.size(); ++tap) {
                sum += window[tap] * plane.pixels[y * plane.width + x + tap];
            }
            rows.pixels[y * rows.width + x] = sum;
        }
    }
    Plane both{plane.height - reach, rows.width, {}};
    both.pixels.resize(both.height * both.width);
    for (std::size_t y = 0; y < both.height; ++y) {
        for (std::size_t x = 0; x < both.width; ++x) {
            double sum = 0;
            for (std::size_t tap = 0; tap < window.size(); ++tap) {
                sum += window[tap] * rows.pixels[(y + tap) * rows.width + x];
            }
            both.pixels[y * both.width + x] = sum;
        }
    }
    return both;
}

Plane product(const Plane& one, const Plane& other) {
    Plane result = one;
    for (std::size_t index = 0; index < result.pixels.size(); ++index) {
        result.pixels[index] *= other.pixels[index];
    }
    return result;
}

double similarity(const Plane& one, const Plane& other, const SsimOptions& options,
                  const std::vector<double>& window) {
    const double c1 = std::pow(options.k1 * options.data_range, 2);
    const double c2 = std::pow(options.k2 * options.data_range, 2);
    const Plane mean_one = blurred(one, window);
    const Plane mean_other = blurred(other, window);
    const Plane square_one = blurred(product(one, one), window);
    const Plane square_other = blurred(product(other, other), window);
    const Plane cross = blurred(product(one, other), window);
    double sum = 0;
    for (std::size_t index = 0; index < cross.pixels.size(); ++index) {
        const double x = mean_one.pixels[index];
        const double y = mean_other.pixels[index];
        const double variances =
            square_one.pixels[index] - x * x + square_other.pixels[index] - y * y;
        const double covariance = cross.pixels[index] - x * y;
        sum += (2 * x * y + c1) * (2 * covariance + c2) / ((x * x + y * y + c1) * (variances + c2));
    }
    return sum / static_cast<double>(cross.pixels.size());
}

}  // namespace

PeakSignalNoiseRatio::PeakSignalNoiseRatio(std::optional<double> data_range,
                                           MetricSettings settings)
    : Metric(settings),
      data_range_(data_range),
      squares_(add_state("sum_squared_error", {0}, StateReduce::Sum)),
      count_(add_state("total", {0}, StateReduce::Sum)),
      smallest_(add_state("min_target", {metrics::kInfinity}, StateReduce::Min)),
      largest_(add_state("max_target", {-metrics::kInfinity}, StateReduce::Max)) {}

Result<void> PeakSignalNoiseRatio::update(const TensorView& predicted, const TensorView& target) {
    return apply_update([&] { return add(predicted, target); });
}

Result<MetricValue> PeakSignalNoiseRatio::forward(const TensorView& predicted,
                                                  const TensorView& target) {
    return apply_forward([&] { return add(predicted, target); });
}

Result<void> PeakSignalNoiseRatio::add(const TensorView& predicted, const TensorView& target) {
    TAFFRAIL_TRY(check_pair(predicted, target));
    const std::vector<double> ours = to_f64(predicted);
    const std::vector<double> theirs = to_f64(target);
    for (std::size_t index = 0; index < ours.size(); ++index) {
        state(squares_)[0] += (ours[index] - theirs[index]) * (ours[index] - theirs[index]);
        state(smallest_)[0] = std::min(state(smallest_)[0], theirs[index]);
        state(largest_)[0] = std::max(state(largest_)[0], theirs[index]);
    }
    state(count_)[0] += static_cast<double>(ours.size());
    return {};
}

MetricValue PeakSignalNoiseRatio::compute_state() const {
    const double range = data_range_.value_or(state(largest_)[0] - state(smallest_)[0]);
    return 10 * std::log10(range * range / (state(squares_)[0] / state(count_)[0]));
}

StructuralSimilarity::StructuralSimilarity(SsimOptions options, MetricSettings settings)
    : Metric(settings),
      options_(options),
      total_(add_state("similarity", {0}, StateReduce::Sum)),
      count_(add_state("total", {0}, StateReduce::Sum)) {}

Result<void> StructuralSimilarity::update(const TensorView& predicted, const TensorView& target) {
    return apply_update([&] { return add(predicted, target); });
}

Result<MetricValue> StructuralSimilarity::forward(const TensorView& predicted,
                                                  const TensorView& target) {
    return apply_forward([&] { return add(predicted, target); });
}

Result<void> StructuralSimilarity::add(const TensorView& predicted, const TensorView& target) {
    TAFFRAIL_TRY(check_pair(predicted, target));
    const std::vector<double> window = gaussian(options_.sigma);
    if (target.shape.rank() != 4) {
        return Error{ErrorCode::InvalidArgument,
                     "structural similarity takes N×C×H×W, not " + describe(target)};
    }
    const auto height = static_cast<std::size_t>(target.shape[2]);
    const auto width = static_cast<std::size_t>(target.shape[3]);
    if (height < window.size() || width < window.size()) {
        return Error{ErrorCode::InvalidArgument, "pictures of " + describe(target) +
                                                     " are smaller than the window of " +
                                                     std::to_string(window.size())};
    }
    const std::vector<double> ours = to_f64(predicted);
    const std::vector<double> theirs = to_f64(target);
    const auto channels = static_cast<std::size_t>(target.shape[1]);
    const std::size_t area = height * width;
    const auto plane = [&](const std::vector<double>& all, std::size_t index) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(index * area);
        return Plane{height, width,
                     std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(area))};
    };
    for (std::size_t picture = 0; picture < static_cast<std::size_t>(target.shape[0]); ++picture) {
        double sum = 0;
        for (std::size_t channel = 0; channel < channels; ++channel) {
            const std::size_t index = picture * channels + channel;
            sum += similarity(plane(ours, index), plane(theirs, index), options_, window);
        }
        state(total_)[0] += sum / static_cast<double>(channels);
        state(count_)[0] += 1;
    }
    return {};
}

MetricValue StructuralSimilarity::compute_state() const {
    return state(total_)[0] / state(count_)[0];
}

}  // namespace taffrail
