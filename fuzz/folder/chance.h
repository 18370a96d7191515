// Random choices of a mutator, from libFuzzer's seed, so that a run can be repeated.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace taffrail::fuzzing {

class Chance {
  public:
    explicit Chance(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t count) {
        return count == 0 ? 0 : static_cast<std::size_t>(random_()) % count;
    }

    bool one_in(std::size_t count) { return below(count) == 0; }

    template <typename T>
    T& pick(std::vector<T>& from) {
        return from[below(from.size())];
    }

    /// A number that stands at an edge, or near the one that was there.
    template <typename T>
    void number(T& value) {
        static constexpr std::int64_t kEdges[] = {
            0,         1,         2,         -1,        3,
            255,       65535,     INT32_MAX, INT32_MIN, std::int64_t{UINT32_MAX},
            1ll << 40, 1ll << 53, INT64_MAX, INT64_MIN, (1ll << 53) + 1,
            4096,      1ll << 20, 16384,     8192,      127};
        if constexpr (std::is_floating_point_v<T>) {
            static constexpr double kOdd[] = {0.0, -0.0, 1e308, -1e308, 1e-310, 1e300 * 1e10};
            value = one_in(3) ? kOdd[below(6)] - (one_in(4) ? kOdd[5] : 0) : value * 1.5 + 1;
        } else if (one_in(2)) {
            value = static_cast<T>(kEdges[below(std::size(kEdges))]);
        } else {
            value = static_cast<T>(static_cast<std::uint64_t>(value) + below(9) - 4);
        }
    }

    /// libFuzzer's own changes, which learn from comparisons the program makes.
    void bytes(Bytes& value, std::size_t most = 4096) {
        const std::size_t room = value.size() + 64 < most ? value.size() + 64 : value.size() + 1;
        const std::size_t size = value.size();
        value.resize(room);
        value.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(value.data()), size, room));
    }

  private:
    std::minstd_rand random_;
};

}  // namespace taffrail::fuzzing
