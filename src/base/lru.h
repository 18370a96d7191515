// What was used last, up to a limit. Not locked: whoever holds one knows what else has to hold.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <map>
#include <utility>

namespace taffrail {

template <typename Name, typename Kept>
class Lru {
  public:
    explicit Lru(std::size_t limit) : limit_(limit) {}

    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

    /// Of everything kept, in the unit of the limit.
    [[nodiscard]] std::size_t weight() const noexcept { return weight_; }

    [[nodiscard]] bool contains(const Name& name) const { return places_.contains(name); }

    /// Counts as a use. Null when it is not kept.
    Kept* find(const Name& name) {
        const auto place = places_.find(name);
        if (place == places_.end()) {
            return nullptr;
        }
        order_.splice(order_.begin(), order_, place->second);
        return &place->second->kept;
    }

    /// In place of what was kept under the name. What was used longest ago goes until the rest is
    /// within the limit; this one stays, however heavy.
    void keep(const Name& name, Kept kept, std::size_t weight) {
        drop(name);
        order_.push_front({name, std::move(kept), weight});
        places_.emplace(name, order_.begin());
        weight_ += weight;
        while (weight_ > limit_ && order_.size() > 1) {
            drop_oldest();
        }
    }

    void drop(const Name& name) {
        if (const auto place = places_.find(name); place != places_.end()) {
            drop(place);
        }
    }

    /// Names from `first` to before `end`.
    void drop_range(const Name& first, const Name& end) {
        for (auto place = places_.lower_bound(first);
             place != places_.end() && place->first < end;) {
            drop(place++);
        }
    }

    /// What was used longest ago; null when nothing is kept.
    [[nodiscard]] const Kept* oldest() const {
        return order_.empty() ? nullptr : &order_.back().kept;
    }

    void drop_oldest() { drop(places_.find(order_.back().name)); }

  private:
    struct Item {
        Name name;
        Kept kept;
        std::size_t weight;
    };

    using Places = std::map<Name, typename std::list<Item>::iterator>;

    void drop(typename Places::iterator place) {
        weight_ -= place->second->weight;
        order_.erase(place->second);
        places_.erase(place);
    }

    const std::size_t limit_;
    std::size_t weight_ = 0;
    std::list<Item> order_;  ///< used last in front
    Places places_;
};

}  // namespace taffrail
