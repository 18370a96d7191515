// Who writes: the process incarnation behind a writer, as ring and spool files name it.
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <optional>
#include <string>

namespace taffrail::record {

struct WriterIdentity {
    std::string run_id;
    std::uint64_t writer = 0;
    std::uint64_t process_id = 0;
    /// Clock ticks since boot, tells apart two processes of one number.
    std::uint64_t process_start = 0;
    std::string boot_id;
    std::string host;
    TickClock clock;  ///< turns the ticks in this writer's rings into time
};

/// This process, with a new random writer number.
WriterIdentity make_identity(std::string run_id);

/// When a process of this machine began. Nothing for one that is not there, or is dead and only
/// waits for its parent.
std::optional<std::uint64_t> process_start(std::uint64_t process_id);

/// What this machine calls itself; "" where it has no name.
std::string host_name();

/// The boot id of this machine; "" where there is none.
std::string boot_id();

}  // namespace taffrail::record
