#include "profile/json_scan.h"

#include "base/strings.h"
#include "base/utf8.h"

#include <charconv>
#include <cmath>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace taffrail::profile {
namespace {

/// The first quote, backslash, control character or byte above 127.
const char* find_special(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
                  space = _mm_set1_epi8(' ');
    for (; end - at >= 16; at += 16) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        // Signed: bytes above 127 are below the space too.
        const __m128i special = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
            _mm_cmplt_epi8(block, space));
        if (const int mask = _mm_movemask_epi8(special); mask != 0) {
            return at + __builtin_ctz(static_cast<unsigned>(mask));
        }
    }
#endif
    while (at != end && *at != '"' && *at != '\\' && static_cast<signed char>(*at) >= ' ') {
        ++at;
    }
    return at;
}

bool is_number_character(char character) noexcept {
    return (character >= '0' && character <= '9') || character == '-' || character == '+' ||
           character == '.' || character == 'e' || character == 'E';
}

/// The end of the number that begins at `at` by JSON's grammar, so that what is written again is
/// read by others; null where none begins.
const char* end_of_number(const char* at, const char* end) noexcept {
    const auto digits = [&] {
        const char* from = at;
        while (at != end && *at >= '0' && *at <= '9') {
            ++at;
        }
        return at - from;
    };
    at += at != end && *at == '-' ? 1 : 0;
    const bool is_nought = at != end && *at == '0';
    const auto whole = digits();
    if (whole == 0 || (is_nought && whole > 1)) {
        return nullptr;
    }
    if (at != end && *at == '.') {
        ++at;
        if (digits() == 0) {
            return nullptr;
        }
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        at += at != end && (*at == '+' || *at == '-') ? 1 : 0;
        if (digits() == 0) {
            return nullptr;
        }
    }
    return at;
}

}  // namespace

RawString JsonScan::string() noexcept {
    if (!take('"')) {
        fail();
        return {};
    }
    const char* from = at_;
    bool is_plain = true;
    for (;;) {
        at_ = find_special(at_, end_);
        if (at_ == end_ || *at_ == '\n') {
            // No string goes over the end of its line: a forgotten quote spoils one line only.
            fail();
            return {};
        }
        if (*at_ == '"') {
            break;
        }
        is_plain = false;
        if (*at_ == '\\') {
            if (end_ - at_ < 2 || at_[1] == '\n' ||
                std::string_view("\"\\/bfnrtu").find(at_[1]) == std::string_view::npos) {
                fail();
                return {};
            }
            if (at_[1] == 'u') {
                if (end_ - at_ < 6) {
                    fail();
                    return {};
                }
                for (int digit = 2; digit < 6; ++digit) {
                    const char c = at_[digit];
                    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
                          (c >= 'A' && c <= 'F'))) {
                        fail();
                        return {};
                    }
                }
                at_ += 4;
            }
            at_ += 2;
        } else {
            is_doubtful_ = true;
            ++at_;
        }
    }
    const RawString found{{from, static_cast<std::size_t>(at_ - from)}, is_plain};
    ++at_;
    return found;
}

bool JsonScan::word(std::string_view word) noexcept {
    if (static_cast<std::size_t>(end_ - at_) < word.size() ||
        std::string_view(at_, word.size()) != word) {
        return false;
    }
    at_ += word.size();
    return true;
}

std::string_view JsonScan::number() noexcept {
    skip_space();
    const char* from = at_;
    // Half of a trace is numbers, and next to none of them are these words.
    const char letter = at_ == end_ ? '\0' : end_ - at_ > 1 && *at_ == '-' ? at_[1] : *at_;
    if ((letter == 'N' || letter == 'I') &&
        (word("NaN") || word("Infinity") || word("-Infinity"))) {
        is_doubtful_ = true;
    } else if (const char* until = end_of_number(at_, end_);
               until != nullptr && (until == end_ || !is_number_character(*until))) {
        at_ = until;
    } else {
        while (at_ != end_ && is_number_character(*at_)) {
            ++at_;
        }
        fail();
    }
    return {from, static_cast<std::size_t>(at_ - from)};
}

bool JsonScan::skip_scalar() noexcept {
    switch (peek()) {
        case '"':
            (void)string();
            break;
        case 't':
            return word("true");
        case 'f':
            return word("false");
        case 'n':
            return word("null");
        default:
            (void)number();
    }
    return !failed_;
}

std::string_view JsonScan::value() {
    skip_space();
    const char* from = at_;
    open_.clear();
    do {
        // One value: a bracket opens and its first element comes next, or it is complete.
        const char next = peek();
        if (next == '{' || next == '[') {
            ++at_;
            const char closing = next == '{' ? '}' : ']';
            if (!take(closing)) {
                open_.push_back(closing);
                if (closing == '}') {
                    (void)key();
                }
                if (failed_) {
                    return {};
                }
                continue;
            }
        } else if (!skip_scalar()) {
            fail();
            return {};
        }
        while (!open_.empty()) {
            if (take(',')) {
                if (open_.back() == '}') {
                    (void)key();
                    if (failed_) {
                        return {};
                    }
                }
                break;
            }
            if (!take(open_.back())) {
                fail();
                return {};
            }
            open_.pop_back();
        }
    } while (!open_.empty());
    return {from, static_cast<std::size_t>(at_ - from)};
}

