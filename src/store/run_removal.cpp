#include "store/run_removal.h"

#include "io/files.h"
#include "store/glance.h"

namespace taffrail::store {

Error still_written(const std::string& run_name) {
    return {ErrorCode::Unavailable,
            run_name + " is still being written and stays: stop its program, then call this again"};
}

Result<void> remove_run(const std::string& run_folder) {
    const RunInfo run = glance_at_run(run_folder).info;
    if (run.state == RunState::Running) {
        return still_written(run.name);
    }
    return io::remove_tree(run_folder);
}

}  // namespace taffrail::store
