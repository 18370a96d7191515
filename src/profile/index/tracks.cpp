#include "profile/index/tracks.h"

#include "profile/span_stacks.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace taffrail::profile {
namespace {

/// The place of every thread in the order of the page.
std::vector<std::uint32_t> thread_ranks(const Profile& profile) {
    std::vector<std::uint32_t> order(profile.threads.size());
    std::iota(order.begin(), order.end(), 0);
    constexpr std::int64_t kUnsorted = std::numeric_limits<std::int64_t>::max();
    const auto before = [&](std::uint32_t left, std::uint32_t right) {
        const Thread &a = profile.threads[left], &b = profile.threads[right];
        if (a.process != b.process) {
            const std::int64_t ap = profile.processes[a.process].sort_index.value_or(kUnsorted);
            const std::int64_t bp = profile.processes[b.process].sort_index.value_or(kUnsorted);
            return ap != bp ? ap < bp : a.process < b.process;
        }
        return a.sort_index.value_or(kUnsorted) < b.sort_index.value_or(kUnsorted);
    };
    std::stable_sort(order.begin(), order.end(), before);
    std::vector<std::uint32_t> ranks(order.size());
    for (std::uint32_t place = 0; place < order.size(); ++place) {
        ranks[order[place]] = place;
    }
    return ranks;
}

/// Collects the slices of one track and hands them over row by row.
class TrackRows {
  public:
    void add(std::uint32_t source, std::size_t row) {
        if (row >= kMaxRows) {
            ++too_deep_;
            return;
        }
        if (row >= sizes_.size()) {
            sizes_.resize(row + 1);
        }
        ++sizes_[row];
        slices_.push_back({source, static_cast<std::uint32_t>(row)});
    }

    void take(TrackPlan& plan, ThreadId thread, TrackKind kind) {
        if (slices_.empty() && too_deep_ == 0) {
            return;
        }
        if (plan.tracks.size() == kMaxTracks) {
            plan.left_out += slices_.size() + too_deep_;
        } else {
            std::vector<std::size_t> next(sizes_.size());
            std::size_t at = plan.sources.size();
            for (std::size_t row = 0; row < sizes_.size(); ++row) {
                next[row] = at;
                at += sizes_[row];
            }
            plan.sources.resize(at);
            for (const auto& [source, row] : slices_) {
                plan.sources[next[row]++] = source;
            }
            plan.tracks.push_back({thread, kind, sizes_, too_deep_});
        }
        slices_.clear();
        sizes_.clear();
        too_deep_ = 0;
    }

