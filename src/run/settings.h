// RunOptions after the environment had its say: docs/environment-variables.md is the table.
#pragma once

#include <taffrail/run.h>

#include "run/launch.h"
#include "run/variables.h"

namespace taffrail::run {

struct Settings {
    RunOptions options;  ///< everything filled in but the id
    Launch launch;
    bool off = false;               ///< TAFFRAIL_MODE=off
    bool strict = false;            ///< TAFFRAIL_STRICT=1
    bool id_from_variable = false;  ///< several processes are meant to meet in one run
};

/// Fails on values that cannot be meant: an unknown mode, a rank outside the world, an id that is
/// no folder name.
Result<Settings> resolve_settings(RunOptions options, const Variables& variables);

}  // namespace taffrail::run
