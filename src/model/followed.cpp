#include "model/followed.h"

#include "base/try.h"

#include <set>

namespace taffrail::model {

Result<std::vector<RunChange>> follow(Catalogue& catalogue) {
    if (auto* const followed = dynamic_cast<Followed*>(&catalogue)) {
        return followed->follow();
    }
    TAFFRAIL_ASSIGN(const std::vector<std::string> ids, catalogue.refresh());
    std::vector<RunChange> changes;
    std::set<std::string> touched(ids.begin(), ids.end());
    if (!touched.empty()) {
        for (RunInfo& info : catalogue.runs(true)) {
            if (touched.erase(info.id) > 0) {
                changes.push_back({info.id, std::nullopt});
                changes.back().info = std::move(info);
            }
        }
    }
    for (const std::string& id : touched) {
        changes.push_back({id, std::nullopt});
    }
    return changes;
}

}  // namespace taffrail::model
