// Keys and values of an Aim repository: paths of names and numbers, and leaves with one byte of
// type.
#pragma once

#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace taffrail::formats::aim {

/// A path under construction.
class Path {
  public:
    Path() = default;

    explicit Path(std::initializer_list<std::string_view> names) {
        for (const std::string_view name : names) {
            add(name);
        }
    }

    Path& add(std::string_view name);
    Path& add(std::int64_t number);

    [[nodiscard]] Path operator/(std::string_view name) const { return Path(*this).add(name); }

    [[nodiscard]] Path operator/(std::int64_t number) const { return Path(*this).add(number); }

    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

  private:
    std::string bytes_;
};

using PathPart = std::variant<std::string, std::int64_t>;

/// The parts of a key; nothing for bytes that are no path.
std::optional<std::vector<PathPart>> parse_path(ByteSpan key);

// Leaves.
std::string none();
std::string truth(bool value);
std::string whole(std::int64_t value);
std::string number(double value);
std::string text(std::string_view value);
std::string bytes(ByteSpan value);
std::string array();
std::string empty_object();
std::string custom(std::string_view name);
std::string cell(const Cell& value);

enum class LeafType : std::uint8_t {
    None = 0,
    Truth = 1,
    Whole = 2,
    Number = 3,
    Text = 4,
    Bytes = 5,
    Array = 6,
    Object = 7,
    Custom = 15,
    Unknown = 255
};

struct Leaf {
    LeafType type = LeafType::Unknown;
    std::int64_t whole = 0;
    double number = 0;  ///< also of a whole number or a truth
    ByteSpan content;   ///< texts, bytes, the name of a custom object
};

Leaf parse_leaf(ByteSpan value);
Cell cell_of(const Leaf& leaf);

}  // namespace taffrail::formats::aim
