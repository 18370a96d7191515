#include "query/smoothing.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace taffrail::query {
namespace {

// Positions of the finite points: windows count those only.
UnwrittenVector<std::size_t> finite_positions(std::span<const double> y) {
    UnwrittenVector<std::size_t> positions;
    positions.reserve(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (std::isfinite(y[i])) {
            positions.push_back(i);
        }
    }
    return positions;
}

std::size_t odd_window(double amount) {
    const auto points = static_cast<std::size_t>(std::clamp(amount, 1.0, 1e9));
    return points % 2 == 0 ? points + 1 : points;
}

UnwrittenVector<double> gaussian(std::span<const double> y, double amount) {
    UnwrittenVector<double> smoothed(y.begin(), y.end());
    const auto positions = finite_positions(y);
    const double window = std::clamp(amount, 1.0, 1e6), deviation = window / 6;
    const auto reach = static_cast<std::ptrdiff_t>(window / 2);
    std::vector<double> weights(static_cast<std::size_t>(reach) + 1);
    for (std::size_t d = 0; d < weights.size(); ++d) {
        const double z = static_cast<double>(d) / deviation;
        weights[d] = std::exp(-0.5 * z * z);
    }
    const auto count = static_cast<std::ptrdiff_t>(positions.size());
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const double own = y[positions[static_cast<std::size_t>(i)]];
        double sum = 0, total = 0;
        for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, i - reach);
             j <= std::min(count - 1, i + reach); ++j) {
            const double weight = weights[static_cast<std::size_t>(std::abs(j - i))];
            sum += weight * (y[positions[static_cast<std::size_t>(j)]] - own);
            total += weight;
        }
        smoothed[positions[static_cast<std::size_t>(i)]] = own + sum / total;
    }
    return smoothed;
}

UnwrittenVector<double> running_mean(std::span<const double> y, double amount) {
    UnwrittenVector<double> smoothed(y.begin(), y.end());
    const auto positions = finite_positions(y);
    const std::size_t reach = odd_window(amount) / 2;
    // Sums of differences from the first value: exact for constant series, and no drift for others
    // (compensated).
    const double base = positions.empty() ? 0 : y[positions.front()];
    UnwrittenVector<double> prefix(positions.size() + 1);
    prefix[0] = 0;
    double sum = 0, compensation = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const double term = (y[positions[i]] - base) - compensation;
        const double next = sum + term;
        compensation = (next - sum) - term;
        prefix[i + 1] = sum = next;
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::size_t first = i - std::min(i, reach),
                          last = std::min(positions.size(), i + reach + 1);
        smoothed[positions[i]] =
            base + (prefix[last] - prefix[first]) / static_cast<double>(last - first);
    }
    return smoothed;
}

// Two ordered halves; the window slides by one erase and one insert.
class SlidingMedian {
  public:
    void insert(double value) {
        if (low_.empty() || value <= *low_.rbegin()) {
            low_.insert(value);
        } else {
            high_.insert(value);
        }
        balance();
    }

    void erase(double value) {
        if (const auto found = low_.find(value); found != low_.end()) {
            low_.erase(found);
        } else {
            high_.erase(high_.find(value));
        }
        balance();
    }

    [[nodiscard]] double median() const {
        const double below = *low_.rbegin();
        return low_.size() > high_.size() ? below : below + (*high_.begin() - below) / 2;
    }

  private:
    void balance() {
        if (low_.size() > high_.size() + 1) {
            high_.insert(*low_.rbegin());
            low_.erase(std::prev(low_.end()));
        } else if (high_.size() > low_.size()) {
            low_.insert(*high_.begin());
            high_.erase(high_.begin());
        }
    }

    std::multiset<double> low_, high_;
};

