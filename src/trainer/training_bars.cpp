#include <taffrail/trainer.h>
#include <taffrail/training_bars.h>

#include "base/diagnostics.h"
#include "base/strings.h"
#include "trainer/bar_items.h"

#include <algorithm>

namespace taffrail {
namespace {

// Whole numbers as they are; of long texts (ids) the end tells runs apart.
BarValue version_value(const std::vector<std::string>& versions) {
    std::string joined;
    for (const std::string& version : versions) {
        constexpr std::size_t kShown = 4;
        const bool whole = parse_int(version).has_value() || version.size() <= kShown;
        joined += (joined.empty() ? "" : "_") +
                  (whole ? version : version.substr(version.size() - kShown));
    }
    if (const auto number = parse_int(joined); number && versions.size() == 1) {
        return *number;
    }
    return joined;
}

template <typename Work>
void never_throws(const Work& work) noexcept {
    try {
        work();
    } catch (...) {
        diagnose_once(DiagnosticLevel::Warning, "bars", "a progress bar could not be updated");
    }
}

}  // namespace

TrainingBars::TrainingBars(TrainingBarOptions options)
    : options_(std::move(options)), rate_(effective_refresh_rate(options_.refresh_rate)) {}

TrainingBars::~TrainingBars() = default;

BarMetrics TrainingBars::get_metrics(const MetricMap& logged) {
    BarMetrics items;
    std::vector<std::string> versions;
    for (const auto& logger : options_.loggers) {
        if (std::string version = logger->version(); !version.empty()) {
            versions.push_back(std::move(version));
        }
    }
    if (!versions.empty()) {
        if (logged.contains("v_num")) {
            diagnose_once(DiagnosticLevel::Warning, trainer::replaced_item_cause("v_num"),
                          trainer::replaced_item_message("v_num"));
        } else {
            items.emplace_back("v_num", version_value(versions));
        }
    }
    logged.for_each([&](std::string_view name, double value) { items.emplace_back(name, value); });
    return items;
}

void TrainingBars::attach(const TrainerOptions& options) noexcept {
    never_throws([&] {
        if (options_.loggers.empty()) {
            options_.loggers = options.loggers;
        }
        if (!options_.max_epochs && options.max_epochs > 0) {
            options_.max_epochs = options.max_epochs;
        }
    });
}

void TrainingBars::begin(Phase phase, std::string_view description,
                         std::optional<std::int64_t> total, std::int64_t done) noexcept {
    if (rate_ <= 0) {
        return;
    }
    never_throws([&] {
        std::string text(description);
        if (phase == Phase::Train && options_.max_epochs && *options_.max_epochs > 0) {
            text += "/" + std::to_string(*options_.max_epochs - 1);
        }
        const bool nested = phase == Phase::Validate || phase == Phase::Sanity;
        ProgressOptions bar{.description = std::move(text),
                            .total = total,
                            .initial = done,
                            .refresh_rate = rate_,
                            .leave = !nested && (options_.leave || phase != Phase::Train),
                            // A log file wants the epochs; a validation in each of them is noise.
                            .plain_parts = !nested};
        if (options_.on_publish) {
            bar.on_publish = [observe = options_.on_publish, name = std::string(to_string(phase))](
                                 std::int64_t position) { observe(name, position); };
        }
        bars_.push_back({phase, Progress(std::move(bar)), total});
        if (phase == Phase::Train) {
            bars_.back().progress.set_metrics(get_metrics({}));
        }
    });
}

void TrainingBars::update(std::int64_t done, const MetricMap& metrics) noexcept {
    if (bars_.empty()) {
        return;
    }
    Bar& bar = bars_.back();
    // Building the items costs more than a step of a fast loop: only where they are shown.
    if (bar.phase == Phase::Train && bar.progress.metrics_due(done)) {
        never_throws([&] { bar.progress.set_metrics(get_metrics(metrics)); });
    }
    bar.progress.update(done);
}

void TrainingBars::end(const MetricMap& metrics) noexcept {
    if (bars_.empty()) {
        return;
    }
    never_throws([&] {
        const Phase ended = bars_.back().phase;
        if (ended == Phase::Train) {
            bars_.back().progress.set_metrics(get_metrics(metrics));
        }
        bars_.pop_back();
        // What validation found shows up on the training bar at once.
        if (!bars_.empty() && ended == Phase::Validate) {
            bars_.back().progress.set_metrics(get_metrics(metrics));
        }
    });
}

}  // namespace taffrail
