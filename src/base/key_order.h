// What belongs to a name, for names that come in the same order again and again: the columns of the
// rows of a run. The one that came behind the last one is tried first, which costs a comparison in
// the place of a search.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace taffrail {

template <typename T>
class KeyOrder {
  public:
    /// Null for a name that was not added.
    T* find(std::string_view name) {
        next_ = next_ < known_.size() ? next_ : 0;
        if (next_ < known_.size() && known_[next_].first == name) {
            return known_[next_++].second;
        }
        const auto found = places_.find(name);
        if (found == places_.end()) {
            return nullptr;
        }
        next_ = found->second + 1;
        return known_[found->second].second;
    }

    /// `value` must live as long as this. The name must not be known yet.
    T& add(std::string_view name, T& value) {
        places_.emplace(name, known_.size());
        known_.emplace_back(name, &value);
        next_ = known_.size();
        return value;
    }

    void clear() {
        known_.clear();
        places_.clear();
        next_ = 0;
    }

  private:
    struct Hash {
        using is_transparent = void;

        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>()(text);
        }
    };

    std::vector<std::pair<std::string, T*>> known_;
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;
    std::size_t next_ = 0;
};

}  // namespace taffrail
