// Loggers: an ordered list of routines and one interface.
//
// A training step hands its data to log_iter(); each routine takes what it tracks and sends it to
// the run, on the route of this logger's sink. log_epoch() logs the statistics gathered since the
// last call and shows how the run stands.
#pragma once

#include <taffrail/api.h>
#include <taffrail/config.h>
#include <taffrail/logger_base.h>
#include <taffrail/profiler.h>
#include <taffrail/routine.h>
#include <taffrail/run.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

struct LoggerOptions {
    std::string name = "default";
    /// A registered sink, by short or class name; "" = the native store only.
    std::string interface = {};
    OptionMap interface_options = {};
    std::vector<std::string> routines = {"metric"};
    std::map<std::string, std::vector<std::string>> tracked_variables = {};  ///< by routine
    std::map<std::string, OptionMap> routine_options = {};                   ///< by routine
    /// What the sink gets of train iterations: 0, N, 2N, …; 0 = none. The run keeps every call.
    std::int64_t log_every_n_iter = 1;
    std::int64_t log_every_n_epochs = 1;  ///< log_epoch() acts on every M-th epoch
    double print_every_n_seconds = 0;     ///< a status line this often; 0 = none
    bool print_epochs = true;             ///< the status block of log_epoch()
    bool gpu_summarize = true;            ///< GPU memory and utilisation in that block
    std::string version = {};             ///< shown on progress bars as v_num
};

/// Routines × interface. Calls come from one thread; none of them throws or stops the training. A
/// routine that fails is reported once and the others still run.
class TAFFRAIL_API Logger : public LoggerBase {
  public:
    /// Makes the routines and adds the sink to the run. `run` must outlive the logger.
    static Result<std::unique_ptr<Logger>> make(Run& run, LoggerOptions options);
    ~Logger() override;

    /// Hands `data` to each routine in turn; the sink sees it when this iteration is due.
    void log_iter(const DataMap& data) noexcept override;
    /// The statistics of the epoch and phase that log_iter() saw last.
    void log_epoch() noexcept;
    void log_epoch(std::int64_t epoch, Phase phase) noexcept override;
    /// Hyperparameters for the routine `hparams`; nothing happens without it.
    void log_hparams(const Hparams& hparams) noexcept;
    /// Ends gracefully. A state that is worse than finished becomes the run's, with the reason, and
    /// reaches its sinks when the run is finished; otherwise a second call does nothing.
    void end_log(RunState state = RunState::Finished) noexcept override;
    void end_log(RunState state, std::string_view why) noexcept override;

    /// The bit of this logger's sink in the run; kStoreOnly without one.
    [[nodiscard]] RouteMask route() const noexcept override;
    [[nodiscard]] Run* run() const noexcept override;
    [[nodiscard]] bool tracks(std::string_view name) const noexcept override;
    [[nodiscard]] std::string version() const override;
    /// Iterations seen in a phase.
    [[nodiscard]] std::int64_t iterations(Phase phase) const noexcept;
    /// The first failure of a routine, if any.
    [[nodiscard]] Result<void> check() const;

  private:
    class Core;
    explicit Logger(std::unique_ptr<Core> core);
    std::unique_ptr<Core> core_;
};

/// The options of every logger in `logger:` of a composed configuration. The block must bear the
/// name of the chosen option of the group `logger`; unknown routines, names and tracked lists are
/// refused with their place.
TAFFRAIL_API Result<std::vector<LoggerOptions>> logger_options(const Composed& composed);

/// Makes them all. A sink that this build lacks is an Unsupported error.
TAFFRAIL_API Result<std::vector<std::shared_ptr<Logger>>> make_loggers(Run& run,
                                                                       const Composed& composed);

/// The options of the group `logger`: short names of the sinks in this build, then of trackers that
/// a build may lack (they are refused by name when made, not taken for a misspelling).
TAFFRAIL_API std::vector<std::string> interface_names();

/// What the block `profiler` says (dirpath, filename, extended, line_count_restriction, sort_by,
/// dump_stats); unknown names are refused.
TAFFRAIL_API Result<ProfilerOptions> profiler_options(const Composed& composed);

/// Options for compose() in a program with Loggers: every interface and profiler of this build is a
/// known option of the groups `logger` and `profiler`, so that `logger=csv` needs no file.
TAFFRAIL_API ComposeOptions with_known_parts(ComposeOptions options = {});

/// The configuration as hyperparameters, with everything that looks like a secret taken out.
TAFFRAIL_API Hparams recordable(const Config& config);

}  // namespace taffrail
