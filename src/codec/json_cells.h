// JSON of settings and table rows as cells.
#pragma once

#include <taffrail/value.h>

#include "codec/json.h"

#include <optional>

namespace taffrail {

/// Truth, numbers and texts as the same thing in a variant that holds them; nothing for null, lists
/// and objects.
template <typename Value>
std::optional<Value> plain_value(const Json& json) {
    if (const auto truth = json.truth()) {
        return Value(*truth);
    }
    if (const auto whole = json.integer()) {
        return Value(*whole);
    }
    if (const auto number = json.number()) {
        return Value(*number);
    }
    const auto* const text = json.string();
    return text != nullptr ? std::optional(Value(*text)) : std::nullopt;
}

/// A whole number stays one; lists and objects become their text.
Cell cell_of(const Json& json);

}  // namespace taffrail
