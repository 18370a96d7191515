// Monitors write beside log(): rows of their own at the steps whose values go to the sinks.
#include <taffrail/callbacks.h>
#include <taffrail/trainer.h>

#include "system/load_monitor.h"

#include <chrono>
#include <mutex>

namespace taffrail {

namespace {

void write_row(Trainer& trainer, const std::vector<std::pair<std::string, double>>& values) {
    std::vector<std::pair<std::string_view, double>> row;
    for (const auto& [name, value] : values) {
        row.emplace_back(name, value);
    }
    if (!row.empty() && trainer.rank() == 0) {
        trainer.log_metrics(row, trainer.logging_step());
    }
}

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

void LearningRateMonitor::on_train_batch_start(Trainer& trainer, Module& module, const Batch&,
                                               std::int64_t) {
    if (trainer.should_log()) {
        write_row(trainer, module.learning_rates());
    }
}

struct DeviceStatsMonitor::Readings {
    std::mutex mutex;
    std::vector<std::pair<std::string, double>> newest;
    std::unique_ptr<system::LoadMonitor> monitor;
};

DeviceStatsMonitor::DeviceStatsMonitor() : readings_(std::make_unique<Readings>()) {}

DeviceStatsMonitor::~DeviceStatsMonitor() = default;

void DeviceStatsMonitor::setup(Trainer& trainer, Module&, Stage) {
    system::LoadOptions options;
    options.interval = std::chrono::milliseconds(500);
    options.folder = trainer.options().default_root_dir;
    readings_->monitor = std::make_unique<system::LoadMonitor>(options, [this](const auto& values) {
        const std::lock_guard lock(readings_->mutex);
        readings_->newest = values;
    });
}

void DeviceStatsMonitor::teardown(Trainer&, Module&, Stage) {
    readings_->monitor.reset();
}

void DeviceStatsMonitor::on_train_batch_start(Trainer& trainer, Module&, const Batch&,
                                              std::int64_t) {
    write(trainer, "on_train_batch_start");
}

void DeviceStatsMonitor::on_train_batch_end(Trainer& trainer, Module&, const Batch&, std::int64_t) {
    write(trainer, "on_train_batch_end");
}

void DeviceStatsMonitor::write(Trainer& trainer, std::string_view hook) {
    if (!trainer.should_log()) {
        return;
    }
    std::vector<std::pair<std::string, double>> values;
    {
        const std::lock_guard lock(readings_->mutex);
        values = readings_->newest;
    }
    for (auto& [name, value] : values) {
        name = "DeviceStatsMonitor." + std::string(hook) + "/" + name;
    }
    write_row(trainer, values);
}

ThroughputMonitor::ThroughputMonitor(ThroughputMonitorOptions options)
    : options_(std::move(options)), throughput_(options_.throughput) {}

void ThroughputMonitor::on_train_start(Trainer& trainer, Module&) {
    ThroughputOptions fresh = options_.throughput;
    fresh.world_size = trainer.world_size();
    throughput_ = Throughput(fresh);
    started_ = seconds_now();
    paused_ = 0;
    total_ = {};
}

void ThroughputMonitor::on_validation_start(Trainer&, Module&) {
    pause_began_ = seconds_now();
}

void ThroughputMonitor::on_validation_end(Trainer& trainer, Module&) {
    if (trainer.stage() == Stage::Fit && !trainer.sanity_checking()) {
        paused_ += seconds_now() - pause_began_;
    }
}

void ThroughputMonitor::on_train_batch_end(Trainer& trainer, Module&, const Batch& batch,
                                           std::int64_t) {
    BatchVisitor visitor;
    batch.visit(visitor);
    total_.seconds = seconds_now() - started_ - paused_;
    total_.batches += 1;
    total_.samples += visitor.size().value_or(1);
    if (options_.items) {
        total_.items = total_.items.value_or(0) + options_.items(batch);
    }
    if (options_.flops) {
        total_.flops = options_.flops(batch);
    }
    // Two batches within one tick of the clock: the second one joins the next update.
    if (!throughput_.update(total_).ok() || !trainer.should_log()) {
        return;
    }
    auto values = throughput_.compute();
    for (auto& [name, value] : values) {
        name = "train/" + name;
    }
    write_row(trainer, values);
}

}  // namespace taffrail
