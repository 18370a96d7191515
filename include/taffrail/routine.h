// Routines: what a Logger does with a batch's data. One class and a key in the registry.
#pragma once

#include <taffrail/api.h>
#include <taffrail/key.h>
#include <taffrail/options.h>
#include <taffrail/record.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace taffrail {

class Run;

/// One thing a training step hands out. What a view points at is copied when the Datum is made, so
/// that a local of the step may be gone when the loggers read it.
class TAFFRAIL_API Datum : public std::variant<double, TensorView, ImageView, AudioView, VideoView,
                                               MeshView, std::string, Table, Graph, Histogram,
                                               Hparams, std::map<std::string, double>> {
  public:
    using Variant = variant;

    Datum() = default;

    template <typename T>
        requires(!std::same_as<std::remove_cvref_t<T>, Datum> &&
                 std::constructible_from<Variant, T>)
    Datum(T&& value)  // NOLINT: implicit on purpose
        : Variant(std::forward<T>(value)) {
        copy_what_is_viewed();
    }

    /// Without the copy: for a loop of its own, where the data outlives Logger::log_iter().
    static Datum borrowed(Variant value) {
        Datum datum;
        static_cast<Variant&>(datum) = std::move(value);
        return datum;
    }

  private:
    void copy_what_is_viewed();

    std::shared_ptr<const void> owner_;  ///< what the view points at
};

/// What a training step hands to Logger::log_iter, by name; nested maps are expanded.
struct DataMap {
    std::map<std::string, Datum> values = {};
    Phase phase = Phase::Train;
    std::int64_t epoch = 0;
    std::int64_t max_epochs = 0;
    std::int64_t batch_size = 0;
    std::int64_t batch_current = 0;  ///< from 1
    std::int64_t batch_total = 0;
    std::int64_t total_iters = 0;  ///< iterations of this phase so far
};

/// Where a routine sends what it makes: the run, with the route of its Logger.
class TAFFRAIL_API RoutineContext {
  public:
    virtual ~RoutineContext() = default;
    virtual Run& run() noexcept = 0;
    virtual Routing routing() const noexcept = 0;

    /// Logs on the route of the Logger. What another Logger of the run logged already, the same at
    /// the same key and step, goes to this one's interface and is not kept a second time.
    virtual void log(std::span<const std::pair<std::string_view, double>> row, Step step) = 0;
    virtual void log_value(std::string_view key, Value value, Step step) = 0;

    /// The keys this routine was asked to track.
    virtual const std::vector<std::string>& tracked() const noexcept = 0;
};

/// One kind of logging. Called by one thread.
class TAFFRAIL_API Routine {
  public:
    virtual ~Routine() = default;
    /// Takes what it tracks from `data`. A failure is reported; the other routines still run.
    virtual Result<void> log_iter(const DataMap& data, RoutineContext& context) = 0;
    /// Logs the statistics gathered since the last call and forgets them.
    virtual Result<void> log_epoch(std::int64_t epoch, Phase phase, RoutineContext& context) = 0;
    virtual Result<void> end_log(RoutineContext& context) = 0;

    /// True for a routine that logs something when it changes and not per iteration: what it logs
    /// reaches the interface whether or not the iteration that brought it is due.
    [[nodiscard]] virtual bool logs_changes() const noexcept { return false; }
};

/// Makes a routine from its options.
using RoutineFactory = std::function<Result<std::unique_ptr<Routine>>(const OptionMap& options)>;

struct RoutineInfo {
    std::string key = {};         ///< "metric"
    std::string class_name = {};  ///< "MetricLogger"
    std::string summary = {};
    RoutineFactory make = {};
    std::vector<OptionInfo> options = {};  ///< what `make` takes
};

/// Adds a routine; a second one of the same key replaces the first. Thread-safe.
TAFFRAIL_API void register_routine(RoutineInfo info);
/// All of them, built-in ones first.
TAFFRAIL_API std::vector<RoutineInfo> registered_routines();
/// Unknown keys fail with the known ones listed.
TAFFRAIL_API Result<std::unique_ptr<Routine>> make_routine(std::string_view key,
                                                           const OptionMap& options = {});

/// "train", "val", "test", …: the phase as it stands in keys.
TAFFRAIL_API std::string_view phase_key(Phase phase) noexcept;

}  // namespace taffrail
