// What the trainer's tests share: a logger that keeps rows, a module made of functions, and loaders
// of plain batches.
#pragma once

#include <taffrail/callbacks.h>
#include <taffrail/trainer.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace taffrail::trainer_test {

struct LoggedRow {
    std::map<std::string, double> metrics;
    Step step = 0;

    bool operator==(const LoggedRow&) const = default;
};

inline void PrintTo(const LoggedRow& row, std::ostream* out) {
    *out << "step " << row.step << " {";
    for (const auto& [name, value] : row.metrics) {
        *out << name << ": " << value << ", ";
    }
    *out << "}";
}

class RowLogger final : public LoggerBase {
  public:
    std::vector<LoggedRow> rows;
    std::vector<RunState> ends;

    void log_metrics(std::span<const std::pair<std::string_view, double>> row,
                     Step step) noexcept override {
        LoggedRow one{{}, step};
        for (const auto& [name, value] : row) {
            one.metrics[std::string(name)] = value;
        }
        rows.push_back(std::move(one));
    }

    void end_log(RunState state) noexcept override { ends.push_back(state); }
};

/// A module whose hooks are set by the test.
class HookModule : public Module {
  public:
    using Step2 = std::function<void(HookModule&, std::int64_t)>;
    using Step3 = std::function<void(HookModule&, std::int64_t, int)>;
    using Plain = std::function<void(HookModule&)>;

    Step2 train, batch_start, batch_end;
    Step3 validation, test_one;
    Plain train_start, train_epoch_start, train_epoch_end, train_end, validation_epoch_end,
        test_epoch_end, fit_start;

    void training_step(const Batch&, std::int64_t index) override { call(train, index); }

    void on_train_batch_start(const Batch&, std::int64_t index) override {
        call(batch_start, index);
    }

    void on_train_batch_end(const Batch&, std::int64_t index) override { call(batch_end, index); }

    void validation_step(const Batch&, std::int64_t index, int loader) override {
        call(validation, index, loader);
    }

    void test_step(const Batch&, std::int64_t index, int loader) override {
        call(test_one, index, loader);
    }

    void on_train_start() override { call(train_start); }

    void on_train_end() override { call(train_end); }

    void on_fit_start() override { call(fit_start); }

    void on_train_epoch_start() override { call(train_epoch_start); }

    void on_train_epoch_end() override { call(train_epoch_end); }

    void on_validation_epoch_end() override { call(validation_epoch_end); }

    void on_test_epoch_end() override { call(test_epoch_end); }

  private:
    template <typename Function, typename... Args>
    void call(const Function& function, Args... args) {
        if (function) {
            function(*this, args...);
        }
    }
};

/// Batches of `size` samples.
inline std::shared_ptr<Loader> batches(std::int64_t count, std::size_t size = 5) {
    return map_loader(count, [size](std::int64_t) { return Batch(std::vector<float>(size)); });
}

inline std::map<std::string, double> items(const MetricMap& map) {
    std::map<std::string, double> all;
    map.for_each([&](std::string_view name, double value) { all[std::string(name)] = value; });
    return all;
}

inline std::vector<std::string> names(const MetricMap& map) {
    std::vector<std::string> all;
    map.for_each([&](std::string_view name, double) { all.emplace_back(name); });
    return all;
}

/// Options that make no noise.
inline TrainerOptions quiet(std::shared_ptr<RowLogger> logger = nullptr) {
    TrainerOptions options;
    options.max_epochs = 1;
    options.log_every_n_steps = 1;
    options.num_sanity_val_steps = 0;
    options.print_results = false;
    options.handle_signals = false;
    if (logger) {
        options.loggers = {logger};
    }
    return options;
}

}  // namespace taffrail::trainer_test
