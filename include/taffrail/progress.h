// Progress bars, for any loop and for training.
//
//   for (auto& batch : taffrail::progress(batches, {.description = "load"})) { … }
//
// A step costs one atomic store. A thread draws at most ten times a second; where standard output
// is not a terminal one plain line appears per 10 % or 30 s. What the program prints meanwhile goes
// above the bar. Nothing is drawn while a debugger holds the process.
#pragma once

#include <taffrail/api.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace taffrail {

struct ProgressOptions {
    std::string description = {};
    std::optional<std::int64_t> total = {};  ///< absent: the length is not known
    std::int64_t initial =
        0;                 ///< steps done by an earlier process; speed and time left ignore them
    int refresh_rate = 1;  ///< publish every n-th position, and the last; 0 = no bar
    bool leave = true;     ///< the bar stays on the screen when it is done
    std::string unit = "it";
    bool plain_parts = true;  ///< without a terminal: a line per 10 %, not only one per 30 s
    /// Sees every published position, in the caller's thread.
    std::function<void(std::int64_t)> on_publish = {};
};

/// The refresh rate a bar uses: the option, or TQDM_MINITERS where that is larger.
TAFFRAIL_API int effective_refresh_rate(int option);

/// A value shown on a bar: a number, a whole number or text.
using BarValue = std::variant<double, std::int64_t, std::string>;
using BarMetrics = std::vector<std::pair<std::string, BarValue>>;

namespace detail {
class BarCore;
}

/// One bar. Advance it from one thread; it may be closed from any.
class TAFFRAIL_API Progress {
  public:
    explicit Progress(ProgressOptions options = {});
    Progress(Progress&&) noexcept;
    Progress& operator=(Progress&&) noexcept;
    ~Progress();

    void advance(std::int64_t steps = 1) noexcept;
    /// The position now; positions that are not a multiple of the refresh rate are not shown, the
    /// last one always is.
    void update(std::int64_t position) noexcept;
    /// Shown from the next published position on.
    void set_metrics(const BarMetrics& metrics) noexcept;
    /// Whether metrics set now would be seen at `position`: the bar is drawn a few times a second,
    /// so a fast loop need not make them at every step.
    [[nodiscard]] bool metrics_due(std::int64_t position) const noexcept;
    void set_description(std::string_view description) noexcept;
    /// Begins again at 0, as a training bar does each epoch.
    void reset(std::optional<std::int64_t> total) noexcept;
    /// Shows the last position and leaves or erases the bar. Idempotent; the destructor does it
    /// too.
    void close() noexcept;
    [[nodiscard]] std::int64_t position() const noexcept;

  private:
    std::unique_ptr<detail::BarCore> core_;
};

/// A range that advances a bar as it is walked.
template <std::ranges::input_range Range>
class ProgressRange {
  public:
    ProgressRange(Range&& range, ProgressOptions options)
        : range_(std::forward<Range>(range)), bar_(with_total(std::move(options), range_)) {}

    class Iterator {
      public:
        using difference_type = std::ptrdiff_t;
        using value_type = std::ranges::range_value_t<Range>;

        Iterator(std::ranges::iterator_t<Range> inner, Progress* bar)
            : inner_(std::move(inner)), bar_(bar) {}

        decltype(auto) operator*() const { return *inner_; }

        Iterator& operator++() {
            ++inner_;
            bar_->advance();
            return *this;
        }

        void operator++(int) { ++*this; }

        bool operator==(const std::ranges::sentinel_t<Range>& end) const { return inner_ == end; }

      private:
        std::ranges::iterator_t<Range> inner_;
        Progress* bar_;
    };

    Iterator begin() { return {std::ranges::begin(range_), &bar_}; }

    auto end() { return std::ranges::end(range_); }

    Progress& bar() { return bar_; }

  private:
    static ProgressOptions with_total(ProgressOptions options, [[maybe_unused]] Range& range) {
        if constexpr (std::ranges::sized_range<Range>) {
            if (!options.total) {
                options.total = static_cast<std::int64_t>(std::ranges::size(range));
            }
        }
        return options;
    }

    Range range_;
    Progress bar_;
};

/// Walks `range` behind a bar.
template <std::ranges::input_range Range>
ProgressRange<Range> progress(Range&& range, ProgressOptions options = {}) {
    return ProgressRange<Range>(std::forward<Range>(range), std::move(options));
}

/// Counts from 0 to `count` behind a bar.
inline auto progress(std::int64_t count, ProgressOptions options = {}) {
    return ProgressRange<std::ranges::iota_view<std::int64_t, std::int64_t>>(
        std::ranges::iota_view<std::int64_t, std::int64_t>(0, count), std::move(options));
}

/// Writes a line above the bars; use it where neither stdio nor iostreams is at hand.
TAFFRAIL_API void print_above(std::string_view text) noexcept;

/// While one of these lives no bar is drawn and the screen below the text is free: for prompts and
/// breakpoints.
class TAFFRAIL_API PauseDrawing {
  public:
    PauseDrawing() noexcept;
    PauseDrawing(const PauseDrawing&) = delete;
    PauseDrawing& operator=(const PauseDrawing&) = delete;
    ~PauseDrawing();
};

/// Stops in the debugger that holds this process, with the bars off the screen and output flushed;
/// without a debugger it returns at once.
TAFFRAIL_API void breakpoint() noexcept;

}  // namespace taffrail
