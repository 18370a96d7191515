// Sealing as the store sees it: which logs are complete, what the manifest says, which logs may go.
#pragma once

#include <taffrail/result.h>

#include "seal/seal.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::store {

/// Seals the logs of all writers that ended (or died) and are not sealed yet, and lists the result
/// in a new manifest. Nothing to do is no error: the report is then empty. The logs stay.
Result<seal::SealReport> seal_finished(const std::string& run_folder,
                                       const seal::SealOptions& options = {});

/// Seals anew what is damaged in the sealed files, from the logs that are still there. Nothing when
/// every file is whole. An error when the logs cannot give it back; then nothing is changed.
Result<std::optional<seal::SealReport>> reseal_damaged(const std::string& run_folder,
                                                       const seal::SealOptions& options = {});

inline constexpr std::chrono::nanoseconds kSealedLogGrace = std::chrono::hours(24);

/// Logs that are only copies: sealed for longer than the grace period, and no sink has a cursor
/// here.
struct SpareLogs {
    std::vector<std::string> urls;
    std::uint64_t bytes = 0;
};

/// Reads every byte of the sealed files first: Corrupt when one is damaged, for then the logs are
/// not spare. `now_ns` = 0: the real time.
Result<SpareLogs> find_spare_logs(const std::string& run_folder,
                                  std::chrono::nanoseconds grace = kSealedLogGrace,
                                  std::int64_t now_ns = 0);

/// Removes them. Returns the bytes freed.
Result<std::uint64_t> drop_sealed_logs(const std::string& run_folder,
                                       std::chrono::nanoseconds grace = kSealedLogGrace,
                                       std::int64_t now_ns = 0);

}  // namespace taffrail::store
