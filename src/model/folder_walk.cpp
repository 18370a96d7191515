#include "model/folder_walk.h"

#include "io/files.h"
#include "io/inside.h"

#include <algorithm>
#include <set>
#include <utility>

namespace taffrail::model {

std::vector<WalkFound> walk(const std::string& root, const WalkVisit& visit,
                            const WalkLimits& limits) {
    std::vector<WalkFound> found;
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    std::vector<WalkFound> open = {{root, 0}};
    for (int budget = limits.folders; !open.empty() && budget > 0; --budget) {
        const WalkFound folder = std::move(open.front());
        open.erase(open.begin());
        const auto info = io::stat(folder.path);
        if (!info.ok() || info->type != io::EntryType::Directory ||
            (info->inode != 0 && !seen.emplace(info->device, info->inode).second)) {
            continue;
        }
        const auto entries = io::list(folder.path);
        for (const io::DirectoryEntry& entry :
             entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
            const WalkStep step = visit(folder.path, entry);
            const std::string path = io::join(folder.path, entry.name);
            if (step == WalkStep::Skip || io::is_link(path)) {
                continue;
            }
            if (step == WalkStep::Take) {
                found.push_back({path, folder.depth});
                if (limits.stops_at_first) {
                    return found;
                }
            } else if (entry.type == io::EntryType::Directory && folder.depth < limits.depth) {
                open.push_back({path, folder.depth + 1});
            }
        }
    }
    std::ranges::sort(found, {}, &WalkFound::path);
    return found;
}

}  // namespace taffrail::model
