#include <taffrail/training_bars.h>

#include "base/diagnostics.h"
#include "base/strings.h"

#include <algorithm>

namespace taffrail {
namespace {

// Whole numbers as they are; of long texts (ids) the end tells runs apart.
BarValue version_value(const std::vector<std::string>& versions) {
    std::string joined;
    for (const std::string& version : versions) {
        constexpr std::size_t kShown = 4;
        const bool number = parse_int(version).has_value();
        joined += (joined.empty() ? "" : "_") + (number || version.size() <= kShown
                                                     ? version
                                                     : version.substr(version.size() - kShown));
    }
    if (const auto number = parse_int(joined); number && versions.size() == 1) {
        return *number;
    }
    return joined;
}

}  // namespace

TrainingBars::TrainingBars(TrainingBarOptions options) : options_(std::move(options)) {}

TrainingBars::~TrainingBars() = default;

BarMetrics TrainingBars::get_metrics(const BarMetrics& logged) {
    BarMetrics items;
    if (!options_.versions.empty()) {
        const bool taken =
            std::ranges::any_of(logged, [](const auto& item) { return item.first == "v_num"; });
        if (taken) {
            diagnose_once(DiagnosticLevel::Warning, "bar.v_num",
                          "the metric 'v_num' has the name of a standard item of the progress bar "
                          "and replaces it; "
                          "rename the metric to see both");
        } else {
            items.emplace_back("v_num", version_value(options_.versions));
        }
    }
    items.insert(items.end(), logged.begin(), logged.end());
    return items;
}

Progress TrainingBars::make(std::string name, std::string description,
                            std::optional<std::int64_t> total, std::int64_t initial, bool leave) {
    ProgressOptions bar{.description = std::move(description),
                        .total = total,
                        .initial = initial,
                        .refresh_rate = options_.refresh_rate,
                        .leave = leave};
    if (options_.on_publish) {
        bar.on_publish = [observe = options_.on_publish, name = std::move(name)](
                             std::int64_t position) { observe(name, position); };
    }
    return Progress(std::move(bar));
}

void TrainingBars::sanity_check_begins() {
    sanity_ = true;
}

void TrainingBars::sanity_check_ends() {
    validation_.reset();
    sanity_ = false;
}

void TrainingBars::train_epoch_begins(std::int64_t epoch, std::optional<std::int64_t> batches,
                                      std::int64_t done) {
    const std::string last =
        options_.max_epochs ? "/" + std::to_string(*options_.max_epochs - 1) : "";
    train_.reset();
    train_.emplace(make("train", "Epoch " + std::to_string(epoch) + last, batches, done, true));
    train_->set_metrics(get_metrics({}));
}

void TrainingBars::train_batch_ends(std::int64_t position, const BarMetrics& logged) {
    if (!train_) {
        return;
    }
    // Building the items costs more than a step of a fast loop: only where they are shown.
    const int rate = effective_refresh_rate(options_.refresh_rate);
    if (rate > 0 && position % rate == 0) {
        train_->set_metrics(get_metrics(logged));
    }
    train_->update(position);
}

void TrainingBars::train_epoch_ends(const BarMetrics& logged) {
    if (train_) {
        train_->set_metrics(get_metrics(logged));
    }
}

void TrainingBars::train_ends() {
    train_.reset();
}

void TrainingBars::validation_begins(std::int64_t loader, std::optional<std::int64_t> batches) {
    validation_.reset();
    const std::string name = sanity_ ? "Sanity Checking" : "Validation";
    validation_.emplace(make(sanity_ ? "sanity" : "validation",
                             name + " DataLoader " + std::to_string(loader), batches, 0, false));
}

void TrainingBars::validation_batch_ends(std::int64_t position) {
    if (validation_) {
        validation_->update(position);
    }
}

void TrainingBars::validation_ends(const BarMetrics& logged) {
    validation_.reset();
    if (train_) {
        train_->set_metrics(get_metrics(logged));
    }
}

void TrainingBars::test_begins(std::int64_t loader, std::optional<std::int64_t> batches) {
    test_.reset();
    test_.emplace(make("test", "Testing DataLoader " + std::to_string(loader), batches, 0, true));
}

void TrainingBars::test_batch_ends(std::int64_t position) {
    if (test_) {
        test_->update(position);
    }
}

void TrainingBars::test_ends() {
    test_.reset();
}

void TrainingBars::predict_begins(std::int64_t loader, std::optional<std::int64_t> batches) {
    test_.reset();
    test_.emplace(
        make("predict", "Predicting DataLoader " + std::to_string(loader), batches, 0, true));
}

void TrainingBars::predict_batch_ends(std::int64_t position) {
    test_batch_ends(position);
}

void TrainingBars::predict_ends() {
    test_.reset();
}

}  // namespace taffrail
