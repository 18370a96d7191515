#include "server/rank_index.h"

#include "server/workspace.h"

#include <set>

namespace taffrail::server {

std::vector<std::int32_t> RankIndex::of(const Workspace& workspace, const RunDetails& run,
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
    const auto opened = workspace.run(run.id);
    const auto points =
        opened ? (*opened)->points(key.key) : Result<std::vector<Point>>(opened.error());
    std::set<std::int32_t> ranks;
    if (points) {
        for (const Point& point : *points) {
            ranks.insert(point.rank);
        }
    }
    Known known{key.count, {}};
    if (ranks.size() > 1) {
        known.ranks.assign(ranks.begin(), ranks.end());
    }
    const std::lock_guard lock(mutex_);
    return (known_[name] = std::move(known)).ranks;
}

}  // namespace taffrail::server
