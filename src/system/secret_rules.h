// What the parts of the search for secrets share. Each pass takes time in proportion to the text:
// every position is looked at a bounded number of times, whatever stands there.
#pragma once

#include "system/secret_shapes.h"

#include <array>
#include <string>
#include <string_view>

namespace taffrail::system {

/// A set of characters that is searched for in one step a character.
class CharacterSet {
  public:
    constexpr explicit CharacterSet(std::string_view characters) {
        for (const char c : characters) {
            holds_[static_cast<unsigned char>(c)] = true;
        }
    }

    [[nodiscard]] constexpr bool holds(char c) const {
        return holds_[static_cast<unsigned char>(c)];
    }

    /// The first one at or behind `from`; the end of the text when there is none.
    [[nodiscard]] constexpr std::size_t find_in(std::string_view text, std::size_t from = 0) const {
        while (from < text.size() && !holds(text[from])) {
            ++from;
        }
        return from;
    }

  private:
    std::array<bool, 256> holds_{};
};

inline constexpr CharacterSet kNameCharacters{
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."};

/// Replaces parts of a text from left to right; what is not replaced is copied in long pieces.
class Rewriter {
  public:
    explicit Rewriter(std::string_view text) : text_(text) {}

    void replace(std::size_t from, std::size_t to, std::string_view with) {
        out_.append(text_.substr(kept_, from - kept_)).append(with);
        kept_ = to;
    }

    /// Puts the result into `text`, which this was made from.
    void finish(std::string& text) {
        if (kept_ > 0) {
            out_.append(text_.substr(kept_));
            text = std::move(out_);
        }
    }

  private:
    std::string_view text_;
    std::string out_;
    std::size_t kept_ = 0;
};

/// A value nobody would keep secret: a small number, a truth value, a variable reference, nothing.
bool is_harmless_value(std::string_view name, std::string_view value);

/// `curl -u name:password`, `mysql -ppassword`: passwords that no name stands in front of.
void remove_command_passwords(std::string& text);

/// The whole search.
std::string scrub_text(std::string_view text, SecretPlace place);

}  // namespace taffrail::system
