// The plain aggregators: mean, sum, minimum and maximum of everything they are fed, over batches
// and ranks.
#pragma once

#include <taffrail/api.h>
#include <taffrail/metric.h>
#include <taffrail/value.h>

#include <optional>

namespace taffrail {

/// What an aggregator does with a NaN it is fed.
struct NanPolicy {
    enum class Action : std::uint8_t {
        Error,    ///< refuse the whole update
        Warn,     ///< drop it and say so once
        Ignore,   ///< drop it
        Keep,     ///< let it through: the result becomes NaN
        Replace,  ///< use `replacement` instead; the caller's data is not touched
    };
    Action action = Action::Warn;
    double replacement = 0;

    NanPolicy() = default;

    NanPolicy(Action chosen) : action(chosen) {}  // NOLINT: implicit on purpose

    NanPolicy(double value) : action(Action::Replace), replacement(value) {}  // NOLINT
};

/// Common part of the aggregators. Values may be one number or a tensor of any shape.
class TAFFRAIL_API Aggregator : public Metric {
  public:
    Result<void> update(double value) { return update(TensorView(&value, DType::F64, {})); }

    Result<void> update(const TensorView& values);

    Result<MetricValue> forward(double value) {
        return forward(TensorView(&value, DType::F64, {}));
    }

    Result<MetricValue> forward(const TensorView& values);

  protected:
    Aggregator(NanPolicy policy, MetricSettings settings) : Metric(settings), policy_(policy) {}

    /// The values and weights with the policy applied. `weights` is broadcast to the shape of
    /// `values`.
    struct Input {
        std::vector<double> values;
        std::vector<double> weights;
    };

    [[nodiscard]] Result<Input> read(const TensorView& values, const TensorView* weights) const;
    virtual void add(const Input& input) = 0;

  private:
    NanPolicy policy_;
};

/// Σ(value · weight) / Σ weight; NaN when the weights add up to 0.
class TAFFRAIL_API MeanMetric final : public Aggregator {
  public:
    explicit MeanMetric(NanPolicy policy = {}, MetricSettings settings = {});

    using Aggregator::forward;
    using Aggregator::update;
    Result<void> update(double value, double weight);
    /// `weights` must broadcast to the shape of `values` (2×1×1 for 2×3×4, not 2).
    Result<void> update(const TensorView& values, const TensorView& weights);
    Result<MetricValue> forward(double value, double weight);
    Result<MetricValue> forward(const TensorView& values, const TensorView& weights);

  private:
    void add(const Input& input) override;
    [[nodiscard]] MetricValue compute_state() const override;

    StateId total_, weight_;
};

class TAFFRAIL_API SumMetric final : public Aggregator {
  public:
    explicit SumMetric(NanPolicy policy = {}, MetricSettings settings = {});

  private:
    void add(const Input& input) override;

    [[nodiscard]] MetricValue compute_state() const override { return state(total_)[0]; }

    StateId total_;
};

/// -infinity before the first value.
class TAFFRAIL_API MaxMetric final : public Aggregator {
  public:
    explicit MaxMetric(NanPolicy policy = {}, MetricSettings settings = {});

  private:
    void add(const Input& input) override;

    [[nodiscard]] MetricValue compute_state() const override { return state(largest_)[0]; }

    StateId largest_;
};

/// +infinity before the first value.
class TAFFRAIL_API MinMetric final : public Aggregator {
  public:
    explicit MinMetric(NanPolicy policy = {}, MetricSettings settings = {});

  private:
    void add(const Input& input) override;

    [[nodiscard]] MetricValue compute_state() const override { return state(smallest_)[0]; }

    StateId smallest_;
};

}  // namespace taffrail
