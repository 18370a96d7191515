// Which of several metric definitions holds for a key: one rule for readers and sinks.
#pragma once

#include "base/strings.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace taffrail {

/// Of `count` definitions, oldest first: the one whose pattern is the whole name, else the newest
/// that matches. `pattern_of(i)` gives their patterns.
template <typename PatternOf>
std::optional<std::size_t> find_definition(std::size_t count, const PatternOf& pattern_of,
                                           std::string_view key) {
    std::optional<std::size_t> found;
    bool by_name = false;
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_name = pattern_of(i) == key;
        if (is_name || (!by_name && glob_match(pattern_of(i), key))) {
            found = i;
            by_name = is_name;
        }
    }
    return found;
}

}  // namespace taffrail
