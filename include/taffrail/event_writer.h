// The writers of a `logging:` block: one stream of statistics, images and times for any number of
// sinks.
//
//   logging:
//     steps_per_log: 10
//     max_buffer_size: 20
//     writer:
//       TensorboardWriter: {log_dir: ./}
//       LocalWriter: {log_dir: ./, stats_to_track: [ITER_TRAIN_TIME], max_log_size: 10}
#pragma once

#include <taffrail/api.h>
#include <taffrail/config.h>
#include <taffrail/run.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail {

/// A `logging:` block, checked.
struct LoggingOptions {
    /// Sinks receive steps 0, N, 2N, …; the native store keeps every call.
    std::int64_t steps_per_log = 10;
    std::int64_t max_buffer_size = 20;  ///< values an average runs over
    std::string profiler = "none";      ///< `enable_profiler: true` = "basic"
    std::int64_t max_iterations = 0;    ///< for percentages and ETA; 0 = not known

    struct Writer {
        std::string name = {};
        OptionMap options = {};
    };

    std::vector<Writer> writers = {};
};

/// Reads the block. Unknown names, writers without `log_dir` and wrong types are refused with their
/// place.
TAFFRAIL_API Result<LoggingOptions> logging_options(const Config& logging);

/// Takes events of a training loop, from one thread. Names are keys of the run; statistics
/// (ITER_TRAIN_TIME, …) are logged under their labels.
class TAFFRAIL_API EventWriter {
  public:
    /// Adds the writers' sinks to the run. `run` must outlive it.
    static Result<EventWriter> make(Run& run, LoggingOptions options);
    EventWriter(EventWriter&&) noexcept;
    EventWriter& operator=(EventWriter&&) noexcept;
    ~EventWriter();

    void put_scalar(std::string_view name, double value, Step step) noexcept;
    /// Keys become `name/key`; one row.
    void put_dict(std::string_view name, const std::map<std::string, double>& values,
                  Step step) noexcept;
    void put_image(std::string_view name, const ImageView& image, Step step) noexcept;
    /// Hyperparameters or a configuration, once.
    void put_config(const Hparams& config) noexcept;
    /// A duration in seconds. Averaged: the mean of the last max_buffer_size ones. ITER_TRAIN_TIME
    /// also gives ETA and TOTAL_TRAIN_TIME.
    void put_time(std::string_view stat, double seconds, Step step, bool average = true) noexcept;
    /// Items per second, averaged as rates: TRAIN_RAYS_PER_SEC and the like.
    void put_rate(std::string_view stat, double per_second, Step step,
                  bool average = true) noexcept;

    /// True on steps that reach the sinks.
    [[nodiscard]] bool due(Step step) const noexcept;
    [[nodiscard]] std::int64_t steps_per_log() const noexcept;
    [[nodiscard]] RouteMask route() const noexcept;

  private:
    class Core;
    explicit EventWriter(std::unique_ptr<Core> core);
    std::unique_ptr<Core> core_;
};

/// Mean of the last `size` values given.
class TAFFRAIL_API WindowMean {
  public:
    explicit WindowMean(std::size_t size) : size_(size == 0 ? 1 : size) {}

    double add(double value);

  private:
    std::size_t size_;
    std::size_t next_ = 0;
    std::vector<double> values_;
};

}  // namespace taffrail
