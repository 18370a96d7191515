#include <taffrail/throughput.h>

#include <numeric>

namespace taffrail {

Result<void> Throughput::update(const ThroughputSample& sample) {
    const auto refuse = [](const std::string& what) {
        return Error{ErrorCode::InvalidArgument, "throughput: " + what};
    };
    if (!window_.empty() && sample.seconds <= window_.back().seconds) {
        return refuse("the time must rise from update to update, it went from " +
                      std::to_string(window_.back().seconds) + " to " +
                      std::to_string(sample.seconds));
    }
    if (!window_.empty() &&
        (sample.batches < window_.back().batches || sample.samples < window_.back().samples ||
         sample.items.value_or(0) < window_.back().items.value_or(0))) {
        return refuse("batches, samples and items are totals and must not fall");
    }
    if (sample.samples < sample.batches || (sample.items && *sample.items < sample.samples)) {
        return refuse("there cannot be more batches than samples, nor more samples than items");
    }
    window_.push_back(sample);
    if (window_.size() > options_.window) {
        window_.pop_front();
    }
    return {};
}

std::vector<std::pair<std::string, double>> Throughput::compute() const {
    std::vector<std::pair<std::string, double>> values;
    if (window_.empty()) {
        return values;
    }
    const ThroughputSample& first = window_.front();
    const ThroughputSample& last = window_.back();
    values = {{"time", last.seconds},
              {"batches", static_cast<double>(last.batches)},
              {"samples", static_cast<double>(last.samples)}};
    if (last.items) {
        values.emplace_back("items", static_cast<double>(*last.items));
    }
    const double seconds = last.seconds - first.seconds;
    if (window_.size() < options_.window || seconds <= 0) {
        return values;
    }
    const std::string device = "device" + options_.separator;
    const auto add = [&](const std::string& name, double per_device) {
        values.emplace_back(device + name, per_device);
        if (options_.world_size > 1) {
            values.emplace_back(name, per_device * options_.world_size);
        }
    };
    add("batches_per_sec", static_cast<double>(last.batches - first.batches) / seconds);
    add("samples_per_sec", static_cast<double>(last.samples - first.samples) / seconds);
    if (first.items && last.items) {
        add("items_per_sec", static_cast<double>(*last.items - *first.items) / seconds);
    }
    bool complete = true;
    double flops = 0;
    for (const ThroughputSample& sample : window_) {
        complete = complete && sample.flops.has_value();
        // The operations of the first update were done before its time was taken.
        flops += &sample == &first ? 0 : sample.flops.value_or(0);
    }
    if (complete) {
        add("flops_per_sec", flops / seconds);
        if (options_.peak_flops) {
            values.emplace_back(device + "mfu", flops / seconds / *options_.peak_flops);
        }
    }
    return values;
}

void Throughput::reset() {
    window_.clear();
}

}  // namespace taffrail
