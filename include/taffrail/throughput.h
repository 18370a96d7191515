// Throughput: batches, samples, items and floating point operations per second over a sliding
// window.
#pragma once

#include <taffrail/api.h>
#include <taffrail/result.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taffrail {

struct ThroughputOptions {
    std::size_t window = 100;  ///< updates the rates look back over
    std::optional<double> peak_flops =
        {};              ///< of the device, per second: gives the utilisation (MFU)
    int world_size = 1;  ///< more than 1: global rates, all ranks taken as equal
    std::string separator = "/";
};

/// One observation; everything counts from the start of training and must not fall. Time must rise.
struct ThroughputSample {
    double seconds = 0;
    std::int64_t batches = 0;
    std::int64_t samples = 0;
    std::optional<std::int64_t> items = {};  ///< tokens, rays, …: total, not per batch
    std::optional<double> flops = {};        ///< of this update alone
};

class TAFFRAIL_API Throughput {
  public:
    explicit Throughput(ThroughputOptions options = {}) : options_(std::move(options)) {}

    Result<void> update(const ThroughputSample& sample);
    /// "time", "batches", "samples" at once; the rates "device/batches_per_sec" and so on, and
    /// those of all ranks without the prefix, when the window is full.
    [[nodiscard]] std::vector<std::pair<std::string, double>> compute() const;
    void reset();

  private:
    ThroughputOptions options_;
    std::deque<ThroughputSample> window_;
};

}  // namespace taffrail
