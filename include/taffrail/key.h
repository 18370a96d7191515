// Names and axes of what is logged.
#pragma once

#include <taffrail/api.h>

#include <compare>
#include <cstdint>
#include <string_view>

namespace taffrail {

/// The x position a caller gives. Any order, any value, repeats allowed.
using Step = std::int64_t;

/// "The caller gave no step": the key's next step is taken (0, 1, 2, …).
inline constexpr Step kAutoStep = INT64_MIN + 1;

/// A key (series name) of one run after its first use. Keys are any UTF-8 up to 64 KiB; `/` groups
/// them.
struct KeyId {
    std::uint32_t value = 0;
    auto operator<=>(const KeyId&) const = default;
};

/// Which loop a record belongs to.
enum class Phase : std::uint8_t {
    None = 0,
    Train = 1,
    Validate = 2,
    Test = 3,
    Predict = 4,
    Sanity = 5
};

/// "train", "validate", "test", "predict", "sanity"; "" for None.
TAFFRAIL_API std::string_view to_string(Phase phase) noexcept;

}  // namespace taffrail
