// The seam between a tracer and what else can be traced beside zones: work of an accelerator, calls
// of a runtime, samples. The tracer of `profiler=trace` opens windows by its schedule; each source
// is told of them and adds its own tracks and events to the trace before it is written.
//
// A source is registered by its layer's `register_…()`, which src/builtins calls:
//
//   zones::trace_sources().add({"cuda", "kernels and copies of CUDA devices",
//                               []() -> Result<std::unique_ptr<zones::TraceSource>> { … }});
//
// The tracer makes one of each when its first warm-up begins. A source that cannot work here (no
// driver, no device) returns an error of code Unsupported from make() or prepare(): it is left out,
// and one line says so when people asked for it by name. Any other error is said once; the trace is
// made without what is missing.
#pragma once

#include <taffrail/record.h>
#include <taffrail/result.h>

#include "base/clock.h"
#include "base/registry.h"
#include "profile/profile.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace taffrail::zones {

/// What the tracer knows when a window opens.
struct TraceWindow {
    std::int64_t first_step = 0;  ///< as in the name of its span: ProfilerStep#<n>
    std::int64_t begin_ns = 0;    ///< UTC, the clock of every span of the trace
    TickClock clock = {};         ///< turns ticks() into that clock
    std::int64_t thread_id = 0;   ///< of the thread that steps, as the kernel counts
};

/// All functions are called on the thread that steps, in this order: prepare, then for each window
/// start, begin_step for every step, stop, add_to. The destructor may come at any point.
class TraceSource {
  public:
    virtual ~TraceSource() = default;

    /// Warm-up: what takes long happens here, not inside the window. Again before each window.
    virtual Result<void> prepare() { return {}; }

    virtual Result<void> start(const TraceWindow& window) = 0;

    /// The step `number` of the window begins; a source that marks steps on its own tracks does so.
    virtual void begin_step(std::int64_t number) noexcept { static_cast<void>(number); }

    /// The window is over. Returns when every record of it has arrived.
    virtual Result<void> stop() = 0;

    /// Adds the window that ended last: processes and threads are its tracks, spans, instants,
    /// counters and flows their events, metadata what the file says of itself (deviceProperties).
    /// `trace` holds the zones of the process already (category "cpu_op", and the steps as
    /// "user_annotation"); times are UTC nanoseconds. Spans of one track must nest.
    virtual Result<void> add_to(profile::Profile& trace) = 0;
};

struct TraceSourceInfo {
    std::string name = {};
    std::string summary = {};
    std::function<Result<std::unique_ptr<TraceSource>>()> make = {};
};

Registry<TraceSourceInfo>& trace_sources();

}  // namespace taffrail::zones
