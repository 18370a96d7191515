// The events of a trace as an analysis wants them: in order of time, with what they are, their
// links and the numbers of kernels and copies. Made once, read by everything else here.
#pragma once

#include "profile/analysis/event_args.h"
#include "profile/analysis/names.h"
#include "profile/analysis/ranges.h"
#include "profile/profile.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace taffrail::profile::analysis {

/// A thread or a stream, whatever way its number is written: "7" and 7 are one.
using ThreadNumber = std::uint32_t;
using EventNumber = std::uint32_t;

struct Event {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t external = kAbsent, correlation = kAbsent;
    TextId name = 0;
    ThreadNumber thread = 0;
    std::uint32_t details = kNone;  ///< index into Events::details, of what runs on a device
    std::uint32_t span = 0;         ///< index into Profile::spans
    Kind kind = Kind::Ignored;
    std::uint16_t flags = 0;  ///< NameFlag

    [[nodiscard]] std::int64_t duration_ns() const noexcept { return end_ns - begin_ns; }

    [[nodiscard]] Range range() const noexcept { return {begin_ns, end_ns}; }

    [[nodiscard]] bool is(NameFlag flag) const noexcept { return (flags & flag) != 0; }

    [[nodiscard]] bool on_device() const noexcept {
        return kind == Kind::Kernel || kind == Kind::Memcpy || kind == Kind::Memset;
    }

    /// A row of the table of operators.
    [[nodiscard]] bool is_operator() const noexcept {
        return kind == Kind::Operator && !is(kIsNoOperator);
    }
};

/// What the trace says of a kernel, copy or memset.
struct DeviceDetails {
    std::int64_t device = kAbsent, stream = kAbsent, bytes = 0;
    double blocks_per_sm = -1;       ///< negative = not known
    double occupancy = -1;           ///< 0 to 1, ours where the trace has none; negative = unknown
    double recorded_occupancy = -1;  ///< as the trace says
    std::array<std::uint32_t, 3> grid = {}, block = {};
    std::uint32_t registers = 0;
    std::uint64_t shared_memory = 0;
    EventNumber launched_by = kNone;  ///< the call with the same correlation
};

struct Events {
    const Profile* profile = nullptr;
    std::vector<Event> all;  ///< by begin
    std::vector<DeviceDetails> details;
    std::vector<EventNumber> on_device, calls;       ///< those kinds, by begin
    std::vector<std::vector<EventNumber>> launches;  ///< by place in `calls`: what each launched
    std::uint32_t threads = 0;
    std::vector<ThreadNumber> thread_numbers;  ///< by ThreadId of the profile
    std::int64_t begin_ns = 0, end_ns = 0;     ///< of all events
    Range recorded;                            ///< the profiler's own span, else all events

    [[nodiscard]] std::string_view name(const Event& event) const noexcept {
        return profile->texts[event.name];
    }

    [[nodiscard]] std::string_view args(const Event& event) const noexcept {
        return profile->args_text(profile->spans[event.span].args);
    }

    [[nodiscard]] DeviceDetails& of(const Event& event) noexcept { return details[event.details]; }

    [[nodiscard]] const DeviceDetails& of(const Event& event) const noexcept {
        return details[event.details];
    }
};

/// Sorts out the spans of a trace and links what runs on a device to the call that launched it.
Events collect_events(const Profile& profile);

}  // namespace taffrail::profile::analysis
