// Sinks: where records go besides the native store. A sink is one class and a name in the registry.
//
// A sink never runs on the training thread nor on the collector. Its runner (one thread) reads the
// run's own log from a durable cursor and hands over batches; a batch that fails is kept and handed
// over again, so a sink may sleep, fail and recover without losing or doubling anything.
#pragma once

#include <taffrail/api.h>
#include <taffrail/options.h>
#include <taffrail/record.h>
#include <taffrail/result.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail {

/// What a sink is told about the run when it opens: everything that is known at that moment.
///
/// What the program says later comes as records, in order with the data: Hparams, Tag, Note,
/// MetricDefinition and Summary. A back end that has a place for them accepts() those kinds; the
/// values of one kind only ever add to or replace what was said before. Of what the context tells
/// already the newest may come again as a record. A sink that catches up (after an outage, by
/// `taffrail sync`, in a resumed run) opens with what is known then, and receives the records it
/// lacks. What people change from outside while the run goes on (`taffrail tag`, the dashboard) is
/// known to a sink when it opens the next time.
struct SinkContext {
    std::string run_id = {};
    std::string run_name = {};
    std::string project = {};
    std::string group = {};
    std::string job_type = {};
    std::vector<std::string> tags = {};
    std::string notes = {};
    Hparams config = {};                         ///< hyperparameters, later ones merged in
    Hparams summary = {};                        ///< explicit values, see Run::summary
    std::vector<MetricDefinition> metrics = {};  ///< see Run::define_metric; oldest first
    std::string run_folder = {};                 ///< folder of the native run
    std::int64_t start_time_ns = 0;              ///< of the run's first attempt
    std::uint32_t attempt = 0;                   ///< 0 for a new run, else it was resumed
    std::optional<Step> resume_step = {};        ///< first step of this attempt, where known
    std::int32_t rank = 0;                       ///< whose records come; see wants_all_ranks()
    std::int32_t world_size = 1;
};

/// One back end. Methods are called by one thread, in this order: open, (write | flush)*, close. A
/// failed write may be called again with the same records; a sink that cannot undo a half-written
/// batch says so by `delivered`.
class TAFFRAIL_API Sink {
  public:
    virtual ~Sink() = default;

    /// Called before the first write of a process, also when a later process resumes the run.
    virtual Result<void> open(const SinkContext& context) = 0;

    /// Takes the records in order. On failure set `delivered` to the number of records that did
    /// arrive, so that only the others are handed over again.
    virtual Result<void> write(std::span<const Record> records, std::size_t& delivered) = 0;

    /// Makes everything written so far visible to readers of the back end.
    virtual Result<void> flush() = 0;

    /// Why the run ends as it does (the text of an exception, the signal); comes before close(),
    /// and only where there is something to say. For back ends that have a place for it.
    virtual void give_reason(std::string_view reason) { static_cast<void>(reason); }

    /// The run ends with this state; called once, bounded by RunOptions::finish_timeout.
    virtual Result<void> close(RunState state) = 0;

    /// The run ends: calls that wait for something outside (a server) give up by then, and what did
    /// not arrive is kept. The only method that other threads call, at any time before and during
    /// the others.
    virtual void finish_by(std::chrono::steady_clock::time_point deadline) noexcept {
        static_cast<void>(deadline);
    }

    /// False for kinds the back end has no place for: those are skipped, data with one warning.
    [[nodiscard]] virtual bool accepts(Kind kind) const noexcept = 0;

    /// How long the runner may hold records back before it calls flush().
    [[nodiscard]] virtual std::chrono::milliseconds flush_interval() const noexcept {
        return std::chrono::seconds(2);
    }

    /// After this many records without a flush the runner calls flush(); 0 = by time only.
    [[nodiscard]] virtual std::size_t flush_records() const noexcept { return 0; }

    /// True: the sink of rank 0 is handed the records of all ranks of the run, those of the others
    /// read from their logs in the run folder (Record::rank says whose they are); sinks of other
    /// ranks are made and never opened. False: each rank has a sink of its own.
    [[nodiscard]] virtual bool wants_all_ranks() const noexcept { return false; }

    /// Called about every flush_interval() while the run goes on, also when no record comes: for
    /// back ends that want signs of life. Not called while the sink fails.
    virtual void tick() {}
};

/// Makes a sink from its options; refuses unknown options by name with a suggestion.
using SinkFactory = std::function<Result<std::unique_ptr<Sink>>(const OptionMap& options)>;

/// A registered sink: `name` is the short key ("tensorboard"), `class_name` the one used in
/// configurations
/// ("TensorboardWriter"); both find it.
struct SinkInfo {
    std::string name = {};
    std::string class_name = {};
    std::string summary = {};
    SinkFactory make = {};
    /// What `make` takes. With it mistakes are told with their place, and secrets stay out of
    /// files; without it `make` alone knows.
    std::vector<OptionInfo> options = {};
};

/// Adds a sink to the registry; a second one of the same name replaces the first. Thread-safe.
TAFFRAIL_API void register_sink(SinkInfo info);
/// All registered sinks, built-in ones first.
TAFFRAIL_API std::vector<SinkInfo> registered_sinks();
/// Makes the sink called `name` (short or class name). Unknown names fail with the known ones
/// listed.
TAFFRAIL_API Result<std::unique_ptr<Sink>> make_sink(std::string_view name,
                                                     const OptionMap& options);

}  // namespace taffrail
