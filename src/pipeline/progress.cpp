// Progress bars: the loop stores a position, the Screen's thread renders it.
#include <taffrail/progress.h>

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/strings.h"
#include "terminal/bar_line.h"
#include "terminal/format.h"
#include "terminal/screen.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>

namespace taffrail {

namespace {

constexpr std::int64_t kPlainInterval = 30'000'000'000;  // ns
constexpr std::int64_t kPlainParts = 10;
// Half of what the screen draws by: what is drawn is never older than that.
constexpr std::int64_t kMetricsInterval = 100'000'000;  // ns

std::string text_of(const BarValue& value) {
    if (const double* number = std::get_if<double>(&value)) {
        return terminal::format_bar_number(*number);
    }
    if (const auto* count = std::get_if<std::int64_t>(&value)) {
        return terminal::format_bar_count(*count);
    }
    return terminal::format_bar_text(std::get<std::string>(value));
}

}  // namespace

int effective_refresh_rate(int option) {
    const char* variable = std::getenv("TQDM_MINITERS");
    const auto wanted = parse_int(variable == nullptr ? "" : variable);
    return std::max(option, wanted ? static_cast<int>(*wanted) : 0);
}

namespace detail {

class BarCore {
  public:
    explicit BarCore(ProgressOptions options)
        : options_(std::move(options)), begin_ns_(monotonic_ns()), last_plain_ns_(begin_ns_) {
        step_.rate = effective_refresh_rate(options_.refresh_rate);
        step_.total = options_.total;
        step_.position = step_.actual = options_.initial;
        step_.is_watched = options_.on_publish != nullptr;
        step_.metrics_interval = static_cast<std::uint64_t>(static_cast<double>(kMetricsInterval) /
                                                            measure_ns_per_tick());
        if (step_.rate <= 0) {
            return;
        }
        terminal::Screen& screen = terminal::Screen::standard();
        step_.is_plain = !screen.interactive();
        if (!step_.is_plain) {
            utf8_ = terminal::is_utf8();
            color_ = screen.color();
            region_ = screen.add([this](int columns) { return lines(columns); });
        }
        publish(options_.initial);
    }

    ~BarCore() { close(); }

    void update(std::int64_t position) noexcept {
        step_.actual = position;
        if (publishes(position)) {
            publish(position);
        }
    }

    void set_metrics(const BarMetrics& metrics) {
        const std::lock_guard lock(mutex_);
        metrics_ = metrics;
        step_.metrics_at = ticks();
    }

    [[nodiscard]] bool metrics_due(std::int64_t position) const noexcept {
        if (!publishes(position)) {
            return false;
        }
        return (step_.total && position == *step_.total) ||
               (step_.is_plain ? plain_line_due(position, monotonic_ns())
                               : ticks() - step_.metrics_at >= step_.metrics_interval);
    }

    void set_description(std::string_view description) {
        const std::lock_guard lock(mutex_);
        options_.description = description;
    }

    void reset(std::optional<std::int64_t> total) {
        const std::lock_guard lock(mutex_);
        step_.total = total;
        options_.initial = 0;
        begin_ns_ = last_plain_ns_ = monotonic_ns();
        end_ns_.store(0, std::memory_order_relaxed);
        step_.actual = 0;
        last_part_ = 0;
        step_.position.store(0, std::memory_order_relaxed);
    }

    void close() noexcept {
        if (closed_) {
            return;
        }
        closed_ = true;
        if (step_.rate <= 0) {
            return;
        }
        // A loop that was left early, or whose length was unknown, still ends on its true position.
        if (step_.actual != step_.position.load(std::memory_order_relaxed)) {
            publish(step_.actual);
        }
        if (end_ns_.load(std::memory_order_relaxed) == 0) {
            end_ns_.store(monotonic_ns(), std::memory_order_relaxed);
        }
        if (step_.is_plain && options_.plain_parts && printed_ != step_.actual) {
            print_plain();
        }
        region_.close(options_.leave ? terminal::Leave::Keep : terminal::Leave::Erase);
    }

    [[nodiscard]] std::int64_t actual() const noexcept { return step_.actual; }

  private:
    [[nodiscard]] bool publishes(std::int64_t position) const noexcept {
        return step_.rate > 0 &&
               (position % step_.rate == 0 || (step_.total && position == *step_.total));
    }

    void publish(std::int64_t position) noexcept {
        step_.position.store(position, std::memory_order_relaxed);
        if (step_.total && position == *step_.total) {
            // The clock of a full bar stands still: what comes after the last step is not part of
            // its rate.
            end_ns_.store(monotonic_ns(), std::memory_order_relaxed);
        }
        if (step_.is_watched) {
            options_.on_publish(position);
        }
        if (step_.is_plain) {
            maybe_print_plain(position);
        }
    }

    void maybe_print_plain(std::int64_t position) noexcept {
        const std::int64_t now = monotonic_ns();
        if (!plain_line_due(position, now)) {
            return;
        }
        last_part_ = std::max(part_of(position), last_part_);
        last_plain_ns_ = now;
        print_plain();
    }

