// Whether the clock can be used yet.
#pragma once

namespace taffrail {

/// False in constructors of global objects that run before ours: ticks() would change its counter.
bool clock_is_ready() noexcept;

}  // namespace taffrail
