// The messages of an experiment's archives, gathered as a run.
#pragma once

#include "model/gathered_run.h"

#include <memory>
#include <string>
#include <vector>

namespace taffrail::sources::comet {

/// `parts` are archives or folders of one experiment, the oldest first; each is an attempt. What
/// cannot be read is noted as damage.
std::shared_ptr<model::GatheredContent> read_run(const std::vector<std::string>& parts);

}  // namespace taffrail::sources::comet
