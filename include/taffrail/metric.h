// Metrics that aggregate correctly over batches and ranks: named states with a reduction each, an
// update that changes them and a computation that reads them.
//
//   class Accuracy : public taffrail::Metric {
//     public:
//       taffrail::Result<void> update(std::span<const int> said, std::span<const int> right) {
//           return apply_update([&] {
//               state(correct_)[0] += …;
//               state(total_)[0] += …;
//               return taffrail::Result<void>();
//           });
//       }
//     private:
//       taffrail::MetricValue compute_state() const override {
//           return state(correct_)[0] / state(total_)[0];
//       }
//       StateId correct_ = add_state("correct", {0}, taffrail::StateReduce::Sum);
//       StateId total_ = add_state("total", {0}, taffrail::StateReduce::Sum);
//   };
//
// Not thread-safe: a metric belongs to the loop that feeds it. Failures are values (Result), never
// exceptions.
#pragma once

#include <taffrail/api.h>
#include <taffrail/communicator.h>
#include <taffrail/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail {

/// How the states of several ranks, or of a batch and everything before it, become one.
enum class StateReduce : std::uint8_t {
    Sum,
    Mean,
    Min,
    Max,
    Cat,     ///< one after the other, in rank order; lengths may differ
    None,    ///< kept side by side; compute_state() sees the ranks' values one after the other
    Custom,  ///< by the function given to add_state()
};

/// What a metric computes: one number, or several with their extents (a confusion matrix, a value
/// per class).
struct TAFFRAIL_API MetricValue {
    std::vector<double> values = {};
    std::vector<std::int64_t> shape = {};  ///< empty for one number

    MetricValue(double number) : values{number} {}  // NOLINT: implicit on purpose

    MetricValue(std::vector<double> numbers, std::vector<std::int64_t> extents)
        : values(std::move(numbers)), shape(std::move(extents)) {}

    [[nodiscard]] bool is_number() const noexcept { return values.size() == 1; }

    /// The one number; NaN when there are several.
    [[nodiscard]] double number() const noexcept;
};

struct MetricSettings {
    /// forward() gives the batch value over all ranks, not this rank's.
    bool dist_sync_on_step = false;
    bool sync_on_compute = true;  ///< compute() gives the value over all ranks
    /// forward() updates twice instead of merging: for metrics whose update reads the state it
    /// changes.
    bool full_state_update = false;
};

/// Base of every metric.
class TAFFRAIL_API Metric {
  public:
    using Values = std::vector<double>;
    /// Receives the values of each side (rank, or "so far" and "this batch") and gives the combined
    /// ones.
    using CustomReduce = std::function<Values(const std::vector<Values>& parts)>;

    virtual ~Metric() = default;

    /// The value of everything since the last reset, over all ranks when a communicator is set.
    /// Cached until the next update. Before any update it warns and computes from the initial
    /// states.
    Result<MetricValue> compute();
    /// Back to the initial states.
    void reset();

    /// Replaces the states by those of all ranks; unsync() brings the local ones back.
    Result<void> sync();
    Result<void> unsync();
    /// Adds the states of another metric of the same class. Not for metrics with full_state_update.
    Result<void> merge_state(const Metric& other);

    /// Ranks to sync with; null = none. The Trainer sets it for metrics registered with the module.
    void set_communicator(std::shared_ptr<Communicator> communicator);

    [[nodiscard]] bool update_called() const noexcept { return update_count_ > 0; }

    [[nodiscard]] std::int64_t update_count() const noexcept { return update_count_; }

    [[nodiscard]] bool synced() const noexcept { return synced_; }

    /// What the last forward() gave; nothing after reset() or when only update() was called.
    [[nodiscard]] const std::optional<MetricValue>& batch_value() const noexcept {
        return batch_value_;
    }

    /// Values of a state by name, for tests and checkpoints; null when there is none of that name.
    [[nodiscard]] const Values* find_state(std::string_view name) const noexcept;
    /// All states as text-free numbers in declaration order, and back with the number of updates
    /// they stand for: what a checkpoint keeps.
    [[nodiscard]] std::vector<Values> save_states() const;
    Result<void> load_states(const std::vector<Values>& values, std::int64_t updates = 1);

    /// Updates from here on may have to be left out of a checkpoint: the Trainer says so before
    /// each step, which may fail half-way.
    void begin_step() noexcept;
    /// The states and the number of updates as they were when the last step began.
    [[nodiscard]] std::pair<std::vector<Values>, std::int64_t> states_before_step() const;

  protected:
    using StateId = std::size_t;

    explicit Metric(MetricSettings settings = {}) : settings_(settings) {}

    Metric(const Metric&) = default;
    Metric& operator=(const Metric&) = default;

    /// Declares a state. `initial` is its value after reset(); empty for Cat. A repeated or empty
    /// name, a Cat state that does not start empty, or Custom without a function make every later
    /// call fail with that reason.
    StateId add_state(std::string name, Values initial, StateReduce reduce,
                      CustomReduce custom = {});

    [[nodiscard]] Values& state(StateId id) noexcept { return states_[id].values; }

    [[nodiscard]] const Values& state(StateId id) const noexcept { return states_[id].values; }

    /// The value of the present states.
    [[nodiscard]] virtual MetricValue compute_state() const = 0;

    /// Runs `change`, which adds one batch to the states.
    template <typename Change>
    Result<void> apply_update(Change&& change) {
        if (auto ready = begin_update(); !ready.ok()) {
            return ready;
        }
        return change();
    }

    /// Runs `change` and gives the value of this batch alone, too.
    template <typename Change>
    Result<MetricValue> apply_forward(Change&& change) {
        return forward_with(std::function<Result<void>()>(std::forward<Change>(change)));
    }

  private:
    struct State {
        std::string name = {};
        Values initial;
        Values values;
        StateReduce reduce = StateReduce::Sum;
        CustomReduce custom;
    };

    Result<void> begin_update();
    void keep_before_step();
    Result<MetricValue> forward_with(const std::function<Result<void>()>& change);
    void merge_values(const std::vector<State>& earlier, std::int64_t count);
    [[nodiscard]] bool distributed() const noexcept;

    MetricSettings settings_;
    std::vector<State> states_;
    std::vector<Values> local_;  // kept while synced
    std::shared_ptr<Communicator> communicator_;
    std::optional<MetricValue> computed_;
    std::optional<MetricValue> batch_value_;
    std::optional<Error> defect_;
    std::int64_t update_count_ = 0;
    bool synced_ = false;
    // What the states were before the first update of a step: lists that only grow by their length.
    std::vector<Values> before_;
    std::vector<std::size_t> lengths_before_;
    std::int64_t count_before_ = 0;
    bool step_begins_ = false;
    bool changed_in_step_ = false;
};

}  // namespace taffrail
