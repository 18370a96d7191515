// Catalogues that a program follows for hours.
//
// Catalogue::refresh() looks at every run, which is right for who asks once. Who asks several times
// a second for days must not: a thousand finished runs stay as they are.
#pragma once

#include <taffrail/reader.h>

#include <optional>
#include <string>
#include <vector>

namespace taffrail::model {

struct RunChange {
    std::string id;
    std::optional<RunInfo> info;  ///< nothing: the run has gone
};

/// What a Catalogue may be besides. A catalogue that is not is followed by refresh(), less often
/// the longer that takes.
class Followed {
  public:
    virtual ~Followed() = default;
    /// What changed since the last call, at a cost that does not grow with the number of runs that
    /// are at rest. Changes of those are told at once where the kernel tells of them, else within a
    /// minute or two. One call at a time.
    virtual Result<std::vector<RunChange>> follow() = 0;
};

/// follow() of a catalogue that can, else what refresh() names.
Result<std::vector<RunChange>> follow(Catalogue& catalogue);

}  // namespace taffrail::model
