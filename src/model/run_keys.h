// The keys of a run for lists of thousands: what filters, sorts and columns ask for, without the
// points.
#pragma once

#include <taffrail/reader.h>

#include <string_view>
#include <vector>

namespace taffrail::model {

struct RunKeys {
    std::vector<KeyInfo> keys;   ///< as RecordedRun::keys()
    std::vector<Damage> damage;  ///< what could not be read on the way
};

/// What a Catalogue may be besides: one that knows the keys of runs at rest without opening them.
class KnowsKeys {
  public:
    virtual ~KnowsKeys() = default;
    /// Of the run that Catalogue::run() would open. From several threads at once.
    [[nodiscard]] virtual Result<RunKeys> keys(std::string_view id) const = 0;
};

/// keys() of a catalogue that knows them, else of the opened run.
Result<RunKeys> keys_of(const Catalogue& catalogue, std::string_view id);

}  // namespace taffrail::model
