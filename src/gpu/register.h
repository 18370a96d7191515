#pragma once

namespace taffrail::gpu {

/// Makes "cuda" known to tracers (zones/trace_source.h). Loads nothing yet.
void register_cuda();

}  // namespace taffrail::gpu
