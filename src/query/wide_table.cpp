#include "query/wide_table.h"

#include <optional>

namespace taffrail::query {

void WideTable::add(std::size_t column, std::span<const Point> points) {
    std::optional<WideRow> previous;
    for (const Point& point : points) {
        WideRow place{point.step, point.rank, point.attempt, 0};
        // Repeats come one behind the other: go on counting instead of searching from 0.
        if (previous && previous->step == place.step && previous->rank == place.rank &&
            previous->attempt == place.attempt) {
            place.repeat = previous->repeat + 1;
        }
        auto* row = &rows_[place];
        while (!row->empty() && row->back().first == column) {
            ++place.repeat;
            row = &rows_[place];
        }
        row->emplace_back(column, point.value);
        previous = place;
    }
}

}  // namespace taffrail::query
