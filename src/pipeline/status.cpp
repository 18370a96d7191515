#include "pipeline/status.h"

#include <taffrail/logger.h>

#include "base/clock.h"
#include "terminal/format.h"
#include "terminal/screen.h"
#include "terminal/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace taffrail::pipeline {
namespace {

std::string of_total(std::int64_t value, std::int64_t total) {
    return std::to_string(value) + (total > 0 ? "/" + std::to_string(total) : "");
}

// Epochs count from 0, here as on the bars: the last of ten is 9/9.
std::string epoch_text(std::int64_t epoch, std::int64_t max_epochs) {
    return std::to_string(epoch) + (max_epochs > 0 ? "/" + std::to_string(max_epochs - 1) : "");
}

std::string time_text(const RunProgress& progress) {
    const double left = progress.seconds_left();
    return terminal::format_clock(progress.elapsed_seconds()) + " elapsed, " +
           (left >= 0 ? terminal::format_clock(left) : std::string("?")) + " left";
}

std::string metrics_text(const RunProgress::Means& means) {
    std::string text;
    for (const auto& [name, mean] : means) {
        text += (text.empty() ? "" : "  ") + terminal::without_controls(name) + " " +
                terminal::format_value(mean.sum /
                                       static_cast<double>(std::max<std::int64_t>(1, mean.count)));
    }
    return text;
}

std::string gpu_text(const GpuStatus& gpu) {
    std::string memory = "memory n/a";
    if (gpu.memory_used_bytes >= 0 && gpu.memory_total_bytes > 0) {
        memory = "memory " + terminal::format_bytes(gpu.memory_used_bytes) + " of " +
                 terminal::format_bytes(gpu.memory_total_bytes);
    }
    std::string use = "utilisation n/a";
    if (gpu.utilisation_percent >= 0) {
        std::array<char, 32> text;
        std::snprintf(text.data(), text.size(), "utilisation %.0f %%", gpu.utilisation_percent);
        use = text.data();
    }
    return gpu.name + ": " + memory + ", " + use;
}

}  // namespace

RunProgress::RunProgress() : begin_ns_(monotonic_ns()) {}

void RunProgress::seen(const DataMap& data) {
    // The data is sorted by name and mostly has the same names: walk along instead of looking up.
    Means& means = means_[static_cast<std::size_t>(data.phase)];
    std::size_t place = 0;
    for (const auto& [name, datum] : data.values) {
        const double* value = std::get_if<double>(&datum);
        if (value == nullptr) {
            continue;
        }
        while (place < means.size() && means[place].first < name) {
            ++place;
        }
        if (place == means.size() || means[place].first != name) {
            means.insert(means.begin() + static_cast<std::ptrdiff_t>(place), {name, Mean{}});
        }
        means[place].second.sum += *value;
        ++means[place].second.count;
    }
    if (data.phase != Phase::Train || data.max_epochs <= 0) {
        return;
    }
    max_epochs_ = data.max_epochs;
    const double inside = data.batch_total > 0 ? static_cast<double>(data.batch_current) /
                                                     static_cast<double>(data.batch_total)
                                               : 0;
    done_ = (static_cast<double>(data.epoch) + inside) / static_cast<double>(data.max_epochs);
    if (begun_at_ < 0) {
        const double one = data.batch_total > 0
                               ? 1.0 / static_cast<double>(data.batch_total * data.max_epochs)
                               : 0;
        begun_at_ = std::max(0.0, done_ - one);
    }
}

double RunProgress::elapsed_seconds() const {
    return static_cast<double>(monotonic_ns() - begin_ns_) / 1e9;
}

double RunProgress::seconds_left() const {
    const double here = done_ - begun_at_;
    if (begun_at_ < 0 || here <= 0) {
        return -1;
    }
    return elapsed_seconds() / here * std::max(0.0, 1 - done_);
}

std::string status_line(const RunProgress& progress, const DataMap& data, std::int64_t iteration) {
    RunProgress::Means now;
    for (const auto& [name, datum] : data.values) {
        if (const double* value = std::get_if<double>(&datum)) {
            now.emplace_back(name, RunProgress::Mean{*value, 1});
        }
    }
    return std::string(phase_key(data.phase)) + "  epoch " +
           epoch_text(data.epoch, data.max_epochs) + "  batch " +
           of_total(data.batch_current, data.batch_total) + "  iteration " +
           std::to_string(iteration) +
           (data.batch_size > 0 ? "  samples " + std::to_string((iteration + 1) * data.batch_size)
                                : "") +
           "  " + time_text(progress) + "  " + metrics_text(now) + "\n";
}

std::string epoch_block(const RunProgress& progress, Phase phase, std::int64_t epoch,
                        std::int64_t iterations, bool with_gpus) {
    const int columns = std::clamp(terminal::Screen::standard().size().columns, 20, 200);
    std::string text = std::string(phase_key(phase)) + "  epoch " +
                       epoch_text(epoch, progress.max_epochs()) + "  iterations " +
                       std::to_string(iterations) + "  " + time_text(progress) + "\n";
    if (const std::string metrics = metrics_text(progress.means(phase)); !metrics.empty()) {
        text += "  " + metrics + "\n";
    }
    if (with_gpus) {
        const auto gpus = read_gpu_status();
        for (const GpuStatus& gpu : gpus) {
            text += "  " + gpu_text(gpu) + "\n";
        }
        if (gpus.empty()) {
            text += "  GPU: n/a\n";
        }
    }
    return text + std::string(static_cast<std::size_t>(columns - 1), '-') + "\n";
}

}  // namespace taffrail::pipeline
