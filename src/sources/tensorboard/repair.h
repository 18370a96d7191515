// A copy of a logdir that every reader can read: whole records only.
//
// TensorBoard stops at the first byte that is no record. The copy holds the records before the
// damage and those behind it, byte for byte, so nothing but the damage is missing.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <string>

namespace taffrail::sources::tensorboard {

struct Repaired {
    std::uint64_t event_files = 0;
    std::uint64_t other_files = 0;      ///< copied as they are: embeddings, traces
    std::uint64_t records = 0;          ///< kept
    std::uint64_t left_out_bytes = 0;   ///< damage, unreadable events, unfinished tails
    std::uint64_t retimed_records = 0;  ///< time was no number, which ends a file for TensorBoard
};

/// Copies the logdir `from` to `to`, which must be empty or absent and not lie inside `from`. The
/// original is only read.
Result<Repaired> repair_logdir(const std::string& from, const std::string& to);

}  // namespace taffrail::sources::tensorboard
