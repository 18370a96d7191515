#include <taffrail/metric_map.h>

namespace taffrail {

std::optional<double> MetricMap::find(std::string_view name) const noexcept {
    const auto found = places_.find(name);
    if (found == places_.end() || entries_[found->second].generation != generation_) {
        return std::nullopt;
    }
    return entries_[found->second].value;
}

std::size_t MetricMap::size() const noexcept {
    std::size_t count = 0;
    for_each([&](std::string_view, double) { ++count; });
    return count;
}

std::vector<std::pair<std::string, double>> MetricMap::items() const {
    std::vector<std::pair<std::string, double>> all;
    for_each([&](std::string_view name, double value) { all.emplace_back(name, value); });
    return all;
}

void MetricMap::erase(std::string_view name) noexcept {
    if (const auto found = places_.find(name); found != places_.end()) {
        entries_[found->second].generation = 0;
    }
}

std::uint32_t MetricMap::place_of(std::string_view name) {
    if (const auto found = places_.find(name); found != places_.end()) {
        return found->second;
    }
    const auto place = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({std::string(name), 0, 0});
    places_.emplace(name, place);
    return place;
}

}  // namespace taffrail
