// Numbers that are the same for the same seed on every machine; the distributions of the standard
// library are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace taffrail::cli::demo {

class Random {
  public:
    explicit Random(std::uint64_t seed) : generator_(seed) {}

    std::uint64_t bits() { return generator_(); }

    /// From 0 up to 1.
    double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }

    /// Mean 0, deviation 1.
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

  private:
    std::mt19937_64 generator_;
};

}  // namespace taffrail::cli::demo
