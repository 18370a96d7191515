// The state machine behind log(): which values are kept, reduced, shown and written, and when.
//
// The trainer tells it where the loop stands (hook, batch, epoch end, …); log() calls come in
// between; rows leave through RowOutput. It knows no run, no sink and no model, so every rule of it
// can be tested alone.
//
// One thread. log() never throws and allocates only when a name is new. The first mistake of the
// program stops everything that follows: the trainer asks failed() after each hook.
#pragma once

#include <taffrail/batch.h>
#include <taffrail/communicator.h>
#include <taffrail/log_options.h>
#include <taffrail/metric_map.h>

#include "metrics/hooks.h"
#include "metrics/row_output.h"
#include "metrics/slots.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::metrics {

/// Loops with slots of their own. None: predict and everything outside.
enum class Loop : std::uint8_t { Train, FitValidation, Validate, Test, None };

enum class View : std::uint8_t { Callback = 1, Logged = 2, Bar = 4, All = 7 };

struct LogSettings {
    LogPrecision precision = LogPrecision::Double;
    bool has_sink = true;
    bool bare = false;  ///< log() does nothing but warn once
    RowOutput* output = nullptr;
    Communicator* communicator = nullptr;  ///< null = one rank
    /// Whether a Metric object is registered with the module; empty = all are.
    std::function<bool(const Metric&)> is_registered;
    /// Names of the registered metrics, for the message about one that is not.
    std::function<std::vector<std::string>()> registered_names;
};

using Row = std::vector<std::pair<std::string, double>>;

/// When a value of the callback view came to be; later is larger. Zero: it was not logged here.
struct Freshness {
    std::uint64_t stamp = 0;
    Loop loop = Loop::None;  ///< which one logged it
};

/// One slot of the train loop as a checkpoint keeps it.
struct SavedSlot {
    std::string hook = {};
    std::string name = {};
    SlotOptions options = {};
    std::string group = {};
    std::string metric = {};  ///< name of the registered Metric, "" for plain values
    SlotValues values = {};
};

/// What a train epoch has accumulated so far, and the three views.
struct SavedLog {
    std::vector<SavedSlot> slots = {};
    Row callback = {}, logged = {}, bar = {};
};

class LogState {
  public:
    explicit LogState(LogSettings settings) : settings_(std::move(settings)) {}

    // The call itself

    void log(std::string_view name, const LogValue& value, const LogOptions& options,
             const std::source_location& site) noexcept;

    // Where the loop stands

    /// A stage (fit, validate, …) begins: all views and all slots of its loop are emptied.
    void begin_stage(Loop loop);

    void select(Loop loop) noexcept { loop_ = loop; }

    [[nodiscard]] Loop loop() const noexcept { return loop_; }

    /// Enters a hook and returns the one before, to be given to leave().
    Hook enter(Hook hook) noexcept { return std::exchange(hook_, hook); }

    void leave(Hook before) noexcept { hook_ = before; }

    /// For hooks of the caller's own: logging there is refused by that name.
    Hook enter_unknown(std::string_view name);

    void begin_batch(const Batch& batch, int loader, bool iterator_style = false) noexcept;

    [[nodiscard]] bool in_batch() const noexcept { return batch_ != nullptr; }

    /// Brings the views up to date and lets go of the batch.
    void end_batch();

    /// No more batches of this loader or epoch: values are read at epoch level from here on.
    void end_batches() noexcept { first_iteration_ = FirstIteration::NotStarted; }

    /// Values of epoch-level hooks belong to no loader.
    void leave_loader() noexcept { slots().current_loader = kNoLoader; }

    /// After the epoch-end hooks.
    void end_epoch();
    /// Forgets what the slots of the loop accumulated.
    void reset_slots() noexcept;
    void clear_views() noexcept;

    /// A validation inside fit begins and ends; the train loop continues where it was.
    struct Saved {
        Loop loop;
        std::uint8_t first_iteration;
    };

    Saved suspend(Loop inner) noexcept;
    void resume(const Saved& saved) noexcept;

    // Checkpoints (log_saved.cpp); Metric objects go by the names they are registered under

    using NameOf = std::function<std::string(const Metric&)>;
    using FindMetric = std::function<Metric*(std::string_view)>;

    /// What follows may have to be taken back: a train step begins.
    void begin_step() noexcept { ++steps_begun_; }

    /// The train epoch so far; `without_step`: as it was when the last step began.
    [[nodiscard]] SavedLog save(bool without_step, const NameOf& name_of) const;
    void restore(const SavedLog& saved, const FindMetric& find);

