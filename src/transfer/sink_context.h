// What a run folder tells a sink about its run.
#pragma once

#include <taffrail/sink.h>

#include <string>

namespace taffrail::transfer {

/// All that the run folder says now. Attempt, resume step and rank are those of the records that
/// will come, so they are the caller's to set.
SinkContext describe_to_sinks(const std::string& run_folder);

/// For a sink that is handed what all ranks say: config and summary as rank 0 said them.
void keep_to_rank_zero(SinkContext& context);

}  // namespace taffrail::transfer
