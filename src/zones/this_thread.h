// What the recording path needs of a thread besides its tree.
#pragma once

#include "zones/thread_zones.h"

namespace taffrail::zones {

/// nullptr before its first zone, after its end, and where the processor's counter cannot be used:
/// the short way of a zone is for those that have it. zones_of_this_thread() is right everywhere.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadZones* this_thread;

/// Every number to zero; the caller holds the lock.
void clear_counts(AllThreads& all) noexcept;
/// The wall time counts from here.
void begin_counting(std::uint64_t now) noexcept;
/// Gives the open zones of a thread their place in the run's block; the caller holds the lock.
void show_open(AllThreads& all, ThreadZones& zones) noexcept;

/// Zones of this thread are kept one by one from now on; the caller holds the lock.
void begin_trace(ThreadZones& zones) noexcept;
/// When the innermost zone that is open on this thread began, by the counter; 0 = none is open.
std::uint64_t innermost_since() noexcept;
/// Ends what the thread of `zones` left open; called on it.
void close_all(ThreadZones& zones) noexcept;

}  // namespace taffrail::zones
