// Metrics of pictures against pictures: peak signal-to-noise ratio and structural similarity.
#pragma once

#include <taffrail/api.h>
#include <taffrail/metric.h>
#include <taffrail/value.h>

#include <cstdint>
#include <optional>

namespace taffrail {

/// 10·log10(range² / mean squared error) over everything since the last reset. Infinite for equal
/// pictures.
class TAFFRAIL_API PeakSignalNoiseRatio final : public Metric {
  public:
    /// `data_range` is the distance between black and white; nothing = what the targets span.
    explicit PeakSignalNoiseRatio(std::optional<double> data_range = {},
                                  MetricSettings settings = {});

    /// Tensors of the same shape, whatever it is.
    Result<void> update(const TensorView& predicted, const TensorView& target);
    Result<MetricValue> forward(const TensorView& predicted, const TensorView& target);

  private:
    Result<void> add(const TensorView& predicted, const TensorView& target);
    [[nodiscard]] MetricValue compute_state() const override;

    std::optional<double> data_range_;
    StateId squares_, count_, smallest_, largest_;
};

struct SsimOptions {
    double data_range = 1.0;
    double sigma = 1.5;  ///< of the Gaussian window, which reaches 3.5 sigma to each side
    double k1 = 0.01;
    double k2 = 0.03;
};

/// Mean structural similarity over pictures; channels count alike. Every picture must be larger
/// than the window.
class TAFFRAIL_API StructuralSimilarity final : public Metric {
  public:
    explicit StructuralSimilarity(SsimOptions options = {}, MetricSettings settings = {});

    /// N×C×H×W.
    Result<void> update(const TensorView& predicted, const TensorView& target);
    Result<MetricValue> forward(const TensorView& predicted, const TensorView& target);

  private:
    Result<void> add(const TensorView& predicted, const TensorView& target);
    [[nodiscard]] MetricValue compute_state() const override;

    SsimOptions options_;
    StateId total_, count_;
};

}  // namespace taffrail
