// Is the process behind a log still there?
#pragma once

#include "codec/tlog/batch.h"

#include <cstdint>
#include <string>

namespace taffrail::store {

/// By the lock on the writer's ring where that can be seen; by process number and start time on the
/// same boot; else by how long ago the log showed a sign of life.
bool writer_is_alive(const std::string& run_folder, const tlog::FileIdentity& identity,
                     std::int64_t last_sign_ns);

/// Silence after which a writer on another machine counts as dead.
inline constexpr std::int64_t kSilenceNs = 120'000'000'000;

}  // namespace taffrail::store
