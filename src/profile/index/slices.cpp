// What is drawn of a range: slices, how busy a track is, counters, arrows.
#include "profile/call_tree.h"
#include "profile/index/trace_index.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail::profile {
namespace {

constexpr std::uint64_t kLookedAt = 24;  // slices of a pixel, to find a long one

std::int64_t later(std::int64_t time_ns, std::int64_t by_ns) noexcept {
    std::int64_t sum = 0;
    return __builtin_add_overflow(time_ns, by_ns, &sum) ? std::numeric_limits<std::int64_t>::max()
                                                        : sum;
}

}  // namespace

std::uint64_t TraceIndex::first_ending_after(const IndexRow& row,
                                             std::int64_t time_ns) const noexcept {
    const auto first = begin_.begin() + static_cast<std::ptrdiff_t>(row.first);
    const auto last = first + static_cast<std::ptrdiff_t>(row.count);
    auto at = static_cast<std::uint64_t>(std::upper_bound(first, last, time_ns) - begin_.begin());
    if (at > row.first && later(begin_[at - 1], duration_[at - 1]) > time_ns) {
        --at;
    }
    return at;
}

void TraceIndex::ask_row(const SliceQuestion& question, std::uint32_t track, std::uint32_t row,
                         SliceAnswer& answer) const {
    const IndexRow& it = tracks_[track].rows[row];
    const std::uint64_t end = it.first + it.count;
    const double wide = static_cast<double>(question.to_ns - question.from_ns) /
                        std::max<std::uint32_t>(question.width, 1);
    const auto pixel_ns =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(wide, 9e18)));
    answer.rows.push_back({track, row, answer.name.size()});
    const auto emit = [&](std::uint64_t from, std::uint64_t until) {
        const std::int64_t begin_ns = begin_[from];
        const std::int64_t duration_ns = later(begin_[until - 1], duration_[until - 1]) - begin_ns;
        std::uint64_t longest = from;
        const std::uint64_t stride = std::max<std::uint64_t>(1, (until - from) / kLookedAt);
        for (std::uint64_t at = from; at < until; at += stride) {
            longest = duration_[at] > duration_[longest] ? at : longest;
        }
        answer.begin_ns.push_back(static_cast<double>(begin_ns));
        answer.duration_ns.push_back(static_cast<double>(duration_ns));
        answer.name.push_back(name_[longest]);
        answer.count.push_back(static_cast<std::uint32_t>(until - from));
        answer.id.push_back(static_cast<std::uint32_t>(from));
        answer.busy.push_back(duration_ns > 0
                                  ? static_cast<float>(busy_before_[until] - busy_before_[from]) /
                                        static_cast<float>(duration_ns)
                                  : 1.0F);
    };
    std::uint64_t at = first_ending_after(it, question.from_ns);
    while (at < end && begin_[at] < question.to_ns && answer.name.size() < question.most) {
        if (duration_[at] >= pixel_ns) {
            emit(at, at + 1);
            ++at;
            continue;
        }
        // Everything that begins within this pixel, found in steps that double: neighbours are
        // near.
        const std::int64_t limit_ns = later(begin_[at], pixel_ns);
        std::uint64_t low = at + 1, step = 1;
        while (low + step < end && begin_[low + step] < limit_ns) {
            low += step;
            step *= 2;
        }
        const auto first = begin_.begin() + static_cast<std::ptrdiff_t>(low);
        const auto last =
            begin_.begin() + static_cast<std::ptrdiff_t>(std::min(end, low + step + 1));
        auto until =
            static_cast<std::uint64_t>(std::lower_bound(first, last, limit_ns) - begin_.begin());
        // Only the last of them can be longer than the pixel: they do not overlap.
        if (until - at > 1 && duration_[until - 1] >= pixel_ns) {
            --until;
        }
        emit(at, until);
        at = until;
    }
    answer.is_cut = answer.is_cut || answer.name.size() >= question.most;
}

SliceAnswer TraceIndex::ask(const SliceQuestion& question) const {
    SliceAnswer answer;
    for (const std::uint32_t track : question.tracks) {
        if (track >= tracks_.size()) {
            continue;
        }
        for (std::uint32_t row = 0; row < tracks_[track].rows.size(); ++row) {
            ask_row(question, track, row, answer);
        }
    }
    return answer;
}

