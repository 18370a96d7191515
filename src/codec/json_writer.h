// Writes JSON straight into a string: no tree, numbers by to_chars (shortest form that reads back
// the same).
//
//   JsonWriter json;
//   json.begin_object().member("run",
//   id).key("points").begin_array().value(1.5).end_array().end_object(); std::string text =
//   std::move(json).take();
#pragma once

#include <taffrail/value.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// Commas, quotes and escapes are this class's work; matching begin and end is the caller's.
/// Invalid UTF-8 is written as U+FFFD. NaN and infinities are written as the strings "NaN",
/// "Infinity", "-Infinity".
class JsonWriter {
  public:
    JsonWriter() = default;

    /// Indents by `indent` spaces a level; 0 writes one line.
    explicit JsonWriter(int indent) : indent_(indent) {}

    JsonWriter& begin_object() { return open('{'); }

    JsonWriter& end_object() { return close('}'); }

    JsonWriter& begin_array() { return open('['); }

    JsonWriter& end_array() { return close(']'); }

    JsonWriter& key(std::string_view name);

    JsonWriter& null();
    JsonWriter& value(bool truth);
    JsonWriter& value(double number);
    JsonWriter& value(std::string_view text);

    JsonWriter& value(const char* text) { return value(std::string_view(text)); }

    JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }

    JsonWriter& value(const Cell& cell);

    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    JsonWriter& value(Integer number) {
        if constexpr (std::is_signed_v<Integer>) {
            return integer(static_cast<std::int64_t>(number));
        } else {
            return unsigned_integer(static_cast<std::uint64_t>(number));
        }
    }

    template <typename T>
    JsonWriter& member(std::string_view name, const T& content) {
        return key(name).value(content);
    }

    /// Text that is JSON already.
    JsonWriter& raw(std::string_view json);

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    [[nodiscard]] std::string take() && { return std::move(text_); }

    /// Forgets everything but the memory, for the next line.
    void clear() noexcept;

  private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    JsonWriter& integer(std::int64_t number);
    JsonWriter& unsigned_integer(std::uint64_t number);
    void separate();
    void new_line();

    std::string text_;
    std::vector<bool> has_members_;  // one per open bracket
    bool after_key_ = false;
    int indent_ = 0;
};

/// `text` as a JSON string with its quotes, appended to `to`.
void append_json_string(std::string& to, std::string_view text);

}  // namespace taffrail
