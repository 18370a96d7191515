// Random numbers that are the same with every standard library.
#pragma once

#include <cmath>
#include <cstdint>

namespace vae_digits {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

    std::uint64_t next() {
        // splitmix64
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    /// 0 ≤ x < 1.
    float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

    float between(float low, float high) { return low + (high - low) * uniform(); }

    std::uint64_t below(std::uint64_t limit) { return next() % limit; }

    /// Standard normal, by Box and Muller.
    float normal() {
        const float radius = std::sqrt(-2.0f * std::log(1.0f - uniform()));
        return radius * std::cos(6.2831853f * uniform());
    }

  private:
    std::uint64_t state_;
};

}  // namespace vae_digits
