#include "model/pyramid.h"

#include "model/bin_stats.h"

#include <algorithm>

namespace taffrail::model {

void Pyramid::extend(std::span<const double> all) {
    std::uint64_t known = levels_.empty() ? 0 : levels_[0].nodes() * kBaseFanOut;
    while (all.size() - known >= kBaseFanOut) {
        add_block(all.subspan(known).first<kBaseFanOut>());
        known += kBaseFanOut;
    }
}

NumberSums Pyramid::add_block(std::span<const double, kBaseFanOut> values) {
    const NumberSums sums = add_base_node(values.data());
    if (levels_[0].nodes() % kFanOut == 0) {
        add_parents();
    }
    return sums;
}

NumberSums Pyramid::add_base_node(const double* values) {
    if (levels_.empty()) {
        levels_.emplace_back();
    }
    PyramidLevel& base = levels_[0];
    NumberSums block = sums_of({values, kBaseFanOut});
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
    return block;
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
