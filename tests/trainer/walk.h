// A training whose every value depends on all steps before it, so that a resumed one can be held
// against an unbroken one: weights, a shuffled loader with a generator of its own, all reductions,
// Metric objects, callbacks of the module. Several ranks add their gradients up.
#pragma once

#include <taffrail/aggregation.h>
#include <taffrail/callbacks.h>
#include <taffrail/trainer.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::trainer_test {

/// Shuffles by a generator that goes on from pass to pass.
class ShuffledLoader final : public Loader {
  public:
    /// A `stream` does not tell its length.
    explicit ShuffledLoader(std::int64_t size, bool stream = false)
        : size_(size), stream_(stream) {}

    [[nodiscard]] std::optional<std::int64_t> size() const override {
        return stream_ ? std::nullopt : std::optional(size_);
    }

    void start(std::int64_t) override {
        order_.resize(static_cast<std::size_t>(size_));
        std::iota(order_.begin(), order_.end(), 0);
        for (std::size_t index = order_.size(); index > 1; --index) {
            generator_ = generator_ * 6364136223846793005u + 1442695040888963407u;
            std::swap(order_[index - 1], order_[(generator_ >> 33) % index]);
        }
        next_ = 0;
    }

    /// Before every batch, and before the end.
    std::function<void()> before_next;

    std::optional<Batch> next() override {
        if (before_next) {
            before_next();
        }
        if (next_ == order_.size()) {
            return std::nullopt;
        }
        // Of different lengths: means are weighted.
        const std::int64_t sample = order_[next_++];
        return Batch(std::vector<double>(static_cast<std::size_t>(1 + sample % 3),
                                         0.1 * static_cast<double>(sample) + 0.05));
    }

    [[nodiscard]] std::string state() const override { return std::to_string(generator_); }

    Result<void> load_state(std::string_view state) override {
        generator_ = state.empty() ? 1 : std::stoull(std::string(state));
        return {};
    }

  private:
    std::int64_t size_;
    bool stream_;
    std::uint64_t generator_ = 1;
    std::vector<std::int64_t> order_;
    std::size_t next_ = 0;
};

/// Where a walk may be stopped.
enum class WalkPlace {
    TrainStart,
    EpochStart,
    Draw,  // inside the loader
    BeforeTransfer,
    Transfer,
    BatchStart,
    Step,
    ZeroGrad,
    BeforeBackward,
    AfterBackward,
    BeforeOptimizerStep,
    Applied,  // the weights are new already: a failure there is the module's to undo
    BatchEnd,
    CallbackBatchEnd,
    ValidationZeroGrad,
    ValidationEval,
    ValidationStart,
    ValidationEpochStart,
    ValidationDraw,
    ValidationBatchStart,
    Validation,
    ValidationBatchEnd,
    ValidationEpochEnd,
    ValidationEnd,
    ValidationTrain,
    EpochEnd,
    CallbackEpochEnd,
};

class WalkModule : public Module {
  public:
    explicit WalkModule(std::shared_ptr<Communicator> ranks = {}, bool iterator = false)
        : ranks_(std::move(ranks)), iterator_(iterator) {
        register_metric("train", train_metric_);
        register_metric("val", val_metric_);
        register_metric("whole", whole_);
    }

    /// Asked at every place with how often it was reached.
    std::function<void(WalkPlace, std::int64_t)> at;
    std::shared_ptr<EarlyStopping> patience = std::make_shared<EarlyStopping>(
        EarlyStoppingOptions{.monitor = "val_loss", .patience = 1000});
    std::int64_t steps = 0;

    std::vector<std::shared_ptr<Callback>> configure_callbacks() override { return {patience}; }

    [[nodiscard]] bool takes_iterator() const override { return iterator_; }

    void training_step(BatchSource& batches, std::int64_t index) override {
        if (const std::optional<Batch> batch = batches.next()) {
            training_step(*batch, index);
        }
    }

    void training_step(const Batch& batch, std::int64_t index) override {
        const auto& x = *batch.get<std::vector<double>>();
        // A step that draws its own batches must say how large they are.
        const auto size = iterator_ ? std::optional(static_cast<std::int64_t>(x.size()))
                                    : std::optional<std::int64_t>();
        const double share = ranks_ ? 1.0 + ranks_->rank() : 1.0;
        const double loss = std::cos(weight_ * 3 + x.front() * share);
        gradient_ = std::sin(weight_ + x.front()) * share;
        LogOptions both{.prog_bar = true, .on_step = true, .on_epoch = true};
        both.batch_size = size;
        LogOptions synced = both;
        synced.sync_dist = true;
        log("loss", loss, synced);
        LogOptions once = synced;
        once.on_step = false;
        once.prog_bar = false;
        if (index == 0) {  // once per epoch: a resumed one does not log it again
            log("first", loss, once);
        }
        once.reduce_fx = Reduce::Sum;
        log("loss_sum", loss, once);
        once.reduce_fx = Reduce::Min;
        log("loss_min", loss, once);
        (void)train_metric_.forward(loss).ok();
        both.prog_bar = false;
        log("train_metric", train_metric_, both);
        (void)whole_.update(loss).ok();
        reached(WalkPlace::Step);
    }

    void apply_gradients() override {
        if (ranks_) {
            std::vector<double> sum{gradient_};
            ranks_->all_reduce(std::span<double>(sum), ReduceOp::Sum).value();
            gradient_ = sum.front();
        }
        weight_ -= 0.1 * gradient_;
        ++steps;
        reached(WalkPlace::Applied);
    }

