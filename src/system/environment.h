// The snapshot of what a run started from: command, code version, machine, libraries. Never
// secrets.
//
// docs/privacy.md lists every field and how to switch it off.
#pragma once

#include <taffrail/value.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::system {

struct EnvironmentOptions {
    std::vector<std::string> arguments;  ///< empty = this process's own command line
    std::string folder = ".";            ///< where git is asked
    bool git = true;
    bool gpus = true;
    std::size_t diff_limit_bytes = 256u << 10;  ///< longer diffs are cut and say so
    std::chrono::milliseconds git_limit = std::chrono::seconds(5);
};

/// Fields in groups: "command/line", "git/commit", "host/name", "cpu/model", "gpu/0/name",
/// "variable/OMP_NUM_THREADS", "library/libcudart.so.12", "package/torch". Takes tens of
/// milliseconds (git): call it on a thread of its own.
Hparams take_environment_snapshot(const EnvironmentOptions& options = {});

/// The same for all runs that this process opens in one folder within half a minute.
std::shared_ptr<const Hparams> shared_environment_snapshot();

/// The variables whose values may be kept; `*` stands for any ending.
const std::vector<std::string>& kept_variables();

}  // namespace taffrail::system
