// Runs of the native store, for commands that change files.
#pragma once

#include "cli/targets.h"

#include <string>
#include <string_view>
#include <vector>

namespace taffrail::cli {

struct NativeRun {
    RunInfo info;  ///< the id is the run's own, also where folders were opened under names
    std::string folder;
};

/// What a folder of several runs stands for.
enum class Folders : std::uint8_t { OfOneRun, OfManyRuns };

/// The runs meant by `targets`; foreign ones are refused, because their files are never changed. A
/// folder of several runs is an error unless that is what was asked for: who deletes by a wrong
/// path must not delete everything.
Result<std::vector<NativeRun>> find_native_runs(const Session& session,
                                                const std::vector<std::string>& targets,
                                                const TargetOptions& options, Folders folders);

/// Adds `--all`: folders of many runs are meant as they are.
void declare_all(Arguments& arguments, bool& all);

inline Folders folders_of(bool all) {
    return all ? Folders::OfManyRuns : Folders::OfOneRun;
}

/// Asks on the terminal; false without one.
bool confirmed(const Session& session, std::string_view question);

}  // namespace taffrail::cli
