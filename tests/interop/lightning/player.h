// Plays a script on our Trainer: a module and a callback that do nothing but log what the script
// says.
#pragma once

#include <taffrail/communicators.h>

#include "interop/lightning/script.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::replay {

/// What one rank saw.
struct RankReport {
    Json::Array rows;
    Json::Array stages;
    Json::Array probes;
    std::vector<std::string> warnings;
    std::optional<Misuse> misuse;
    std::string other_error;  ///< not a misuse: the run itself failed
};

RankReport play_rank(const Script& script, std::shared_ptr<Communicator> communicator);

/// All ranks, and their reports as one output object.
Json play(const Script& script);

}  // namespace taffrail::replay
