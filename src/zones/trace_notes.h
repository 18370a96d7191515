// What include/taffrail/trace_notes.h is told while a window is open, and how it comes into a
// trace.
#pragma once

#include <taffrail/result.h>

#include "base/clock.h"
#include "profile/profile.h"

#include <cstdint>

namespace taffrail::zones {

struct NotesWanted {
    bool memory = false, shapes = false;

    [[nodiscard]] bool any() const noexcept { return memory || shapes; }
};

/// Keeps notes from now on, at most 524,288 (32 MB); those beyond are counted. An error where there
/// is no memory for them.
Result<void> begin_notes(const NotesWanted& wanted);

/// No more from now on; those kept are there until the next begin.
void end_notes() noexcept;

/// Adds what was kept: memory as instants `[memory]`, shapes as arguments "Input Dims" of the zones
/// they stand in, in the words of PyTorch's traces. `trace` holds the zones (category "cpu_op") of
/// `process`.
void add_notes(const TickClock& clock, profile::ProcessId process, profile::Profile& trace);

}  // namespace taffrail::zones
