#pragma once

#include <string>
#include <string_view>

namespace taffrail {

/// Well-formed UTF-8 without surrogates and overlong forms.
bool is_valid_utf8(std::string_view text) noexcept;
/// Invalid bytes replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

}  // namespace taffrail
