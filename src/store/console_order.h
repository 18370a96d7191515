// The captured lines of all writers in one order, without a copy of them.
#pragma once

#include "store/run_data.h"

#include <cstdint>
#include <map>
#include <vector>

namespace taffrail::store {

/// By time, then by the order of the writers given. Takes in new lines only; call clear() when
/// writers go.
class ConsoleOrder {
  public:
    void update(const std::vector<const WriterData*>& writers);
    void clear();

    /// Lines first … first+count-1, as far as there are any.
    [[nodiscard]] std::vector<ConsoleLine> lines(std::size_t first, std::size_t count) const;

  private:
    struct Place {
        const WriterData* writer = nullptr;
        std::size_t line = 0;
    };

    [[nodiscard]] static std::int64_t time_of(const Place& place) noexcept {
        return place.writer->console[place.line].time_ns;
    }

    std::vector<Place> places_;
    std::map<const WriterData*, std::size_t> taken_;
};

}  // namespace taffrail::store
