// A table of tags by their hash, for the writer and the reader of event files: open addressing over
// a list of tags that only grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taffrail::formats::tensorboard {

/// Doubles `table`, which holds a tag's number + 1 or 0 where it is free, and files `tags` anew.
template <typename Tag>
void grow_tag_table(std::vector<std::uint32_t>& table, const std::vector<Tag>& tags) {
    constexpr std::size_t kLeast = 16;
    table.assign(std::max(kLeast, table.size() * 2), 0);
    const std::size_t mask = table.size() - 1;
    for (std::uint32_t index = 0; index < tags.size(); ++index) {
        std::size_t slot = tags[index].hash & mask;
        while (table[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        table[slot] = index + 1;
    }
}

}  // namespace taffrail::formats::tensorboard
