#include "profile/shown_name.h"

#include "profile/texts.h"

#include <array>
#include <cstdio>

namespace taffrail::profile {

std::string_view shown_name(std::string_view whole) noexcept {
    if (whole.size() <= kLongestShownName) {
        return whole;
    }
    std::size_t length = kLongestShownName;
    // Back to the beginning of a character, which is at most three bytes before.
    for (int moved = 0; moved < 3 && (whole[length] & 0xC0) == 0x80; ++moved) {
        --length;
    }
    return whole.substr(0, length);
}

void write_name(JsonWriter& json, std::string_view whole) {
    const std::string_view shown = shown_name(whole);
    json.member("name", shown);
    if (shown.size() < whole.size()) {
        std::array<char, 24> mark{};
        std::snprintf(mark.data(), mark.size(), "%016llx",
                      static_cast<unsigned long long>(Texts::hash(whole)));
        json.member("cut", mark.data());
    }
}

}  // namespace taffrail::profile
