#include "model/number_sums.h"

#include "base/bytes.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <limits>

namespace taffrail::model {
namespace {

// GCC and Clang vectors: a plain loop over doubles is not vectorised for min and max without
// -ffast-math, which would lose the NaN.
using Pair = double __attribute__((vector_size(16)));

// `value` where it is less (more), else `than`: one instruction, of which compilers make four.
Pair lesser(Pair value, Pair than) noexcept {
#ifdef __SSE2__
    return _mm_min_pd(value, than);
#else
    return value < than ? value : than;
#endif
}

Pair greater(Pair value, Pair than) noexcept {
#ifdef __SSE2__
    return _mm_max_pd(value, than);
#else
    return value > than ? value : than;
#endif
}

}  // namespace

NumberSums sums_of(std::span<const double> values) noexcept {
    constexpr int kLanes = 4;
    constexpr std::size_t kStride = 2 * kLanes;
    constexpr double kNone = std::numeric_limits<double>::infinity();
    Pair min[kLanes], max[kLanes], sum[kLanes], poison[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        min[lane] = Pair{kNone, kNone};
        max[lane] = -min[lane];
        sum[lane] = poison[lane] = Pair{0, 0};
    }
    std::size_t at = 0;
    for (; values.size() - at >= kStride; at += kStride) {
        for (int lane = 0; lane < kLanes; ++lane) {
            const auto value = load<Pair>(values.data() + at + 2 * static_cast<std::size_t>(lane));
            min[lane] = lesser(value, min[lane]);
            max[lane] = greater(value, max[lane]);
            sum[lane] += value;
            poison[lane] += value - value;  // NaN for ever after a NaN or an infinity
        }
    }
    for (int lane = 1; lane < kLanes; ++lane) {
        min[0] = lesser(min[lane], min[0]);
        max[0] = greater(max[lane], max[0]);
        sum[0] += sum[lane];
        poison[0] += poison[lane];
    }
    NumberSums sums{std::min(min[0][0], min[0][1]), std::max(max[0][0], max[0][1]),
                    sum[0][0] + sum[0][1], true};
    double spoilt = poison[0][0] + poison[0][1];
    for (; at < values.size(); ++at) {
        sums.min = std::min(sums.min, values[at]);
        sums.max = std::max(sums.max, values[at]);
        sums.sum += values[at];
        spoilt += values[at] - values[at];
    }
    sums.all_finite = spoilt == 0;
    return sums;
}

}  // namespace taffrail::model
