// The moments at which a process that knows nothing of us ends: by returning from main, by exit(),
// by a signal that it leaves to the system, or with its Python interpreter.
#pragma once

#include <cstdint>

namespace taffrail::gpu {

enum class ProcessEnd : std::uint8_t {
    Interpreter,  ///< Python's ended; a program around it may go on
    Whole,
};

/// Calls `finish` at each of these moments, after `Whole` never again; one call at a time, and
/// never inside a signal handler. A process forked from this one ends without it. Signals are taken
/// only where the program left the default, and end the process as they would have, once `finish`
/// has returned. One that comes again a while later does not wait for that.
void at_process_end(void (*finish)(ProcessEnd)) noexcept;

}  // namespace taffrail::gpu
