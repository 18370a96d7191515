// An open-addressing table of 32-bit ids: the things themselves live in their owner's vectors, the
// table only finds the id of an equal one. No pointer, no allocation per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace taffrail::profile {

/// Spreads all bits of `value` over the result.
inline std::uint64_t mix(std::uint64_t value) noexcept {
    value ^= value >> 32;
    value *= 0x9E3779B97F4A7C15U;
    value ^= value >> 29;
    value *= 0xBF58476D1CE4E5B9U;
    return value ^ (value >> 32);
}

class IdTable {
  public:
    static constexpr std::uint32_t kFree = UINT32_MAX;

    /// The id for which `equal(id)` holds, else the one `make()` returns. `hash_of(id)` is asked
    /// when the table grows.
    template <typename Equal, typename Make, typename HashOf>
    std::uint32_t find_or_make(std::uint64_t hash, Equal&& equal, Make&& make, HashOf&& hash_of) {
        if ((count_ + 1) * 2 > slots_.size()) {
            grow(hash_of);
        }
        std::size_t place = hash & (slots_.size() - 1);
        for (; slots_[place] != kFree; place = (place + 1) & (slots_.size() - 1)) {
            if (equal(slots_[place])) {
                return slots_[place];
            }
        }
        const std::uint32_t id = make();
        slots_[place] = id;
        ++count_;
        return id;
    }

  private:
    template <typename HashOf>
    void grow(HashOf& hash_of) {
        std::vector<std::uint32_t> old(slots_.empty() ? 64 : slots_.size() * 2, kFree);
        old.swap(slots_);
        for (const std::uint32_t id : old) {
            if (id == kFree) {
                continue;
            }
            std::size_t place = hash_of(id) & (slots_.size() - 1);
            while (slots_[place] != kFree) {
                place = (place + 1) & (slots_.size() - 1);
            }
            slots_[place] = id;
        }
    }

    std::vector<std::uint32_t> slots_;
    std::size_t count_ = 0;
};

}  // namespace taffrail::profile
