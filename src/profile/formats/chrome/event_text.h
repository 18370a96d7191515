// The pieces a trace event is put together from, each made once: names and categories with their
// escapes, threads, and times in microseconds with three decimals.
#pragma once

#include "codec/json_writer.h"
#include "profile/profile.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile {

class EscapedTexts {
  public:
    explicit EscapedTexts(const Texts& texts) : texts_(texts), places_(texts.size()) {}

    /// With its quotes.
    std::string_view operator[](TextId id) {
        Place& place = places_[id];
        if (place.length == 0) {
            place.offset = characters_.size();
            append_json_string(characters_, texts_[id]);
            place.length = characters_.size() - place.offset;
        }
        return std::string_view(characters_).substr(place.offset, place.length);
    }

  private:
    struct Place {
        std::size_t offset = 0, length = 0;
    };

    const Texts& texts_;
    std::vector<Place> places_;
    std::string characters_;
};

/// `"pid":1,"tid":2` of every thread.
std::vector<std::string> thread_members(const Profile& profile);
/// A number, or a text where the writer of the file used one.
std::string id_json(const Profile& profile, std::int64_t id, TextId id_text);

/// 1234567 → "1234.567"; exact for every nanosecond.
inline void append_microseconds(std::string& to, std::int64_t time_ns) {
    char digits[32];
    char* at = digits;
    auto left = static_cast<std::uint64_t>(time_ns);
    if (time_ns < 0) {
        *at++ = '-';
        left = 0 - left;
    }
    at = std::to_chars(at, digits + sizeof digits, left / 1000).ptr;
    if (const auto rest = static_cast<unsigned>(left % 1000); rest != 0) {
        *at++ = '.';
        *at++ = static_cast<char>('0' + rest / 100);
        *at++ = static_cast<char>('0' + rest / 10 % 10);
        *at++ = static_cast<char>('0' + rest % 10);
    }
    to.append(digits, at);
}

}  // namespace taffrail::profile
