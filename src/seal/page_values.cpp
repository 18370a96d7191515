#include "seal/page_values.h"

#include <algorithm>
#include <bit>

namespace taffrail::seal {
namespace {

/// NaN payloads and the sign of zero must survive, so the bits are compared, not the numbers.
bool all_floats(const std::vector<double>& values) {
    bool same = true;
    for (const double value : values) {
        const auto narrow = static_cast<float>(value);
        same = same && std::bit_cast<std::uint64_t>(static_cast<double>(narrow)) ==
                           std::bit_cast<std::uint64_t>(value);
    }
    return same;
}

bool rises_evenly(const std::vector<std::int64_t>& values, std::uint64_t stride) {
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (static_cast<std::uint64_t>(values[i]) - static_cast<std::uint64_t>(values[i - 1]) !=
            stride) {
            return false;
        }
    }
    return true;
}

}  // namespace

PageValues::PageValues(parquet::DecodedColumn page) {
    size_ = std::max(page.doubles.size(), page.int64s.size());
    if (!page.doubles.empty() && all_floats(page.doubles)) {
        floats_.assign(page.doubles.begin(), page.doubles.end());
    } else {
        doubles_ = std::move(page.doubles);
    }
    if (!page.int64s.empty()) {
        const std::uint64_t stride = page.int64s.size() < 2
                                         ? 0
                                         : static_cast<std::uint64_t>(page.int64s[1]) -
                                               static_cast<std::uint64_t>(page.int64s[0]);
        if (rises_evenly(page.int64s, stride)) {
            first_ = page.int64s.front();
            stride_ = static_cast<std::int64_t>(stride);
        } else {
            int64s_ = std::move(page.int64s);
        }
    }
    if (std::find(page.valid.begin(), page.valid.end(), 0) != page.valid.end()) {
        valid_ = std::move(page.valid);
    }
}

}  // namespace taffrail::seal
