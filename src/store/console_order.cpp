#include "store/console_order.h"

#include <algorithm>

namespace taffrail::store {

void ConsoleOrder::update(const std::vector<const WriterData*>& writers) {
    const auto known = static_cast<std::ptrdiff_t>(places_.size());
    for (const WriterData* writer : writers) {
        std::size_t& taken = taken_[writer];
        for (; taken < writer->console.size(); ++taken) {
            places_.push_back({writer, taken});
        }
    }
    const auto fresh = places_.begin() + known;
    std::stable_sort(fresh, places_.end(),
                     [](const Place& a, const Place& b) { return time_of(a) < time_of(b); });
    if (known > 0 && fresh != places_.end() && time_of(*fresh) < time_of(*std::prev(fresh))) {
        std::inplace_merge(places_.begin(), fresh, places_.end(),
                           [](const Place& a, const Place& b) { return time_of(a) < time_of(b); });
    }
}

void ConsoleOrder::clear() {
    places_.clear();
    taken_.clear();
}

std::vector<ConsoleLine> ConsoleOrder::lines(std::size_t first, std::size_t count) const {
    first = std::min(first, places_.size());
    count = std::min(count, places_.size() - first);
    std::vector<ConsoleLine> lines;
    lines.reserve(count);
    for (std::size_t i = first; i < first + count; ++i) {
        lines.push_back(places_[i].writer->console[places_[i].line]);
    }
    return lines;
}

}  // namespace taffrail::store
