// `trace`: every zone and action of a few steps, one by one, as a file that trace viewers and
// TensorBoard open. Which steps says a schedule; what else is traced beside zones (accelerators)
// stands in zones/trace_source.h.
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/try.h"
#include "io/files.h"
#include "profile/formats.h"
#include "profilers/common/registry.h"
#include "profilers/common/report_profiler.h"
#include "profilers/common/trace_file.h"
#include "profilers/common/window_trace.h"

#include <mutex>

namespace taffrail::profilers {
namespace {

class TraceProfiler final : public ActionProfiler {
  public:
    Result<void> configure(const ProfilerOptions& options) override {
        TAFFRAIL_ASSIGN(schedule_, schedule(options.schedule));
        if (options.schedule.warmup == 0) {
            diagnose_once(DiagnosticLevel::Warning, "trace.warmup",
                          "a trace without warm-up has the cost of its own start in the first "
                          "step; profiler.warmup=1 leaves it out");
        }
        options_ = options;
        files_.configure(options);
        left_bytes_ = options.max_bytes;
        window_ = WindowTrace(
            {.notes = {.memory = options.profile_memory, .shapes = options.record_shapes},
             .stacks = options.with_stack});
        return {};
    }

    Result<void> setup(std::string_view stage, std::optional<int> rank,
                       const std::string& folder) override {
        const std::lock_guard lock(mutex_);
        files_.setup(stage, rank, folder);
        number_ = -1;  // each stage counts its own steps
        before_ = TraceAction::None;
        written_.clear();
        notes_.clear();
        return {};
    }

    // The step before is over. What a window costs it costs here, between two steps.
    void step(Step step) noexcept override {
        mark_step(step);
        try {
            const std::lock_guard lock(mutex_);
            const TraceAction now = schedule_(++number_);
            change(before_, now);
            before_ = now;
            window_.begin_step(number_, step);
        } catch (const std::exception& problem) {
            say(problem.what());
        }
    }

    [[nodiscard]] std::string summary() const override {
        const std::lock_guard lock(mutex_);
        std::string text;
        for (const std::string& path : written_) {
            text += "trace: " + path + "\n";
        }
        for (const auto* lines : {&notes_, &window_.left_out()}) {
            for (const std::string& line : *lines) {
                text += text.empty() ? "" : "       " + line + "\n";
            }
        }
        if (text.empty() && number_ >= 0) {
            text = "no trace: the stage ended after " + std::to_string(number_ + 1) +
                   " steps, before the first one that the schedule records. Fewer steps of "
                   "profiler.skip_first, profiler.wait and profiler.warmup let it begin earlier\n";
        }
        return text.empty() ? text : files_.heading() + "\n\n" + text + "\n" + zone_table_text();
    }

    // A stage that ends while it records gives a trace; one that ends in its warm-up gives none.
    Result<void> teardown() override {
        const std::lock_guard lock(mutex_);
        if (window_.open()) {
            save();
        }
        before_ = TraceAction::None;
        return {};
    }

  private:
    static bool records(TraceAction action) {
        return action == TraceAction::Record || action == TraceAction::RecordAndSave;
    }

    void say(const std::string& why) const {
        diagnose_once(DiagnosticLevel::Warning, "trace.window", "no trace is made: " + why);
    }

    void change(TraceAction before, TraceAction now) {
        if (window_.open() && (before == TraceAction::RecordAndSave || !records(now))) {
            save();
        }
        if (now == TraceAction::WarmUp) {
            window_.prepare();
        }
        if (records(now) && !window_.open() && left_bytes_ > 0) {
            if (const auto begun = window_.begin(number_, left_bytes_); !begun.ok()) {
                say(begun.error().message);
            }
        }
    }

    void save() {
        auto trace = window_.end();
        if (!trace.ok()) {
            say(trace.error().message);
            return;
        }
        for (std::string& line : trace->notes.lines()) {
            notes_.push_back(std::move(line));
        }
        left_bytes_ -= std::min(left_bytes_, window_.bytes());
        if (left_bytes_ == 0) {
            diagnose_once(DiagnosticLevel::Warning, "trace.budget",
                          "the traces of this training have reached profiler.max_bytes = " +
                              std::to_string(options_.max_bytes) +
                              " and end here; the table goes on");
        }
        if (!files_.wanted()) {
            return;
        }
        const std::string path =
            io::join(files_.folder(), trace_file_name(options_.worker, options_.use_gzip));
        if (const auto kept = write_trace_file(*trace, files_.rank(), path); !kept.ok()) {
            say(kept.error().message);
            return;
        }
        written_.push_back(path);
    }

    mutable std::mutex mutex_;
    ProfilerOptions options_;
    Schedule schedule_ = *schedule(ProfilerOptions().schedule);
    WindowTrace window_;
    TraceAction before_ = TraceAction::None;
    std::int64_t number_ = -1;
    std::uint64_t left_bytes_ = ProfilerOptions().max_bytes;
    std::vector<std::string> written_, notes_;
};

}  // namespace

void register_trace() {
    const auto make = []() -> Result<std::unique_ptr<Profiler>> {
        return std::unique_ptr<Profiler>(new TraceProfiler);
    };
    registry().add({"trace", "every zone of a few steps, as a file for trace viewers", make});
    registry().add({"pytorch", "the same as trace, by the name people know", make});
}

}  // namespace taffrail::profilers
