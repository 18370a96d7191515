// Random series of every shape that upsets binning: gaps, repeated positions, NaN, infinities, few
// or many points.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace taffrail::model::testing {

struct Shape {
    std::size_t points = 0;
    double repeat = 0;   ///< share of points that stay at the position of the one before
    double gap = 0;      ///< share of points behind a wide gap
    double special = 0;  ///< share of NaN and infinities
    double start = 0;
    bool whole = true;  ///< positions are whole numbers
};

struct Series {
    std::vector<double> x, value;
};

inline Series make_series(const Shape& shape, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    std::normal_distribution<double> noise(0, 1);
    Series series;
    double x = shape.start;
    for (std::size_t i = 0; i < shape.points; ++i) {
        series.x.push_back(x);
        double value = noise(random);
        if (share(random) < shape.special) {
            const auto which = random() % 3;
            value = which == 0   ? std::numeric_limits<double>::quiet_NaN()
                    : which == 1 ? std::numeric_limits<double>::infinity()
                                 : -std::numeric_limits<double>::infinity();
        }
        series.value.push_back(value);
        if (share(random) >= shape.repeat) {
            const double stride =
                share(random) < shape.gap ? 1e5 * share(random) : 1 + 3 * share(random);
            x += shape.whole ? std::ceil(stride) : stride;
        }
    }
    return series;
}

}  // namespace taffrail::model::testing
