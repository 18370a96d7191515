#include "model/run_keys.h"

#include "base/try.h"

namespace taffrail::model {

Result<RunKeys> keys_of(const Catalogue& catalogue, std::string_view id) {
    if (const auto* const knows = dynamic_cast<const KnowsKeys*>(&catalogue)) {
        return knows->keys(id);
    }
    TAFFRAIL_ASSIGN(const std::shared_ptr<RecordedRun> run, catalogue.run(id));
    RunKeys found;
    found.keys = run->keys();
    found.damage = run->damage_met();
    return found;
}

}  // namespace taffrail::model
