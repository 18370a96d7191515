// Runs of the native store, for commands that change files.
#pragma once

#include "cli/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace taffrail::cli {

struct NativeRun {
    RunInfo info;  ///< the id is the run's own, also where folders were opened under names
    std::string folder;
};

/// The runs meant by `targets`; foreign ones are refused, because their files are never changed.
Result<std::vector<NativeRun>> find_native_runs(const Session& session,
                                                const std::vector<std::string>& targets,
                                                std::string_view root, bool include_deleted);

/// Asks on the terminal; false without one.
bool confirmed(const Session& session, std::string_view question);

}  // namespace taffrail::cli
