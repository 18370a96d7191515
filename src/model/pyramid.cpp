#include "model/pyramid.h"

#include "base/bytes.h"
#include "model/bin_stats.h"

#include <algorithm>
#include <limits>

namespace taffrail::model {
namespace {

// GCC and Clang vectors: a plain loop over doubles is not vectorised for min and max without
// -ffast-math, which would lose the NaN.
using Pair = double __attribute__((vector_size(16)));
using PairMask = decltype(Pair{} < Pair{});

struct BlockSums {
    double min, max, sum;
    bool all_finite;
};

BlockSums reduce_block(const double* values) noexcept {
    constexpr int kLanes = 4;
    constexpr double kNone = std::numeric_limits<double>::infinity();
    Pair min[kLanes], max[kLanes], sum[kLanes], poison[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        min[lane] = Pair{kNone, kNone};
        max[lane] = -min[lane];
        sum[lane] = poison[lane] = Pair{0, 0};
    }
    for (std::uint64_t i = 0; i < kBaseFanOut; i += 2 * kLanes) {
        for (int lane = 0; lane < kLanes; ++lane) {
            const auto value = load<Pair>(values + i + 2 * static_cast<std::uint64_t>(lane));
            min[lane] = value < min[lane] ? value : min[lane];
            max[lane] = value > max[lane] ? value : max[lane];
            sum[lane] += value;
            poison[lane] += value - value;  // NaN for ever after a NaN or an infinity
        }
    }
    for (int lane = 1; lane < kLanes; ++lane) {
        min[0] = min[lane] < min[0] ? min[lane] : min[0];
        max[0] = max[lane] > max[0] ? max[lane] : max[0];
        sum[0] += sum[lane];
        poison[0] += poison[lane];
    }
    return {std::min(min[0][0], min[0][1]), std::max(max[0][0], max[0][1]), sum[0][0] + sum[0][1],
            poison[0][0] + poison[0][1] == 0};
}

}  // namespace

void Pyramid::extend(std::span<const double> all) {
    std::uint64_t known = levels_.empty() ? 0 : levels_[0].nodes() * kBaseFanOut;
    while (all.size() - known >= kBaseFanOut) {
        add_block(all.subspan(known).first<kBaseFanOut>());
        known += kBaseFanOut;
    }
}

void Pyramid::add_block(std::span<const double, kBaseFanOut> values) {
    add_base_node(values.data());
    if (levels_[0].nodes() % kFanOut == 0) {
        add_parents();
    }
}

void Pyramid::add_base_node(const double* values) {
    if (levels_.empty()) {
        levels_.emplace_back();
    }
    PyramidLevel& base = levels_[0];
    BlockSums block = reduce_block(values);
    if (!block.all_finite) {
        BinStats stats;
        for (std::uint64_t i = 0; i < kBaseFanOut; ++i) {
            stats.add(values[i]);
        }
        block.min = stats.min;
        block.max = stats.max;
        block.sum = stats.sum;
        SpecialTotals totals = specials_.empty() ? SpecialTotals{} : specials_.back();
        totals.node = base.nodes();
        totals.nan_count += stats.nan_count;
        totals.positive_infinity_count += stats.positive_infinity_count;
        totals.negative_infinity_count += stats.negative_infinity_count;
        specials_.push_back(totals);
    }
    base.min.push_back(block.min);
    base.max.push_back(block.max);
    base.sum.push_back(block.sum);
}

void Pyramid::add_parents() {
    for (std::size_t level = 0; level + 1 < kMaxLevels && levels_[level].nodes() % kFanOut == 0;
         ++level) {
        if (levels_.size() == level + 1) {
            levels_.emplace_back();
        }
        const PyramidLevel& children = levels_[level];
        PyramidLevel& parents = levels_[level + 1];
        const std::size_t first = children.nodes() - kFanOut;
        parents.min.push_back(*std::min_element(
            children.min.begin() + static_cast<std::ptrdiff_t>(first), children.min.end()));
        parents.max.push_back(*std::max_element(
            children.max.begin() + static_cast<std::ptrdiff_t>(first), children.max.end()));
        double sum = 0;
        for (std::size_t i = first; i < children.nodes(); ++i) {
            sum += children.sum[i];
        }
        parents.sum.push_back(sum);
    }
}

SpecialTotals specials_before(std::span<const SpecialTotals> specials,
                              std::uint64_t node) noexcept {
    const auto at = std::lower_bound(
        specials.begin(), specials.end(), node,
        [](const SpecialTotals& each, std::uint64_t limit) { return each.node < limit; });
    return at == specials.begin() ? SpecialTotals{} : *(at - 1);
}

}  // namespace taffrail::model
