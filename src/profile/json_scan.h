// Walks over JSON text without building anything: for files of gigabytes, of which an importer
// wants some members. Strict enough that what it skips may be written again as it is.
//
// A failed scan says where: `failed()` and `offset()`. Nesting costs a byte a level, no stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile {

/// A string as it stands in the text, between its quotes.
struct RawString {
    std::string_view text;
    bool is_plain = true;  ///< printable ASCII without escapes: what it says is what it is
};

class JsonScan {
  public:
    explicit JsonScan(std::string_view text)
        : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

    [[nodiscard]] bool failed() const noexcept { return failed_; }

    [[nodiscard]] std::size_t offset() const noexcept {
        return static_cast<std::size_t>(at_ - begin_);
    }

    [[nodiscard]] bool at_end() noexcept {
        skip_space();
        return at_ == end_;
    }

    /// The next character that is no space, which stays; 0 at the end.
    [[nodiscard]] char peek() noexcept {
        skip_space();
        return at_ == end_ ? '\0' : *at_;
    }

    /// Takes `character` when it comes next.
    bool take(char character) noexcept {
        if (peek() != character || at_ == end_) {
            return false;
        }
        ++at_;
        return true;
    }

    /// After an opening bracket and after each element: true when another one follows, false at
    /// the closing bracket, which is taken, and at a failure.
    bool next_element(bool& is_first, char closing) noexcept {
        const char next = peek();
        if (next == closing) {
            ++at_;
            return false;
        }
        if (!is_first) {
            if (next != ',') {
                fail();
                return false;
            }
            ++at_;
        }
        is_first = false;
        if (peek() == '\0') {
            fail();
            return false;
        }
        return true;
    }

    /// A member's name and its colon.
    RawString key() noexcept {
        const RawString name = string();
        if (!take(':')) {
            fail();
        }
        return name;
    }

    RawString string() noexcept;
    /// The text of a number; also NaN, Infinity and -Infinity, which some writers use.
    std::string_view number() noexcept;
    /// Skips a value of any kind and returns its text.
    std::string_view value();

    /// True when skipped text holds what has to be made clean before it is written again: bytes
    /// above 127, raw control characters, NaN.
    [[nodiscard]] bool is_doubtful() const noexcept { return is_doubtful_; }

    void clear_doubt() noexcept { is_doubtful_ = false; }

    /// After a failure: goes to the next '{' behind a comma, where another element may begin. False
    /// when there is none.
    bool find_next_object() noexcept;

    void fail() noexcept { failed_ = true; }

    /// Goes on as if nothing had been wrong.
    void recover() noexcept { failed_ = false; }

  private:
    void skip_space() noexcept {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) {
            ++at_;
        }
    }

    bool skip_scalar() noexcept;
    bool word(std::string_view word) noexcept;

    const char *begin_, *at_, *end_;
    bool failed_ = false, is_doubtful_ = false;
    std::vector<char> open_;
};

/// What a raw string says: escapes resolved, invalid UTF-8 repaired. `buffer` holds the result
/// where it is not in the text.
std::string_view unescape(const RawString& raw, std::string& buffer);

/// JSON text that any reader takes: invalid UTF-8 repaired, control characters in strings escaped,
/// NaN and infinities null.
std::string clean_json(std::string_view json);

/// Microseconds as decimal text to nanoseconds, exact to the nanosecond; false for what is no
/// finite time within ±146 years.
bool parse_microseconds(std::string_view text, std::int64_t& time_ns) noexcept;

}  // namespace taffrail::profile
