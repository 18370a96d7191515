// Where finished rows and single calls leave the log() state machine.
#pragma once

#include <taffrail/key.h>

#include "metrics/slots.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace taffrail::metrics {

struct RowEntry {
    std::string_view name;
    double value = 0;
};

/// Receives what the loop produces. Called by the training thread only.
class RowOutput {
  public:
    virtual ~RowOutput() = default;
    /// One gated row for the sinks. The values of a step row went through call() before; a store
    /// that keeps every call need not show them again.
    virtual void log_metrics(std::span<const RowEntry> row, Step step, Level level) = 0;

    /// Every log() call, ungated. bind() is asked once per key, call() must cost nanoseconds. Where
    /// bind() throws for want of memory, this call is lost and the next one asks again.
    virtual std::uint32_t bind(std::string_view /*key*/) { return 0; }

    virtual void call(std::uint32_t /*key*/, double /*value*/, Step /*step*/) noexcept {}
};

}  // namespace taffrail::metrics