    [[nodiscard]] std::int64_t part_of(std::int64_t position) const noexcept {
        return options_.plain_parts && step_.total && *step_.total > 0
                   ? position * kPlainParts / *step_.total
                   : 0;
    }

    [[nodiscard]] bool plain_line_due(std::int64_t position, std::int64_t now) const noexcept {
        return part_of(position) > last_part_ || now - last_plain_ns_ >= kPlainInterval;
    }

    void print_plain() noexcept {
        try {
            printed_ = step_.position.load(std::memory_order_relaxed);
            std::fflush(stdout);
            terminal::Screen::standard().print(terminal::plain_bar_line(state()) + "\n");
        } catch (...) {
            diagnose_once(DiagnosticLevel::Warning, "progress.plain",
                          "a progress line could not be written");
        }
    }

    terminal::BarState state() {
        const std::lock_guard lock(mutex_);
        const std::int64_t stopped = end_ns_.load(std::memory_order_relaxed);
        const std::int64_t end = stopped != 0 ? stopped : monotonic_ns();
        terminal::BarState state{.description = options_.description,
                                 .position = step_.position.load(std::memory_order_relaxed),
                                 .initial = options_.initial,
                                 .total = step_.total,
                                 .elapsed_seconds = static_cast<double>(end - begin_ns_) / 1e9,
                                 .unit = options_.unit};
        for (const auto& [name, value] : metrics_) {
            state.metrics.emplace_back(name, text_of(value));
        }
        return state;
    }

    std::vector<std::string> lines(int columns) {
        return terminal::bar_lines(state(), {.columns = columns, .utf8 = utf8_, .color = color_});
    }

    /// All that a step of the loop touches, in one cache line: what lies apart is cold by then, and
    /// costs more than all else that is done for a step.
    struct alignas(64) PerStep {
        std::atomic<std::int64_t> position = 0;
        std::int64_t actual = 0;
        std::optional<std::int64_t> total;
        /// When they were set, and how long they are good for: in ticks, since the system's clock
        /// is cold as well. The loop's thread alone.
        std::uint64_t metrics_at = 0, metrics_interval = 0;
        int rate = 0;
        bool is_plain = false, is_watched = false;
    };

    static_assert(sizeof(PerStep) == 64);

    PerStep step_;
    ProgressOptions options_;  ///< but for its total, which is the step's
    bool utf8_ = false, color_ = false, closed_ = false;
    std::int64_t last_part_ = 0;
    std::int64_t printed_ = -1;
    std::int64_t begin_ns_, last_plain_ns_;
    std::atomic<std::int64_t> end_ns_{0};  ///< 0 while it runs
    std::mutex mutex_;  ///< options_.description, total and metrics_, read by the drawing thread
    BarMetrics metrics_;
    terminal::Region region_;
};

}  // namespace detail

Progress::Progress(ProgressOptions options) {
    try {
        core_ = std::make_unique<detail::BarCore>(std::move(options));
    } catch (...) {
        // A loop must run without its bar.
        diagnose_once(DiagnosticLevel::Warning, "progress.make",
                      "a progress bar could not be made");
    }
}

Progress::Progress(Progress&&) noexcept = default;
Progress& Progress::operator=(Progress&&) noexcept = default;
Progress::~Progress() = default;

void Progress::advance(std::int64_t steps) noexcept {
    if (core_) {
        core_->update(core_->actual() + steps);
    }
}

void Progress::update(std::int64_t position) noexcept {
    if (core_) {
        core_->update(position);
    }
}

void Progress::set_metrics(const BarMetrics& metrics) noexcept {
    try {
        if (core_) {
            core_->set_metrics(metrics);
        }
    } catch (...) {
        diagnose_once(DiagnosticLevel::Warning, "progress.metrics",
                      "metrics of a bar could not be set");
    }
}

bool Progress::metrics_due(std::int64_t position) const noexcept {
    return core_ && core_->metrics_due(position);
}

void Progress::set_description(std::string_view description) noexcept {
    try {
        if (core_) {
            core_->set_description(description);
        }
    } catch (...) {
        diagnose_once(DiagnosticLevel::Warning, "progress.text",
                      "the text of a bar could not be set");
    }
}

void Progress::reset(std::optional<std::int64_t> total) noexcept {
    if (core_) {
        core_->reset(total);
    }
}

void Progress::close() noexcept {
    if (core_) {
        core_->close();
    }
}

std::int64_t Progress::position() const noexcept {
    return core_ ? core_->actual() : 0;
}

void print_above(std::string_view text) noexcept {
    try {
        std::string line(text);
        line += line.ends_with('\n') ? "" : "\n";
        std::fflush(stdout);
        terminal::Screen::standard().print(line);
    } catch (...) {
        diagnose_once(DiagnosticLevel::Warning, "progress.print", "a line could not be printed");
    }
}

PauseDrawing::PauseDrawing() noexcept {
    terminal::Screen::standard().suspend();
}

PauseDrawing::~PauseDrawing() {
    terminal::Screen::standard().resume();
}

void breakpoint() noexcept {
    if (!terminal::debugger_attached()) {
        return;
    }
    const PauseDrawing pause;
    std::fflush(nullptr);
    std::cout.flush();
    std::raise(SIGTRAP);
}

}  // namespace taffrail
