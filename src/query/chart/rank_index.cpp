#include "query/chart/rank_index.h"

#include "query/run_set.h"

#include <set>

namespace taffrail::query {

std::vector<std::int32_t> RankIndex::of(const RunSet& runs, const RunDetails& run,
                                        const KeyInfo& key) {
    const std::pair name(run.id, key.key);
    {
        const std::lock_guard lock(mutex_);
        const auto found = known_.find(name);
        // Few points are looked at every time: a rank that comes late is seen at once.
        constexpr std::uint64_t kFew = 10'000;
        if (found != known_.end() && (key.count == found->second.points ||
                                      (key.count > kFew && key.count < 2 * found->second.points))) {
            return found->second.ranks;
        }
    }
    const auto opened = runs.run(run.id);
    std::set<std::int32_t> ranks;
    if (opened) {
        (void)(*opened)->visit_points(key.key, Attempts::All,
                                      [&ranks](std::span<const Point> some) -> Result<void> {
                                          for (const Point& point : some) {
                                              ranks.insert(point.rank);
                                          }
                                          return {};
                                      },
                                      {Column::Rank});
    }
    Known known{key.count, {}};
    if (ranks.size() > 1) {
        known.ranks.assign(ranks.begin(), ranks.end());
    }
    const std::lock_guard lock(mutex_);
    return (known_[name] = std::move(known)).ranks;
}

}  // namespace taffrail::query
