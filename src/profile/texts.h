// Texts kept once: names of functions, files, categories. Each is known by a number.
#pragma once

#include "profile/id_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile {

/// Number of a text; 0 is the empty one.
using TextId = std::uint32_t;

class Texts {
  public:
    Texts();

    /// The number of `text`, which is copied when it is new.
    TextId id(std::string_view text);

    /// Valid until the next new text.
    [[nodiscard]] std::string_view operator[](TextId id) const noexcept {
        const Entry& entry = entries_[id];
        return {characters_.data() + entry.offset, entry.length};
    }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    static std::uint64_t hash(std::string_view text) noexcept;

  private:
    struct Entry {
        std::uint64_t offset = 0, hash = 0;
        std::uint32_t length = 0;
    };

    std::string characters_;
    std::vector<Entry> entries_;
    IdTable table_;
};

}  // namespace taffrail::profile