UnwrittenVector<double> running_median(std::span<const double> y, double amount) {
    UnwrittenVector<double> smoothed(y.begin(), y.end());
    const auto positions = finite_positions(y);
    const std::size_t reach = odd_window(amount) / 2;
    SlidingMedian window;
    std::size_t first = 0, last = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        for (; last < std::min(positions.size(), i + reach + 1); ++last) {
            window.insert(y[positions[last]]);
        }
        for (; first + reach < i; ++first) {
            window.erase(y[positions[first]]);
        }
        smoothed[positions[i]] = window.median();
    }
    return smoothed;
}

}  // namespace

std::optional<SmoothingMethod> smoothing_method(std::string_view name) noexcept {
    static constexpr std::pair<std::string_view, SmoothingMethod> kNames[] = {
        {"none", SmoothingMethod::None},        {"ema", SmoothingMethod::Ema},
        {"time_ema", SmoothingMethod::TimeEma}, {"gaussian", SmoothingMethod::Gaussian},
        {"mean", SmoothingMethod::Mean},        {"median", SmoothingMethod::Median}};
    for (const auto& [known, method] : kNames) {
        if (known == name) {
            return method;
        }
    }
    return std::nullopt;
}

bool is_running(SmoothingMethod method) noexcept {
    return method == SmoothingMethod::Ema || method == SmoothingMethod::TimeEma;
}

// Debiased exponential average: the weights of all points so far are renormalised, so the first
// values are not pulled to 0.
RunningSmoothing::RunningSmoothing(std::span<const double> x, std::span<const double> y,
                                   const Smoothing& smoothing)
    : x_(x),
      y_(y),
      weight_(std::clamp(smoothing.amount, 0.0, 0.999999)),
      unit_(y.size() > 1 ? (x.back() - x.front()) / 1000.0 : 0.0),
      is_by_distance_(smoothing.method == SmoothingMethod::TimeEma),
      previous_x_(x.empty() ? 0 : x.front()),
      power_(weight_) {}

void RunningSmoothing::next(std::span<double> to) {
    double sum = sum_, total = total_, previous_x = previous_x_;
    // Most series are even: a power is worth keeping until the distance changes.
    double distance = distance_, power = power_;
    double shared = std::nan(""), share = 0;  // (1 - shared) / total
    for (double& smoothed : to) {
        const double y = y_[at_];
        const double x = x_[at_++];
        if (!std::isfinite(y)) {
            smoothed = y;
            continue;
        }
        if (is_by_distance_ && x - previous_x != distance) {
            distance = x - previous_x;
            power = std::pow(weight_, unit_ > 0 ? distance / unit_ : 0.0);
        }
        const double keep = power;
        previous_x = x;
        // After some hundred points of an even series the weights sum up to what they are: no
        // division then.
        const double grown = keep * total + (1 - keep);
        if (grown != total || keep != shared) {
            total = grown;
            shared = keep;
            share = (1 - keep) / total;
        }
        // Written with the difference from the running value: equal inputs then give exactly that
        // input.
        sum = total > 0 ? sum + (y - sum) * share : y;
        smoothed = sum;
    }
    sum_ = sum;
    total_ = total;
    previous_x_ = previous_x;
    distance_ = distance;
    power_ = power;
}

UnwrittenVector<double> smooth(std::span<const double> x, std::span<const double> y,
                               const Smoothing& smoothing) {
    switch (smoothing.method) {
        case SmoothingMethod::None:
            break;
        case SmoothingMethod::Ema:
        case SmoothingMethod::TimeEma: {
            UnwrittenVector<double> smoothed(y.size());
            RunningSmoothing(x, y, smoothing).next(smoothed);
            return smoothed;
        }
        case SmoothingMethod::Gaussian:
            return gaussian(y, smoothing.amount);
        case SmoothingMethod::Mean:
            return running_mean(y, smoothing.amount);
        case SmoothingMethod::Median:
            return running_median(y, smoothing.amount);
    }
    return {y.begin(), y.end()};
}

}  // namespace taffrail::query