std::vector<std::uint8_t> TraceIndex::busy(std::uint32_t track, std::uint32_t width) const {
    std::vector<std::uint8_t> shares(width);
    if (track >= tracks_.size() || tracks_[track].rows.empty() || duration_ns_ <= 0) {
        return shares;
    }
    const IndexRow& row = tracks_[track].rows.front();
    const auto pixel_ns = static_cast<double>(duration_ns_) / width;
    // Busy time before a moment: all slices that begin before it, less what the last has left.
    const auto busy_until = [&](std::int64_t time_ns) {
        const auto first = begin_.begin() + static_cast<std::ptrdiff_t>(row.first);
        const auto found = static_cast<std::uint64_t>(
            std::lower_bound(first, first + static_cast<std::ptrdiff_t>(row.count), time_ns) -
            begin_.begin());
        std::uint64_t sum = busy_before_[found] - busy_before_[row.first];
        if (found > row.first) {
            const std::int64_t end_ns = later(begin_[found - 1], duration_[found - 1]);
            sum -= end_ns > time_ns ? static_cast<std::uint64_t>(end_ns - time_ns) : 0;
        }
        return static_cast<double>(sum);
    };
    double before = 0;
    for (std::uint32_t pixel = 0; pixel < width; ++pixel) {
        const double until = busy_until(static_cast<std::int64_t>(pixel_ns * (pixel + 1)));
        const double share = pixel_ns > 0 ? (until - before) / pixel_ns : 0;
        shares[pixel] = static_cast<std::uint8_t>(
            share <= 0 ? 0 : std::clamp(std::ceil(share * 255), 1.0, 255.0));
        before = until;
    }
    return shares;
}

void TraceIndex::counter(std::uint64_t first, std::uint64_t count, std::int64_t from_ns,
                         std::int64_t to_ns, std::uint32_t width, std::vector<double>& low,
                         std::vector<double>& high) const {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    low.assign(width, nan);
    high.assign(width, nan);
    if (first > counter_time_.size() || count > counter_time_.size() - first || to_ns <= from_ns) {
        return;
    }
    const auto times =
        counter_time_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    auto at = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), from_ns) -
                                       times.begin());
    const double scale = width / static_cast<double>(to_ns - from_ns);
    double last = at > 0 ? counter_value_[first + at - 1] : nan;
    for (std::uint32_t pixel = 0; pixel < width; ++pixel) {
        // A counter keeps its value until the next one.
        low[pixel] = high[pixel] = last;
        while (at < times.size() && times[at] <= to_ns &&
               static_cast<double>(times[at] - from_ns) * scale < pixel + 1) {
            last = counter_value_[first + at];
            low[pixel] = std::fmin(low[pixel], last);
            high[pixel] = std::fmax(high[pixel], last);
            ++at;
        }
    }
}

std::uint32_t TraceIndex::slice_at(std::uint32_t track, std::int64_t time_ns,
                                   std::uint32_t& row) const noexcept {
    if (track >= tracks_.size()) {
        return kNone;
    }
    const auto& rows = tracks_[track].rows;
    for (std::size_t at = rows.size(); at-- > 0;) {
        const auto first = begin_.begin() + static_cast<std::ptrdiff_t>(rows[at].first);
        const auto found = static_cast<std::uint64_t>(
            std::upper_bound(first, first + static_cast<std::ptrdiff_t>(rows[at].count), time_ns) -
            begin_.begin());
        if (found > rows[at].first && later(begin_[found - 1], duration_[found - 1]) >= time_ns) {
            row = static_cast<std::uint32_t>(at);
            return static_cast<std::uint32_t>(found - 1);
        }
    }
    return kNone;
}

bool TraceIndex::arrow(std::size_t at, IndexArrow& arrow) const noexcept {
    arrow.from_track = arrow_from_track_[at];
    arrow.to_track = arrow_to_track_[at];
    arrow.from_ns = arrow_from_[at];
    arrow.to_ns = arrow_to_[at];
    arrow.name = arrow_name_[at];
    arrow.from = slice_at(arrow.from_track, arrow.from_ns, arrow.from_row);
    arrow.to = slice_at(arrow.to_track, arrow.to_ns, arrow.to_row);
    return arrow.from != kNone && arrow.to != kNone;
}

std::vector<IndexArrow> TraceIndex::arrows_of(std::uint32_t id, std::size_t most) const {
    std::vector<IndexArrow> found;
    const auto detail = slice(id);
    if (!detail.ok()) {
        return found;
    }
    const std::int64_t end_ns = later(detail->begin_ns, detail->duration_ns);
    const auto touches = [&](std::uint32_t track, std::int64_t time_ns) {
        return track == detail->track && time_ns >= detail->begin_ns && time_ns <= end_ns;
    };
    IndexArrow candidate;
    for (std::size_t at = 0; at < arrow_from_.size() && found.size() < most; ++at) {
        if ((touches(arrow_from_track_[at], arrow_from_[at]) ||
             touches(arrow_to_track_[at], arrow_to_[at])) &&
            arrow(at, candidate) && (candidate.from == id || candidate.to == id)) {
            found.push_back(candidate);
        }
    }
    return found;
}

std::vector<IndexArrow> TraceIndex::arrows(std::int64_t from_ns, std::int64_t to_ns,
                                           std::size_t most) const {
    std::vector<IndexArrow> found;
    IndexArrow candidate;
    const auto end = static_cast<std::size_t>(
        std::upper_bound(arrow_from_.begin(), arrow_from_.end(), to_ns) - arrow_from_.begin());
    for (std::size_t at = 0; at < end && found.size() < most; ++at) {
        if (std::max(arrow_from_[at], arrow_to_[at]) >= from_ns && arrow(at, candidate)) {
            found.push_back(candidate);
        }
    }
    return found;
}

}  // namespace taffrail::profile
