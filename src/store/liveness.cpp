#include "store/liveness.h"

#include "base/clock.h"
#include "io/files.h"
#include "record/definitions.h"
#include "record/identity.h"
#include "record/orphan.h"
#include "store/layout.h"

#include <optional>

namespace taffrail::store {
namespace {

const std::string& this_boot() {
    static const std::string boot = record::boot_id();
    return boot;
}

// Nothing when the writer has no key file on this machine. A writer locks its key file before it
// puts the first byte into it: an empty one is being made, and says nothing yet.
std::optional<bool> ring_lock_held(const std::string& run_folder,
                                   const tlog::FileIdentity& identity) {
    std::optional<bool> held;
    for (const std::string& folder : record::ring_folders(run_folder, identity.run_id)) {
        const auto keys = io::stat(record::definitions_path(folder, identity.writer));
        if (!keys.ok() || keys->size == 0) {
            continue;
        }
        if (record::writer_is_alive(folder, identity.writer)) {
            return true;
        }
        held = false;
    }
    return held;
}

}  // namespace

bool writer_is_alive(const std::string& run_folder, const tlog::FileIdentity& identity,
                     std::int64_t last_sign_ns) {
    // A lock says nothing about a process on another machine of a shared folder.
    const bool same_boot = !identity.boot_id.empty() && identity.boot_id == this_boot();
    if (same_boot) {
        if (const auto held = ring_lock_held(run_folder, identity)) {
            return *held;
        }
        if (identity.process_id != 0) {
            return record::process_start(identity.process_id) == identity.process_start;
        }
    }
    return last_sign_ns > wall_time_ns() - kSilenceNs;
}

}  // namespace taffrail::store
