#include "codec/formats/comet/histogram.h"

#include "codec/histogram_moments.h"
#include "codec/json_writer.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace taffrail::formats::comet {
namespace {

constexpr double kStart = 1e-12, kStop = 1e20, kStep = 1.1;
constexpr std::int64_t kMiddle = 775, kBins = 1551;

/// As the official program counts them: values[i] <= value < values[i + 1].
std::int64_t bin_of(double value) {
    if (value >= kStop) {
        return kBins - 2;
    }
    if (value <= -kStop) {
        return 0;
    }
    if (std::fabs(value) < 1e-20) {
        return kMiddle;
    }
    const auto away =
        static_cast<std::int64_t>(std::ceil(std::log(std::fabs(value) / kStart) / std::log(kStep)));
    return std::clamp<std::int64_t>(value > 0 ? kMiddle + away : kMiddle - 1 - away, 0, kBins - 2);
}

/// The lower edge of a bin.
double edge_of(std::int64_t bin) {
    return bin == kMiddle  ? 0
           : bin > kMiddle ? kStart * std::pow(kStep, static_cast<double>(bin - kMiddle - 1))
                           : -kStart * std::pow(kStep, static_cast<double>(kMiddle - 1 - bin));
}

}  // namespace

std::string histogram_document(const Histogram& histogram) {
    std::map<std::int64_t, double> counts;
    for (std::size_t i = 0; i < histogram.counts.size() && i + 1 < histogram.edges.size(); ++i) {
        if (histogram.counts[i] > 0) {
            counts[bin_of(histogram.edges[i] / 2 + histogram.edges[i + 1] / 2)] +=
                histogram.counts[i];
        }
    }
    JsonWriter json;
    json.begin_object().member("version", 2).key("index_values").begin_array();
    for (const auto& [bin, count] : counts) {
        json.begin_array().value(bin).value(std::llround(count)).end_array();
    }
    json.end_array().key("values").null().member("offset", 0);
    json.member("start", kStart).member("stop", kStop).member("step", kStep).end_object();
    return std::move(json).take();
}

Result<Histogram> histogram_of(const Json& document) {
    const Json* pairs = document.find("index_values");
    std::map<std::int64_t, double> counts;
    for (const Json& pair :
         pairs != nullptr && pairs->array() != nullptr ? *pairs->array() : Json::Array()) {
        const auto* both = pair.array();
        if (both != nullptr && both->size() == 2) {
            const auto bin = (*both)[0].integer();
            const double count = (*both)[1].number().value_or(0);
            if (bin && *bin >= 0 && *bin < kBins && count > 0 && std::isfinite(count)) {
                counts[*bin] += count;
            }
        }
    }
    if (counts.empty()) {
        return Error{ErrorCode::Corrupt, "a histogram without counts"};
    }
    Histogram histogram;
    const std::int64_t first = counts.begin()->first, last = counts.rbegin()->first;
    for (std::int64_t bin = first; bin <= last; ++bin) {
        const auto found = counts.find(bin);
        histogram.edges.push_back(edge_of(bin));
        histogram.counts.push_back(found != counts.end() ? found->second : 0);
    }
    histogram.edges.push_back(edge_of(last + 1));
    set_moments_by_bins(histogram);
    return histogram;
}

}  // namespace taffrail::formats::comet
