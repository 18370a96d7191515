// Sealing as the store sees it: which logs are complete, what the manifest says, which logs may go.
#pragma once

#include <taffrail/result.h>

#include "seal/seal.h"

#include <chrono>
#include <string>

namespace taffrail::storage {

/// Seals the logs of all writers that ended (or died) and are not sealed yet, and lists the result
/// in a new manifest. Nothing to do is no error: the report is then empty. The logs stay.
Result<seal::SealReport> seal_finished(const std::string& run_folder,
                                       const seal::SealOptions& options = {});

/// Removes logs that a manifest older than `grace` covers, unless a sink still has to read them.
/// Returns the bytes freed.
Result<std::uint64_t> drop_sealed_logs(const std::string& run_folder,
                                       std::chrono::nanoseconds grace = std::chrono::hours(24));

}  // namespace taffrail::storage
