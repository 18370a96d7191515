// Named numbers in the order they first appeared: the views that callbacks, bars and sinks read.
#pragma once

#include <taffrail/api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace taffrail {

/// A small ordered map from names to numbers. Places of names never move, not even over clear(), so
/// that a loop can write by place without a lookup.
class TAFFRAIL_API MetricMap {
  public:
    [[nodiscard]] std::optional<double> find(std::string_view name) const noexcept;

    [[nodiscard]] bool contains(std::string_view name) const noexcept {
        return find(name).has_value();
    }

    [[nodiscard]] std::size_t size() const noexcept;

    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    /// Copies of what is there, in order.
    [[nodiscard]] std::vector<std::pair<std::string, double>> items() const;

    void set(std::string_view name, double value) { set_at(place_of(name), value); }

    void erase(std::string_view name) noexcept;

    void clear() noexcept { ++generation_; }

    /// The place of a name, made when new.
    std::uint32_t place_of(std::string_view name);

    void set_at(std::uint32_t place, double value) noexcept {
        entries_[place].value = value;
        entries_[place].generation = generation_;
    }

    [[nodiscard]] const std::string& name_at(std::uint32_t place) const noexcept {
        return entries_[place].name;
    }

    /// Calls `visit(name, value)` for each one.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const Entry& entry : entries_) {
            if (entry.generation == generation_) {
                visit(std::string_view(entry.name), entry.value);
            }
        }
    }

  private:
    struct Entry {
        std::string name;
        double value = 0;
        std::uint64_t generation = 0;  // there when equal to the map's
    };

    struct Hash {
        using is_transparent = void;

        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>()(text);
        }
    };

    std::vector<Entry> entries_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> places_;
    std::uint64_t generation_ = 1;
};

}  // namespace taffrail
