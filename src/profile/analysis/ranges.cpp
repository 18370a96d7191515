#include "profile/analysis/ranges.h"

#include <algorithm>

namespace taffrail::profile::analysis {

Ranges merged(Ranges ranges) {
    const auto by_begin = [](const Range& left, const Range& right) {
        return left.begin_ns < right.begin_ns;
    };
    if (!std::is_sorted(ranges.begin(), ranges.end(), by_begin)) {
        std::sort(ranges.begin(), ranges.end(), by_begin);
    }
    std::size_t kept = 0;
    for (const Range& range : ranges) {
        if (range.end_ns <= range.begin_ns) {
            continue;
        }
        if (kept > 0 && range.begin_ns <= ranges[kept - 1].end_ns) {
            ranges[kept - 1].end_ns = std::max(ranges[kept - 1].end_ns, range.end_ns);
        } else {
            ranges[kept++] = range;
        }
    }
    ranges.resize(kept);
    return ranges;
}

Ranges intersection(std::span<const Range> left, std::span<const Range> right) {
    Ranges both;
    std::size_t l = 0, r = 0;
    while (l < left.size() && r < right.size()) {
        const Range range{std::max(left[l].begin_ns, right[r].begin_ns),
                          std::min(left[l].end_ns, right[r].end_ns)};
        if (range.begin_ns < range.end_ns) {
            both.push_back(range);
        }
        left[l].end_ns < right[r].end_ns ? ++l : ++r;
    }
    return both;
}

Ranges without(std::span<const Range> left, std::span<const Range> right) {
    Ranges rest;
    std::size_t r = 0;
    for (Range range : left) {
        while (r < right.size() && right[r].end_ns <= range.begin_ns) {
            ++r;
        }
        for (std::size_t at = r; at < right.size() && right[at].begin_ns < range.end_ns; ++at) {
            if (right[at].begin_ns > range.begin_ns) {
                rest.push_back({range.begin_ns, right[at].begin_ns});
            }
            range.begin_ns = std::max(range.begin_ns, right[at].end_ns);
        }
        if (range.begin_ns < range.end_ns) {
            rest.push_back(range);
        }
    }
    return rest;
}

std::int64_t length_of(std::span<const Range> ranges) noexcept {
    std::int64_t length = 0;
    for (const Range& range : ranges) {
        length += range.end_ns - range.begin_ns;
    }
    return length;
}

std::int64_t length_within(std::span<const Range> ranges, Range window) noexcept {
    auto at = std::partition_point(ranges.begin(), ranges.end(), [&](const Range& range) {
        return range.end_ns <= window.begin_ns;
    });
    std::int64_t length = 0;
    for (; at != ranges.end() && at->begin_ns < window.end_ns; ++at) {
        length += std::min(at->end_ns, window.end_ns) - std::max(at->begin_ns, window.begin_ns);
    }
    return length;
}

}  // namespace taffrail::profile::analysis
