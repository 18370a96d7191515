// Which run the ranks of a launch meet in. Variables alone do not tell: torchrun's defaults are the
// same in every launch. So each rank leaves a claim in the run, `launch/<attempt>-<rank>`, which
// says what process it is and who started it. A rank joins a run only when its place there is free
// and the claims of the others do not speak of another launch.
#pragma once

#include <taffrail/result.h>

#include "run/launch.h"

#include <cstdint>
#include <string>

namespace taffrail::run {

/// A process that no other has ever been: number and start on one boot of one machine.
struct ProcessMark {
    std::uint64_t id = 0;
    std::uint64_t start = 0;  ///< clock ticks since boot; 0 = unknown
    auto operator<=>(const ProcessMark&) const = default;
};

/// What `/proc` says about this process; start 0 when it is gone.
ProcessMark mark_process(std::uint64_t id);

/// The process that told the ranks who they are: the nearest one above this that has no
/// `rank_variable` itself, wrappers in between left out. Unknown (0) when that is the first process
/// of the machine: the launcher ended and left its ranks to it.
ProcessMark find_launcher(const std::string& rank_variable);

enum class Claimed : std::uint8_t {
    Yes,
    OtherLaunch,  ///< the rank is taken by a living process, or another launcher made the run
    Ended,        ///< a launch that is over
};

struct Claim {
    Claimed claimed = Claimed::Yes;
    std::uint32_t attempt = 0;
};

/// Takes the place of this rank in the run, if the run is one of this launch.
Result<Claim> claim_rank(const std::string& run_folder, const std::string& run_id,
                         const Launch& launch);

}  // namespace taffrail::run
