#include <taffrail/trainer.h>

#include "trainer/core.h"

namespace taffrail {

Trainer::Trainer(TrainerOptions options)
    : core_(std::make_unique<trainer::Core>(std::move(options), this)) {}

Trainer::Trainer(Trainer&& other) noexcept : core_(std::move(other.core_)) {
    core_->owner_ = this;
}

Trainer& Trainer::operator=(Trainer&& other) noexcept {
    core_ = std::move(other.core_);
    core_->owner_ = this;
    return *this;
}

Trainer::~Trainer() = default;

Result<void> Trainer::fit(Module& module, FitData data, const std::string& checkpoint) {
    return core_->fit(module, std::move(data), checkpoint, std::nullopt);
}

Result<void> Trainer::fit_known(Module& module, FitData data, const std::string& checkpoint,
                                std::optional<bool> has_val_dataloader) {
    return core_->fit(module, std::move(data), checkpoint, has_val_dataloader);
}

Result<EvaluationResults> Trainer::validate(Module& module, LoaderList loaders,
                                            const std::string& checkpoint) {
    return core_->evaluate(module, std::move(loaders), Stage::Validate, checkpoint);
}

Result<EvaluationResults> Trainer::test(Module& module, LoaderList loaders,
                                        const std::string& checkpoint) {
    return core_->evaluate(module, std::move(loaders), Stage::Test, checkpoint);
}

Result<void> Trainer::predict(Module& module, LoaderList loaders, const std::string& checkpoint) {
    return core_->predict(module, std::move(loaders), checkpoint);
}

void Trainer::stop() noexcept {
    core_->stop_.ask();
}

bool Trainer::should_stop() const noexcept {
    return core_->stop_.wanted();
}

int Trainer::interrupted_by() const noexcept {
    return core_->stop_.signal();
}

int Trainer::exit_code() const noexcept {
    return core_->exit_code_;
}

std::int64_t Trainer::current_epoch() const noexcept {
    return core_->epochs_completed_;
}

Step Trainer::global_step() const noexcept {
    return core_->optimizer_steps_;
}

bool Trainer::sanity_checking() const noexcept {
    return core_->state_.sanity;
}

Stage Trainer::stage() const noexcept {
    return core_->stage_;
}

bool Trainer::fast_dev_run() const noexcept {
    return core_->options_.fast_dev_run > 0;
}

std::optional<std::int64_t> Trainer::num_training_batches() const noexcept {
    return core_->train_batches_ == trainer::kEndless ? std::nullopt
                                                      : std::optional(core_->train_batches_);
}

const TrainerOptions& Trainer::options() const noexcept {
    return core_->options_;
}

Step Trainer::logging_step() const noexcept {
    return core_->state_.step;
}

void Trainer::fail(Error error) noexcept {
    core_->state_.fail(std::move(error));
}

bool Trainer::should_log() const noexcept {
    return core_->should_log();
}

int Trainer::rank() const noexcept {
    return core_->rank();
}

int Trainer::world_size() const noexcept {
    return core_->world_size();
}

const MetricMap& Trainer::callback_metrics() {
    return core_->state_.callback_metrics();
}

const MetricMap& Trainer::logged_metrics() {
    return core_->state_.logged_metrics();
}

const MetricMap& Trainer::progress_bar_metrics() {
    return core_->state_.progress_bar_metrics();
}

const std::optional<Misuse>& Trainer::misuse() const noexcept {
    return core_->state_.misuse();
}

std::exception_ptr Trainer::exception() const noexcept {
    return core_->exception_;
}

const std::vector<std::string>& Trainer::warnings() const noexcept {
    return core_->state_.warnings();
}

Result<void> Trainer::save_checkpoint(const std::string& path) {
    return core_->save_checkpoint(path);
}

Result<void> Trainer::load_checkpoint(Module& module, const std::string& path) {
    return core_->load_module(module, path);
}

void Trainer::run_hook(Module& module, std::string_view name, const std::function<void()>& work) {
    core_->run_hook(module, name, work);
}

void Trainer::log_metrics(std::span<const std::pair<std::string_view, double>> row, Step step) {
    std::vector<metrics::RowEntry> entries;
    for (const auto& [name, value] : row) {
        entries.push_back({name, value});
    }
    core_->outputs_.log_metrics(entries, step, metrics::Level::Epoch);
}

}  // namespace taffrail
