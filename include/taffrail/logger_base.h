// What a Trainer needs of a logger, without the trainer.
#pragma once

#include <taffrail/api.h>
#include <taffrail/record.h>
#include <taffrail/routine.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace taffrail {

class Run;

/// What a Trainer needs of a logger. Called by the training thread; must not fail and not wait.
class TAFFRAIL_API LoggerBase {
  public:
    virtual ~LoggerBase() = default;

    /// The sinks this logger stands for, as bits of the run the trainer was given; 0 for a logger
    /// outside of it. Rows for routed loggers are written once into the run; the others get
    /// log_metrics().
    [[nodiscard]] virtual RouteMask route() const noexcept { return kStoreOnly; }

    /// The run this logger writes to; the trainer records into it when TrainerOptions::run is not
    /// set. Null for a logger outside of a run.
    [[nodiscard]] virtual Run* run() const noexcept { return nullptr; }

    /// Whether a routine of this logger tracks `name`: then what log() is given under that name
    /// reaches log_iter() too.
    [[nodiscard]] virtual bool tracks(std::string_view name) const noexcept {
        static_cast<void>(name);
        return false;
    }

    virtual void log_metrics(std::span<const std::pair<std::string_view, double>> row,
                             Step step) noexcept {
        static_cast<void>(row);
        static_cast<void>(step);
    }

    /// A batch is done: what its step put into Module::output, and what it logged of the names
    /// this logger tracks.
    virtual void log_iter(const DataMap& data) noexcept { static_cast<void>(data); }

    /// A train epoch or an evaluation pass ended.
    virtual void log_epoch(std::int64_t epoch, Phase phase) noexcept {
        static_cast<void>(epoch);
        static_cast<void>(phase);
    }

    /// The stage ended badly or was stopped; may come more than once.
    virtual void end_log(RunState state) noexcept { static_cast<void>(state); }

    /// The same with the reason; this is the one a Trainer calls.
    virtual void end_log(RunState state, std::string_view why) noexcept {
        static_cast<void>(why);
        end_log(state);
    }

    /// Shown as v_num on the bar.
    [[nodiscard]] virtual std::string version() const { return ""; }
};

}  // namespace taffrail
