// Metrics of numbers against numbers: mean squared error, coefficient of determination, perplexity.
#pragma once

#include <taffrail/api.h>
#include <taffrail/metric.h>

#include <cstdint>
#include <optional>
#include <span>

namespace taffrail {

/// Mean of squared differences; with `root` its square root.
class TAFFRAIL_API MeanSquaredError final : public Metric {
  public:
    explicit MeanSquaredError(bool root = false, MetricSettings settings = {});

    Result<void> update(std::span<const double> predicted, std::span<const double> target);
    Result<MetricValue> forward(std::span<const double> predicted, std::span<const double> target);

  private:
    Result<void> add(std::span<const double> predicted, std::span<const double> target);
    [[nodiscard]] MetricValue compute_state() const override;

    bool root_;
    StateId squares_, count_;
};

/// 1 - residual / total variance; NaN with fewer than two samples. The moments of ranks and batches
/// are merged about their own means, so large offsets cost no precision.
class TAFFRAIL_API R2Score final : public Metric {
  public:
    explicit R2Score(MetricSettings settings = {});

    Result<void> update(std::span<const double> predicted, std::span<const double> target);
    Result<MetricValue> forward(std::span<const double> predicted, std::span<const double> target);

  private:
    Result<void> add(std::span<const double> predicted, std::span<const double> target);
    [[nodiscard]] MetricValue compute_state() const override;

    StateId residual_, moments_;
};

/// exp of the mean negative log likelihood of the target tokens.
class TAFFRAIL_API Perplexity final : public Metric {
  public:
    explicit Perplexity(std::int64_t vocabulary, std::optional<std::int64_t> ignore_index = {},
                        MetricSettings settings = {});

    /// Unnormalised scores, `vocabulary` per target, row after row.
    Result<void> update(std::span<const double> logits, std::span<const std::int64_t> target);
    Result<MetricValue> forward(std::span<const double> logits,
                                std::span<const std::int64_t> target);

  private:
    Result<void> add(std::span<const double> logits, std::span<const std::int64_t> target);
    [[nodiscard]] MetricValue compute_state() const override;

    std::int64_t vocabulary_;
    std::optional<std::int64_t> ignore_index_;
    StateId total_, count_;
};

}  // namespace taffrail
