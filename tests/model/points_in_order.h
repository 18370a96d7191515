// Points as a bin of a chart takes them: those with a place on the axis, by x, equal ones as
// logged.
#pragma once

#include "model/bins.h"

#include <algorithm>
#include <vector>

namespace taffrail::test {

struct PointsInOrder {
    std::vector<double> x, value;
};

inline PointsInOrder points_in_order(const std::vector<double>& x, const std::vector<double>& value,
                                     Scale scale) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (model::has_place(x[i], scale)) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    PointsInOrder points;
    for (const std::size_t i : order) {
        points.x.push_back(x[i]);
        points.value.push_back(value[i]);
    }
    return points;
}

}  // namespace taffrail::test