bool JsonScan::find_next_object() noexcept {
    failed_ = false;
    bool after_comma = false;
    for (; at_ != end_; ++at_) {
        if (*at_ == ',') {
            after_comma = true;
        } else if (*at_ == '{' && after_comma) {
            return true;
        } else if (*at_ != ' ' && *at_ != '\n' && *at_ != '\r' && *at_ != '\t') {
            after_comma = false;
        }
    }
    return false;
}

namespace {

std::uint32_t hex4(std::string_view digits) noexcept {
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return value;
}

void append_utf8(std::string& to, std::uint32_t code) {
    if (code < 0x80) {
        to.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
        to.push_back(static_cast<char>(0xC0 | code >> 6));
        to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        to.push_back(static_cast<char>(0xE0 | code >> 12));
        to.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
        to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    } else {
        to.push_back(static_cast<char>(0xF0 | code >> 18));
        to.push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
        to.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
        to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    }
}

/// The character of "uXXXX" at `at`, with its second half where it has one; moves `at` behind it.
std::uint32_t escaped_code(std::string_view text, std::size_t& at) noexcept {
    const std::uint32_t code = hex4(text.substr(at + 1, 4));
    at += 5;
    if (code < 0xD800 || code > 0xDFFF) {
        return code;
    }
    if (code < 0xDC00 && text.size() - at >= 6 && text[at] == '\\' && text[at + 1] == 'u') {
        const std::uint32_t low = hex4(text.substr(at + 2, 4));
        if (low >= 0xDC00 && low <= 0xDFFF) {
            at += 6;
            return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return 0xFFFD;  // half a pair stands for nothing
}

}  // namespace

std::string_view unescape(const RawString& raw, std::string& buffer) {
    if (raw.is_plain) {
        return raw.text;
    }
    buffer.clear();
    const std::string_view text = raw.text;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '\\') {
            const std::size_t until = std::min(text.find('\\', at), text.size());
            buffer.append(text.substr(at, until - at));
            at = until;
            continue;
        }
        const char kind = at + 1 < text.size() ? text[at + 1] : '\\';
        ++at;
        if (kind == 'u') {
            append_utf8(buffer, escaped_code(text, at));
            continue;
        }
        static constexpr std::string_view kNames = "bfnrt", kCharacters = "\b\f\n\r\t";
        const std::size_t place = kNames.find(kind);
        buffer.push_back(place == std::string_view::npos ? kind : kCharacters[place]);
        ++at;
    }
    if (!is_valid_utf8(buffer)) {
        buffer = repair_utf8(buffer);
    }
    return buffer;
}

std::string clean_json(std::string_view json) {
    const std::string repaired = is_valid_utf8(json) ? std::string(json) : repair_utf8(json);
    std::string clean;
    clean.reserve(repaired.size());
    bool in_string = false;
    for (std::size_t at = 0; at < repaired.size(); ++at) {
        const char character = repaired[at];
        if (in_string && character == '\\' && at + 1 < repaired.size()) {
            clean.append(repaired, at, 2);
            ++at;
        } else if (in_string && static_cast<unsigned char>(character) < 0x20) {
            static constexpr std::string_view kDigits = "0123456789abcdef";
            clean.append("\\u00");
            clean.push_back(kDigits[static_cast<unsigned char>(character) >> 4]);
            clean.push_back(kDigits[character & 15]);
        } else if (!in_string && (character == 'N' || character == 'I')) {
            if (clean.ends_with('-')) {
                clean.pop_back();
            }
            clean.append("null");
            at += character == 'N' ? 2 : 7;
        } else {
            in_string ^= character == '"';
            clean.push_back(character);
        }
    }
    return clean;
}

bool parse_microseconds(std::string_view text, std::int64_t& time_ns) noexcept {
    const bool is_negative = text.starts_with('-');
    std::size_t at = is_negative ? 1 : 0;
    std::uint64_t whole = 0;
    const std::size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at - first < 16) {
        whole = whole * 10 + static_cast<std::uint64_t>(text[at++] - '0');
    }
    std::uint64_t thousandths = 0;
    if (at < text.size() && text[at] == '.') {
        unsigned scale = 100;
        for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
            if (scale > 0) {
                thousandths += scale * static_cast<std::uint64_t>(text[at] - '0');
                scale /= 10;
            } else {
                // The fourth decimal rounds; what comes after it says nothing.
                thousandths += text[at] >= '5' ? 1 : 0;
                while (at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9') {
                    ++at;
                }
            }
        }
    }
    if (at == text.size() && at > first && whole < 4'600'000'000'000'000) {
        const auto magnitude = static_cast<std::int64_t>(whole * 1000 + thousandths);
        time_ns = is_negative ? -magnitude : magnitude;
        return true;
    }
    const auto value = parse_double(text);
    if (!value || !std::isfinite(*value) || std::abs(*value) > 4.6e15) {
        return false;
    }
    time_ns = std::llround(*value * 1000);
    return true;
}

}  // namespace taffrail::profile
