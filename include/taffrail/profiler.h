// Profilers by name: what a Trainer tells of itself while it works, and the report at the end.
//
//   none      measures nothing
//   basic     the mean time of each tagged function (zones of the program, <taffrail/zone.h>)
//   simple    how often and how long each action of the training loop ran, and the same as a tree
//   advanced  for each action, what ran inside it: one table each, and files for snakeviz
//   trace     every zone of a few steps one by one, as files that trace viewers and TensorBoard
//   open;
//             `pytorch` is the same by the name that people know
#pragma once

#include <taffrail/api.h>
#include <taffrail/record.h>
#include <taffrail/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// What a tracer does in one step.
enum class TraceAction : std::uint8_t {
    None,
    WarmUp,         ///< gets ready, keeps nothing
    Record,         ///< keeps everything
    RecordAndSave,  ///< the same, and the trace is written when the step is over
};

/// Which steps are traced. Steps before `skip_first` are not; then cycles of `wait` steps without,
/// `warmup` steps to get ready and `active` steps with recording follow each other, `repeat` times
/// or for ever when it is 0.
struct ScheduleOptions {
    std::int64_t skip_first = 0, wait = 1, warmup = 1, active = 3, repeat = 0;
};

using Schedule = std::function<TraceAction(std::int64_t step)>;

/// The action of every step, counted from 0. An error when a number is negative or `active` is 0.
TAFFRAIL_API Result<Schedule> schedule(const ScheduleOptions& options);

struct ProfilerOptions {
    /// Where files go; the folder given to setup() when empty: `profiles/` of the run.
    std::string dirpath = {};
    /// In the names of the files: <stage>-<filename>[-<rank>][-<action>].txt and .prof.
    std::string filename = "profiler";
    /// simple: false leaves out calls, total and share.
    bool extended = true;
    /// advanced: rows of a table, or a share of them when at most 1.
    double line_count_restriction = 20;
    /// advanced: "cumulative", "tottime", "ncalls" or "name".
    std::string sort_by = "cumulative";
    /// advanced: a .prof file for each action.
    bool dump_stats = true;
    /// trace: by default one window of three steps, the third to the fifth.
    ScheduleOptions schedule = {.repeat = 1};
    /// trace: of all windows together, as kept in the run; the last one ends there.
    std::uint64_t max_bytes = std::uint64_t{1} << 30;
    /// trace: the shapes that zones tell of (TAFFRAIL_ZONE_SHAPE), the memory that is reported
    /// (<taffrail/trace_notes.h>), and for each zone where it stands in the source and what called
    /// it.
    bool record_shapes = false, profile_memory = false, with_stack = false;
    /// trace: the files are <worker>.<nanoseconds>.pt.trace.json; <host>_<process> when empty.
    std::string worker = {};
    /// trace: packed, and named .gz.
    bool use_gzip = true;
};

/// Measures named actions. Every function is safe from any thread.
class TAFFRAIL_API Profiler {
  public:
    virtual ~Profiler() = default;

    /// Once, before the rest.
    virtual Result<void> configure(const ProfilerOptions& options);

    /// A stage begins. `rank` only where there are several; files go to `folder`, none when empty.
    virtual Result<void> setup(std::string_view stage, std::optional<int> rank,
                               const std::string& folder);

    /// Whether start() and stop() do anything: otherwise nobody has to call them.
    [[nodiscard]] virtual bool measures_actions() const noexcept { return true; }

    /// An action begins. Starting one that runs already on this thread is an error; other threads
    /// may run the same one.
    virtual Result<void> start(std::string_view action) = 0;
    /// It ends, on the thread that started it. Stopping an action that does not run is an error.
    virtual Result<void> stop(std::string_view action) = 0;
    /// A training step begins; in stages without one, a batch.
    virtual void step(Step step) noexcept;
    /// The report as text; empty when there is nothing to say.
    [[nodiscard]] virtual std::string summary() const = 0;
    /// The stage is over, however it ended: the report goes to its files.
    virtual Result<void> teardown();
};

/// One action from here to the end of the block, also when an exception ends it.
class TAFFRAIL_API ProfiledAction {
  public:
    ProfiledAction(Profiler* profiler, std::string_view action);
    ProfiledAction(const ProfiledAction&) = delete;
    ProfiledAction& operator=(const ProfiledAction&) = delete;
    ~ProfiledAction();

  private:
    Profiler* profiler_;
    std::string action_ = {};
};

struct ProfilerInfo {
    std::string name = {};
    std::string summary = {};
    std::function<Result<std::unique_ptr<Profiler>>()> make = {};
};

TAFFRAIL_API void register_profiler(ProfilerInfo info);
TAFFRAIL_API std::vector<ProfilerInfo> registered_profilers();
/// By name, in any case. Unknown names fail with the known ones listed.
TAFFRAIL_API Result<std::unique_ptr<Profiler>> make_profiler(std::string_view name,
                                                             const ProfilerOptions& options = {});

}  // namespace taffrail
