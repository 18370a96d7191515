// Sealing that may stop between two portions of logs: while a run goes on, and within the time that
// finish() has.
#pragma once

#include "store/sealing.h"

#include <functional>

namespace taffrail::store {

/// Asked before each portion; false leaves the rest for later.
using GoOn = std::function<bool()>;

struct SealProgress {
    seal::SealReport report;
    std::size_t logs_left = 0;
};

/// Memory for sealing follows the portion, not the run.
inline constexpr std::uint64_t kPortionBytes = 48u << 20;

/// As seal_finished(), as long as `go_on` says so.
Result<SealProgress> seal_while(const std::string& run_folder, const GoOn& go_on,
                                const seal::SealOptions& options = {},
                                std::uint64_t portion_bytes = kPortionBytes);

/// Seals the logs that a living writer has rolled: all but its last, which it writes.
Result<SealProgress> seal_rolled(const std::string& run_folder, const std::string& run_id,
                                 std::uint64_t writer, const GoOn& go_on);

}  // namespace taffrail::store
