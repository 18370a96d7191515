#include "profile/texts.h"

#include "base/bytes.h"

#include <cstring>

namespace taffrail::profile {

Texts::Texts() {
    id("");
}

std::uint64_t Texts::hash(std::string_view text) noexcept {
    std::uint64_t state = text.size() * 0x9E3779B97F4A7C15U;
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; at += 8, left -= 8) {
        state = (state ^ load<std::uint64_t>(at)) * 0x9FB21C651E98DF25U;
        state ^= state >> 31;
    }
    if (left > 0) {
        std::uint64_t rest = 0;
        std::memcpy(&rest, at, left);
        state = (state ^ rest) * 0x9FB21C651E98DF25U;
        state ^= state >> 31;
    }
    return mix(state);
}

TextId Texts::id(std::string_view text) {
    text = text.substr(0, UINT32_MAX);
    const std::uint64_t hash_of_text = hash(text);
    return table_.find_or_make(
        hash_of_text,
        [&](std::uint32_t known) {
            return entries_[known].hash == hash_of_text && (*this)[known] == text;
        },
        [&] {
            entries_.push_back(
                {characters_.size(), hash_of_text, static_cast<std::uint32_t>(text.size())});
            characters_.append(text);
            return static_cast<std::uint32_t>(entries_.size() - 1);
        },
        [&](std::uint32_t known) { return entries_[known].hash; });
}

}  // namespace taffrail::profile