  private:
    std::vector<std::pair<std::uint32_t, std::uint32_t>> slices_;
    std::vector<std::uint64_t> sizes_;
    std::uint64_t too_deep_ = 0;
};

/// Spans of one thread in the order of nesting: each stands below the innermost one that encloses
/// it, in the first row that is free there. Spans that end a little after their neighbour begins,
/// as rounding makes them, take a row more for that moment and no longer.
void add_nested(const Profile& profile, std::span<const std::uint32_t> spans, TrackRows& rows) {
    std::vector<std::int64_t> row_ends;
    for (const std::uint32_t index : spans) {
        const Span& span = profile.spans[index];
        const std::int64_t end_ns = end_of(span);
        while (!row_ends.empty() && row_ends.back() <= span.begin_ns) {
            row_ends.pop_back();
        }
        std::size_t row = row_ends.size();
        while (row > 0 && !(row_ends[row - 1] >= end_ns && row_ends[row - 1] > span.begin_ns)) {
            --row;
        }
        while (row < row_ends.size() && row_ends[row] > span.begin_ns) {
            ++row;
        }
        rows.add(index, row);
        if (row < kMaxRows) {
            row_ends.resize(std::max(row_ends.size(), row + 1));
            row_ends[row] = end_ns;
        }
    }
}

/// The first row whose last span has ended.
void add_first_free(const Profile& profile, std::span<const std::uint32_t> spans, TrackRows& rows) {
    std::vector<std::int64_t> row_ends;
    for (const std::uint32_t index : spans) {
        const Span& span = profile.spans[index];
        std::size_t row = 0;
        while (row < row_ends.size() && row_ends[row] > span.begin_ns) {
            ++row;
        }
        if (row == row_ends.size() && row < kMaxRows) {
            row_ends.push_back(0);
        }
        if (row < kMaxRows) {
            row_ends[row] = end_of(span);
        }
        rows.add(index, row);
    }
}

/// Where the entries of each thread begin in a list that is sorted by the rank of threads.
template <typename ThreadOf>
std::vector<std::uint32_t> sorted_by_thread(std::size_t count, std::size_t threads,
                                            std::vector<std::size_t>& begins,
                                            const ThreadOf& rank_of) {
    begins.assign(threads + 1, 0);
    for (std::uint32_t index = 0; index < count; ++index) {
        ++begins[rank_of(index) + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::size_t> next = begins;
    std::vector<std::uint32_t> sorted(count);
    for (std::uint32_t index = 0; index < count; ++index) {
        sorted[next[rank_of(index)]++] = index;
    }
    return sorted;
}

}  // namespace

TrackPlan plan_tracks(const Profile& profile) {
    const std::vector<std::uint32_t> ranks = thread_ranks(profile);
    const std::size_t threads = profile.threads.size();
    std::vector<std::uint32_t> thread_of_rank(threads);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        thread_of_rank[ranks[thread]] = thread;
    }
    const std::vector<std::uint32_t> nested = nesting_order(profile);
    std::vector<std::size_t> nested_begins, async_begins, instant_begins;
    const std::vector<std::uint32_t> by_rank = sorted_by_thread(
        nested.size(), threads, nested_begins,
        [&](std::uint32_t index) { return ranks[profile.spans[nested[index]].thread]; });
    std::vector<std::uint32_t> async;
    for (std::uint32_t index = 0; index < profile.spans.size(); ++index) {
        if (profile.spans[index].async_id != 0) {
            async.push_back(index);
        }
    }
    std::stable_sort(async.begin(), async.end(), [&](std::uint32_t left, std::uint32_t right) {
        return profile.spans[left].begin_ns < profile.spans[right].begin_ns;
    });
    const std::vector<std::uint32_t> async_by_rank = sorted_by_thread(
        async.size(), threads, async_begins,
        [&](std::uint32_t index) { return ranks[profile.spans[async[index]].thread]; });
    std::vector<std::uint32_t> instants(profile.instants.size());
    std::iota(instants.begin(), instants.end(), 0);
    std::stable_sort(instants.begin(), instants.end(),
                     [&](std::uint32_t left, std::uint32_t right) {
                         return profile.instants[left].time_ns < profile.instants[right].time_ns;
                     });
    const std::vector<std::uint32_t> instants_by_rank = sorted_by_thread(
        instants.size(), threads, instant_begins,
        [&](std::uint32_t index) { return ranks[profile.instants[instants[index]].thread]; });

    TrackPlan plan;
    TrackRows rows;
    std::vector<std::uint32_t> own;
    const auto part = [&](const std::vector<std::uint32_t>& places,
                          const std::vector<std::size_t>& begins,
                          const std::vector<std::uint32_t>& sources, std::size_t rank) {
        own.clear();
        for (std::size_t at = begins[rank]; at < begins[rank + 1]; ++at) {
            own.push_back(sources[places[at]]);
        }
        return std::span<const std::uint32_t>(own);
    };
    for (std::size_t rank = 0; rank < threads; ++rank) {
        const ThreadId thread = thread_of_rank[rank];
        add_nested(profile, part(by_rank, nested_begins, nested, rank), rows);
        rows.take(plan, thread, TrackKind::Thread);
        add_first_free(profile, part(async_by_rank, async_begins, async, rank), rows);
        rows.take(plan, thread, TrackKind::Async);
        for (const std::uint32_t index : part(instants_by_rank, instant_begins, instants, rank)) {
            rows.add(index, 0);
        }
        rows.take(plan, thread, TrackKind::Instants);
    }
    return plan;
}

}  // namespace taffrail::profile