    /// What stands outside of the module says where it is.
    void reached_outside(WalkPlace place) { reached_in_fit(place); }

    void on_train_start() override { reached(WalkPlace::TrainStart); }

    void on_train_epoch_start() override { reached(WalkPlace::EpochStart); }

    Batch on_before_batch_transfer(Batch batch, int) override {
        reached_in_fit(WalkPlace::BeforeTransfer);
        return batch;
    }

    Batch on_after_batch_transfer(Batch batch, int) override {
        reached_in_fit(WalkPlace::Transfer);
        return batch;
    }

    void on_train_batch_start(const Batch&, std::int64_t) override {
        reached(WalkPlace::BatchStart);
    }

    void on_before_zero_grad() override { reached(WalkPlace::ZeroGrad); }

    void on_before_backward() override { reached(WalkPlace::BeforeBackward); }

    void on_after_backward() override { reached(WalkPlace::AfterBackward); }

    void on_before_optimizer_step() override { reached(WalkPlace::BeforeOptimizerStep); }

    void on_train_batch_end(const Batch&, std::int64_t) override {
        LogOptions options;
        if (iterator_) {
            options.batch_size = 1;
        }
        log("weight", weight_, options);
        reached(WalkPlace::BatchEnd);
    }

    void validation_step(const Batch& batch, std::int64_t, int) override {
        const auto& x = *batch.get<std::vector<double>>();
        const double loss = std::cos(weight_ + x.front());
        log("val_loss", loss, {.on_step = true, .on_epoch = true, .sync_dist = true});
        (void)val_metric_.update(loss).ok();
        reached_in_fit(WalkPlace::Validation);
    }

    void on_validation_model_zero_grad() override { reached_in_fit(WalkPlace::ValidationZeroGrad); }

    void on_validation_model_eval() override { reached_in_fit(WalkPlace::ValidationEval); }

    void on_validation_model_train() override { reached_in_fit(WalkPlace::ValidationTrain); }

    void on_validation_start() override { reached_in_fit(WalkPlace::ValidationStart); }

    void on_validation_epoch_start() override { reached_in_fit(WalkPlace::ValidationEpochStart); }

    void on_validation_batch_start(const Batch&, std::int64_t, int) override {
        reached_in_fit(WalkPlace::ValidationBatchStart);
    }

    void on_validation_batch_end(const Batch&, std::int64_t, int) override {
        reached_in_fit(WalkPlace::ValidationBatchEnd);
    }

    void on_validation_epoch_end() override {
        log("val_metric", val_metric_);
        reached_in_fit(WalkPlace::ValidationEpochEnd);
    }

    void on_validation_end() override { reached_in_fit(WalkPlace::ValidationEnd); }

    void on_train_epoch_end() override {
        LogOptions options{.sync_dist = true};
        if (iterator_) {
            options.batch_size = 1;
        }
        log("whole", whole_.compute().value().number(), options);
        reached(WalkPlace::EpochEnd);
    }

    std::vector<std::byte> state_dict() override {
        std::vector<std::byte> bytes(sizeof(weight_) + sizeof(steps));
        std::memcpy(bytes.data(), &weight_, sizeof(weight_));
        std::memcpy(bytes.data() + sizeof(weight_), &steps, sizeof(steps));
        return bytes;
    }

    Result<void> load_state_dict(const std::vector<std::byte>& bytes) override {
        if (bytes.size() != sizeof(weight_) + sizeof(steps)) {
            return Error{ErrorCode::Corrupt, "not a walk"};
        }
        std::memcpy(&weight_, bytes.data(), sizeof(weight_));
        std::memcpy(&steps, bytes.data() + sizeof(weight_), sizeof(steps));
        return {};
    }

  private:
    void reached_in_fit(WalkPlace place) {
        if (!trainer()->sanity_checking()) {
            reached(place);
        }
    }

    void reached(WalkPlace place) {
        const std::int64_t times = ++reached_[place];
        if (at) {
            at(place, times);
        }
    }

    std::shared_ptr<Communicator> ranks_;
    bool iterator_;
    MeanMetric train_metric_, val_metric_, whole_;
    double weight_ = 0.5, gradient_ = 0;
    std::map<WalkPlace, std::int64_t> reached_;
};

/// Stops in the hooks of callbacks.
class WalkCallback final : public Callback {
  public:
    void on_train_batch_end(Trainer&, Module& module, const Batch&, std::int64_t) override {
        static_cast<WalkModule&>(module).reached_outside(WalkPlace::CallbackBatchEnd);
    }

    void on_train_epoch_end(Trainer&, Module& module) override {
        static_cast<WalkModule&>(module).reached_outside(WalkPlace::CallbackEpochEnd);
    }
};

/// Keeps every value by name and step; a later one of the same place wins, as in a resumed run.
class ValueLogger final : public LoggerBase {
  public:
    std::map<std::pair<std::string, Step>, double> values;
    std::vector<RunState> ends;
    std::string reason;

    void log_metrics(std::span<const std::pair<std::string_view, double>> row,
                     Step step) noexcept override {
        for (const auto& [name, value] : row) {
            values[{std::string(name), step}] = value;
        }
    }

    void end_log(RunState state, std::string_view why) noexcept override {
        ends.push_back(state);
        reason = why;
    }
};

}  // namespace taffrail::trainer_test
