// Steps for trackers whose steps must rise: the true step while it does, else a counter.
//
// Nothing is dropped and nothing is moved silently: from the first row whose place is not its true
// step, rows say the true one beside it (`is_needed_beside`), and keep saying so: a column that is
// there for some rows only could not be an axis.
#pragma once

#include <taffrail/key.h>

#include <cstdint>
#include <optional>

namespace taffrail::trackers {

class RisingSteps {
  public:
    RisingSteps() = default;

    /// Goes on where an earlier process stopped.
    RisingSteps(std::optional<Step> last, bool is_needed_beside)
        : last_(last), is_needed_beside_(is_needed_beside) {}

    /// Where a row at `step` goes: at `step`, or at the first free place behind the last row.
    Step place(Step step) noexcept {
        // The last place there is has no next one; a run does not get there by counting.
        const Step least = last_ ? (*last_ < INT64_MAX ? *last_ + 1 : INT64_MAX) : 0;
        const Step placed = step < least ? least : step;
        is_needed_beside_ = is_needed_beside_ || placed != step;
        last_ = placed;
        return placed;
    }

    /// Whether rows must say their true step beside their place.
    [[nodiscard]] bool is_needed_beside() const noexcept { return is_needed_beside_; }

    [[nodiscard]] std::optional<Step> last() const noexcept { return last_; }

  private:
    std::optional<Step> last_;
    bool is_needed_beside_ = false;
};

}  // namespace taffrail::trackers
