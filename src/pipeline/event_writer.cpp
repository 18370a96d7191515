#include <taffrail/event_writer.h>
#include <taffrail/terminal.h>

#include "base/diagnostics.h"
#include "base/try.h"
#include "builtins/builtins.h"
#include "codec/capture.h"

#include <numeric>

namespace taffrail {

// Summed anew each time: a running sum would drift over millions of steps, and the window is short.
double WindowMean::add(double value) {
    if (values_.size() < size_) {
        values_.push_back(value);
    } else {
        values_[next_] = value;
        next_ = (next_ + 1) % size_;
    }
    return std::accumulate(values_.begin(), values_.end(), 0.0) /
           static_cast<double>(values_.size());
}

class EventWriter::Core {
  public:
    Core(Run& target, LoggingOptions settings) : run(target), options(std::move(settings)) {}

    Result<void> open() {
        for (const LoggingOptions::Writer& writer : options.writers) {
            OptionMap sink_options = writer.options;
            // A sink that can make use of the length of the training is told it.
            const auto info = builtins::find_sink(writer.name);
            if (options.max_iterations > 0 && info &&
                find_option(info->options, "max_iter") != nullptr) {
                sink_options.emplace_back("max_iter", std::to_string(options.max_iterations));
            }
            TAFFRAIL_ASSIGN(const RouteMask bit, run.add_sink(writer.name, sink_options));
            route = static_cast<RouteMask>(route | bit);
        }
        return {};
    }

    [[nodiscard]] bool due(Step step) const noexcept {
        return options.steps_per_log > 0 && step % options.steps_per_log == 0;
    }

    [[nodiscard]] Routing routing(Step step) const noexcept {
        return {due(step) ? route : kStoreOnly, true};
    }

    double averaged(const std::string& key, double value) {
        auto found = windows.find(key);
        if (found == windows.end()) {
            found =
                windows.emplace(key, WindowMean(static_cast<std::size_t>(options.max_buffer_size)))
                    .first;
        }
        return found->second.add(value);
    }

    void put(std::string_view name, double value, Step step, bool average) {
        const auto stat = find_stat(name);
        const std::string key = stat ? stat->label : std::string(name);
        std::vector<std::pair<std::string_view, double>> row;
        const double shown = average ? averaged(key, value) : value;
        row.emplace_back(key, shown);
        std::string eta_key, total_key;
        if (stat && stat->name == "ITER_TRAIN_TIME") {
            total_seconds += value;
            total_key = find_stat("TOTAL_TRAIN_TIME")->label;
            row.emplace_back(total_key, total_seconds);
            if (options.max_iterations > 0) {
                // This iteration is done: the last one leaves nothing.
                const auto left =
                    static_cast<double>(std::max<Step>(0, options.max_iterations - step - 1));
                eta_key = find_stat("ETA")->label;
                row.emplace_back(eta_key, left * shown);
            }
        }
        run.log_routed(row, step, routing(step));
    }

    Run& run;
    LoggingOptions options;
    RouteMask route = kStoreOnly;
    std::map<std::string, WindowMean> windows;
    double total_seconds = 0;
};

namespace {

template <typename Work>
void counted(const Work& work) noexcept {
    try {
        work();
    } catch (...) {
        diagnose_once(DiagnosticLevel::Error, "event_writer",
                      "an event could not be taken and is lost");
    }
}

}  // namespace

EventWriter::EventWriter(std::unique_ptr<Core> core) : core_(std::move(core)) {}

EventWriter::EventWriter(EventWriter&&) noexcept = default;
EventWriter& EventWriter::operator=(EventWriter&&) noexcept = default;
EventWriter::~EventWriter() = default;

Result<EventWriter> EventWriter::make(Run& run, LoggingOptions options) {
    auto core = std::make_unique<Core>(run, std::move(options));
    TAFFRAIL_TRY(core->open());
    return EventWriter(std::move(core));
}

void EventWriter::put_scalar(std::string_view name, double value, Step step) noexcept {
    counted([&] { core_->put(name, value, step, false); });
}

void EventWriter::put_dict(std::string_view name, const std::map<std::string, double>& values,
                           Step step) noexcept {
    counted([&] {
        std::vector<std::string> keys;
        keys.reserve(values.size());
        std::vector<std::pair<std::string_view, double>> row;
        for (const auto& [key, value] : values) {
            keys.push_back(std::string(name) + "/" + key);
            row.emplace_back(keys.back(), value);
        }
        core_->run.log_routed(row, step, core_->routing(step));
    });
}

void EventWriter::put_image(std::string_view name, const ImageView& image, Step step) noexcept {
    counted([&] {
        auto value = capture_image(image);
        if (!value.ok()) {
            diagnose_once(DiagnosticLevel::Error, "event_writer.image." + std::string(name),
                          value.error().message);
            return;
        }
        core_->run.log_value(name, *std::move(value), step, core_->routing(step));
    });
}

void EventWriter::put_config(const Hparams& config) noexcept {
    counted([&] { core_->run.log_value("hparams", config, 0, {core_->route, true}); });
}

void EventWriter::put_time(std::string_view stat, double seconds, Step step,
                           bool average) noexcept {
    counted([&] { core_->put(stat, seconds, step, average); });
}

void EventWriter::put_rate(std::string_view stat, double per_second, Step step,
                           bool average) noexcept {
    counted([&] { core_->put(stat, per_second, step, average); });
}

bool EventWriter::due(Step step) const noexcept {
    return core_->due(step);
}

std::int64_t EventWriter::steps_per_log() const noexcept {
    return core_->options.steps_per_log;
}

RouteMask EventWriter::route() const noexcept {
    return core_->route;
}

}  // namespace taffrail
