// One window of a tracer: begun, stepped, and put together to one trace: zones, steps, and what the
// sources add.
#pragma once

#include <taffrail/result.h>

#include "profile/profile.h"
#include "zones/trace_notes.h"
#include "zones/trace_source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::profilers {

/// What a window keeps beside zones; each costs something for every zone.
struct WindowExtras {
    zones::NotesWanted notes = {};
    bool stacks = false;
};

class WindowTrace {
  public:
    explicit WindowTrace(WindowExtras extras = {}) : extras_(extras) {}

    /// Makes the sources, once; those that cannot work here are left out.
    void prepare();
    /// `number` as in ProfilerStep#<number>; `step` is what the trainer counts. An error when
    /// another window is open, or there is no place for the zones.
    Result<void> begin(std::int64_t number, std::uint64_t max_bytes);
    void begin_step(std::int64_t number, std::int64_t step);

    /// Ends the window, on the thread that began it.
    Result<profile::Profile> end();

    [[nodiscard]] bool open() const noexcept { return open_; }

    /// One line for each source that cannot work on this machine, and why.
    [[nodiscard]] const std::vector<std::string>& left_out() const noexcept { return left_out_; }

    /// As the run keeps them, of the window that ended last.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  private:
    struct StepBegin {
        std::int64_t number = 0, step = 0, begin_ns = 0;
    };

    void leave_out(const std::string& source, const Error& why);
    void add_steps(profile::Profile& trace, std::int64_t end_ns) const;

    WindowExtras extras_;
    bool open_ = false, prepared_ = false;
    std::string path_;  ///< of the zones where no run keeps them
    zones::TraceWindow window_;
    std::vector<StepBegin> steps_;
    std::vector<std::unique_ptr<zones::TraceSource>> sources_;
    std::vector<std::string> left_out_;
    std::uint64_t bytes_ = 0;
};

}  // namespace taffrail::profilers
