// The hooks a module leaves alone, and its way to the state machine.
#include <taffrail/callback.h>
#include <taffrail/module.h>

#include "base/diagnostics.h"
#include "base/never_throws.h"
#include "metrics/log_messages.h"
#include "trainer/core.h"

#include <mutex>
#include <set>

namespace taffrail {

std::string_view to_string(Stage stage) noexcept {
    switch (stage) {
        case Stage::Fit:
            return "fit";
        case Stage::Validate:
            return "validate";
        case Stage::Test:
            return "test";
        case Stage::Predict:
            return "predict";
    }
    return "";
}

namespace {

/// Modules that logged while no Trainer ran them. A Trainer lists the warning when it meets one.
struct IgnoredLogs {
    std::mutex mutex;
    std::set<const Module*> modules;
};

IgnoredLogs& ignored_logs() {
    static auto* instance = new IgnoredLogs;
    return *instance;
}

}  // namespace

bool trainer::take_ignored_logs(const Module& module) {
    const std::lock_guard lock(ignored_logs().mutex);
    return ignored_logs().modules.erase(&module) > 0;
}

Module::Module() = default;

Module::~Module() {
    trainer::take_ignored_logs(*this);
}

void Module::log(std::string_view name, const LogValue& value, const LogOptions& options,
                 const std::source_location& site) noexcept {
    if (core_ == nullptr) {
        never_throws("log.W1.memory", "a log() call outside of a Trainer is ignored", [&] {
            diagnose_once(DiagnosticLevel::Warning, "log.W1:",
                          metrics::place(site) + ": log(\"" + std::string(name) +
                              "\") is ignored: the module is not run by a Trainer yet");
            const std::lock_guard lock(ignored_logs().mutex);
            ignored_logs().modules.insert(this);
        });
        return;
    }
    core_->log(name, value, options, site);
}

void Module::log_dict(const std::vector<std::pair<std::string, LogValue>>& values,
                      const LogOptions& options, const std::source_location& site) noexcept {
    for (const auto& [name, value] : values) {
        log(name, value, options, site);
    }
}

void Module::register_metric(std::string name, Metric& metric) {
    metrics_.emplace_back(std::move(name), &metric);
}

void Module::training_step(const Batch&, std::int64_t) {}

void Module::training_step(BatchSource& batches, std::int64_t) {
    batches.next();
}

void Module::validation_step(const Batch&, std::int64_t, int) {}

void Module::test_step(const Batch&, std::int64_t, int) {}

void Module::predict_step(const Batch&, std::int64_t, int) {}

void Module::backward() {}

void Module::apply_gradients() {}

void Module::optimizer_zero_grad() {}

void Module::configure_gradient_clipping() {}

void Module::optimizer_step(const std::function<void()>& closure) {
    closure();
    apply_gradients();
}

void Module::lr_scheduler_step() {}

std::shared_ptr<Loader> Module::train_dataloader() {
    return nullptr;
}

LoaderList Module::val_dataloader() {
    return {};
}

LoaderList Module::test_dataloader() {
    return {};
}

LoaderList Module::predict_dataloader() {
    return {};
}

Batch Module::on_before_batch_transfer(Batch batch, int) {
    return batch;
}

Batch Module::transfer_batch_to_device(Batch batch, int) {
    return batch;
}

Batch Module::on_after_batch_transfer(Batch batch, int) {
    return batch;
}

void Module::prepare_data() {}

void Module::setup(Stage) {}

void Module::configure_model() {}

void Module::configure_optimizers() {}

std::vector<std::shared_ptr<Callback>> Module::configure_callbacks() {
    return {};
}

void Module::on_fit_start() {}

void Module::on_fit_end() {}

void Module::on_train_start() {}

void Module::on_train_end() {}

void Module::on_train_epoch_start() {}

void Module::on_train_epoch_end() {}

void Module::on_train_batch_start(const Batch&, std::int64_t) {}

void Module::on_train_batch_end(const Batch&, std::int64_t) {}

void Module::on_before_zero_grad() {}

void Module::on_before_backward() {}

void Module::on_after_backward() {}

void Module::on_before_optimizer_step() {}

void Module::on_validation_model_eval() {}

void Module::on_validation_model_train() {}

void Module::on_validation_model_zero_grad() {}

void Module::on_validation_start() {}

void Module::on_validation_end() {}

void Module::on_validation_epoch_start() {}

void Module::on_validation_epoch_end() {}

void Module::on_validation_batch_start(const Batch&, std::int64_t, int) {}

void Module::on_validation_batch_end(const Batch&, std::int64_t, int) {}

void Module::on_test_model_eval() {}

void Module::on_test_model_train() {}

void Module::on_test_start() {}

void Module::on_test_end() {}

void Module::on_test_epoch_start() {}

void Module::on_test_epoch_end() {}

void Module::on_test_batch_start(const Batch&, std::int64_t, int) {}

void Module::on_test_batch_end(const Batch&, std::int64_t, int) {}

void Module::on_predict_start() {}

void Module::on_predict_end() {}

void Module::on_predict_epoch_start() {}

void Module::on_predict_epoch_end() {}

void Module::on_predict_batch_start(const Batch&, std::int64_t, int) {}

void Module::on_predict_batch_end(const Batch&, std::int64_t, int) {}

void Module::teardown(Stage) {}

bool Module::is_tracked(std::string_view name) const noexcept {
    return core_ != nullptr && core_->tracks(name);
}

std::vector<std::byte> Module::state_dict() {
    return {};
}

Result<void> Module::load_state_dict(const std::vector<std::byte>&) {
    return {};
}

}  // namespace taffrail