    /// The next batch is not the first of its epoch: a checkpoint brought the others.
    void continue_epoch() noexcept { first_iteration_ = FirstIteration::Yes; }

    // What the counters say, for rows and calls

    Step step = 0;           ///< optimiser steps done
    std::int64_t epoch = 0;  ///< finished epochs
    Step call_step = 0;      ///< x of single calls
    bool sanity = false;

    // Rows

    /// The step row of a train batch.
    void write_train_step();
    void write_evaluation_step(Step position);
    /// The values of the loader that ended; also brings the views up to date.
    Row finish_loader();
    /// The one epoch row of an evaluation from its loaders' values; `rows` become the results of
    /// validate and test.
    void write_evaluation_epoch(std::vector<Row>& rows);
    /// The epoch row of training, at the last step; then the slots are reset.
    void write_train_epoch();

    // Views. Reading one inside a hook brings it up to date.

    const MetricMap& callback_metrics();
    const MetricMap& logged_metrics();
    const MetricMap& progress_bar_metrics();

    /// Of a name in the callback view, as it was last brought up to date.
    [[nodiscard]] Freshness freshness(std::string_view name);

    /// The views as the last batch left them; costs nothing.
    [[nodiscard]] const MetricMap& stored_bar_metrics() const noexcept { return bar_; }

    // Mistakes

    [[nodiscard]] bool failed() const noexcept { return misuse_.has_value() || error_.has_value(); }

    [[nodiscard]] const std::optional<Misuse>& misuse() const noexcept { return misuse_; }

    [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

    void fail(Misuse misuse) noexcept;
    void fail(Error error) noexcept;

    /// A new stage begins: what stopped the one before is over.
    void forgive() noexcept {
        misuse_.reset();
        error_.reset();
    }

    /// "W3", … in the order they were first given.
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

    void warn(std::string_view code, std::string_view about, const std::string& message);

    LogSettings& settings() noexcept { return settings_; }

    [[nodiscard]] bool distributed() const noexcept {
        return settings_.communicator != nullptr && settings_.communicator->world_size() > 1;
    }

  private:
    enum class FirstIteration : std::uint8_t { NotStarted, Yes, No };

    [[nodiscard]] Slots& slots() noexcept { return loops_[static_cast<std::size_t>(loop_)]; }

    [[nodiscard]] Level level() const noexcept {
        return first_iteration_ == FirstIteration::NotStarted ? Level::Epoch : Level::Step;
    }

    [[nodiscard]] bool single() const noexcept {
        return settings_.precision == LogPrecision::Single;
    }

    struct Call {
        std::string_view name;
        const LogValue& value;
        const LogOptions& options;
        const std::source_location& site;
    };

    void log_checked(const Call& call);
    bool check_levels(const Call& call, SlotOptions& wanted);
    bool check_value(const Call& call, const SlotOptions& wanted);
    bool check_options(const Call& call, const SlotOptions& wanted);
    Slot* make_slot(const Call& call, const SlotOptions& wanted);
    Slot* add_slot(Slot made);
    bool same_slot(const Call& call, const SlotOptions& wanted, const Slot& slot);
    std::optional<std::int64_t> weight_of(const Call& call, const Slot& slot);
    void update(Slot& slot, const Call& call, std::int64_t weight);

    void collect(Level wanted, View views);
    std::optional<double> value_at(Slot& slot, Level wanted);
    void compute_synced();
    std::optional<Error> sync(std::span<Slot* const> slots, Level wanted);
    void write_row(std::optional<Step> position, Level at);

    LogSettings settings_;
    Slots loops_[5];
    Loop loop_ = Loop::None;
    Hook hook_ = Hook::None;
    Hook last_logged_ = Hook::None;
    FirstIteration first_iteration_ = FirstIteration::NotStarted;
    std::string unknown_hook_;
    const Batch* batch_ = nullptr;
    bool iterator_style_ = false;
    MetricMap callback_, logged_, bar_;
    std::vector<Freshness> fresh_;  // by place in callback_
    std::uint64_t calls_ = 0;
    std::uint64_t steps_begun_ = 0;
    // The logged values of the last collect(), each name once; `row_stamp_` finds a name's place in
    // it.
    std::vector<std::uint32_t> row_places_;
    std::vector<RowEntry> row_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> row_stamp_;
    std::uint64_t row_number_ = 0;
    std::vector<std::string> warnings_;
    std::set<std::string, std::less<>> warned_;
    std::optional<Misuse> misuse_;
    std::optional<Error> error_;
};

}  // namespace taffrail::metrics
