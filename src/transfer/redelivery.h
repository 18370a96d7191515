// What a run's sinks did not get while their process lived, delivered now: the engine of `sync`.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "transfer/adopt.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::transfer {

/// A run of the native store. The id is the run's own, whatever it is called where it was opened.
struct StoredRun {
    RunInfo info;
    std::string folder;
};

/// A sink that was told no place writes into the run folder, below a name that begins with its own.
/// The folder may be anybody's: fails where a link there, or a pipe, would lead the sink of this
/// `type` to where nobody sent it.
Result<void> check_usual_place(const std::string& run_folder, const std::string& type);

/// A sink that a run was given.
struct Destination {
    NotedSink sink;
    /// Why nothing can be delivered from here, and what to do instead; "" when it can.
    std::string obstacle = {};
};

/// The sinks of `run` that `wanted` means, by name or type; all of them for "". Reads a few small
/// files.
std::vector<Destination> destinations(const StoredRun& run, std::string_view wanted);

/// What became of one sink.
struct Delivered {
    std::string sink;
    std::uint64_t records = 0;
    std::string problem = {};  ///< "" when everything arrived
};

/// Gives `run` a sink that it never had, by the name of its type. Its options come from the caller;
/// secrets among them are not kept.
Result<void> add_destination(const StoredRun& run, const std::string& type,
                             const OptionMap& options);

/// The run as its folder tells now.
RunInfo state_now(const StoredRun& run);

/// What a delivery would hand over now, and to whom; nothing is written. `is_new`: `wanted` is a
/// type that the run was not given yet.
struct Pending {
    std::string sink;
    std::uint64_t records = 0;
};

Result<std::vector<Pending>> pending(const StoredRun& run, std::string_view wanted, bool is_new);

/// Takes over what dead processes left in their rings, then delivers to each destination what it
/// has not seen. `adopted` is called once, `delivered` after each destination; one that fails does
/// not stop the others. True when nothing is left undone.
Result<bool> redeliver(const StoredRun& run, std::string_view wanted,
                       const std::function<void(const Adopted&)>& adopted,
                       const std::function<void(const Delivered&)>& delivered,
                       const std::function<void(std::uint64_t)>& progress = {});

}  // namespace taffrail::transfer
