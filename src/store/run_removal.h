// The end of a run's bytes.
#pragma once

#include <taffrail/result.h>

#include <string>

namespace taffrail::store {

/// What is said of a run that cannot go because its program is at work.
Error still_written(const std::string& run_name);

/// Removes a run folder and everything in it. Refused while a writer of it lives, as seen now: a
/// training would go on and lose everything it writes.
Result<void> remove_run(const std::string& run_folder);

}  // namespace taffrail::store
