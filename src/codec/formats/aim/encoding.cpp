#include "codec/formats/aim/encoding.h"

#include "base/utf8.h"

#include <bit>

namespace taffrail::formats::aim {
namespace {

constexpr char kEnd = '\xFE';  // no byte of UTF-8

template <typename T>
std::string leaf(LeafType type, T value) {
    std::string made(1 + sizeof value, static_cast<char>(type));
    store_at(made.data() + 1, value);
    return made;
}

std::string leaf(LeafType type, std::string_view content) {
    return static_cast<char>(type) + std::string(content);
}

}  // namespace

Path& Path::add(std::string_view name) {
    bytes_ += name;
    bytes_ += kEnd;
    return *this;
}

Path& Path::add(std::int64_t number) {
    const std::uint64_t big = __builtin_bswap64(static_cast<std::uint64_t>(number));
    bytes_ += kEnd;
    bytes_.append(reinterpret_cast<const char*>(&big), sizeof big);
    bytes_ += kEnd;
    return *this;
}

std::optional<std::vector<PathPart>> parse_path(ByteSpan key) {
    std::vector<PathPart> parts;
    const std::string_view all = as_text(key);
    for (std::size_t at = 0; at < all.size();) {
        if (all[at] == kEnd) {
            if (all.size() - at < 10 || all[at + 9] != kEnd) {
                return std::nullopt;
            }
            parts.emplace_back(static_cast<std::int64_t>(
                __builtin_bswap64(load<std::uint64_t>(all.data() + at + 1))));
            at += 10;
            continue;
        }
        const auto end = all.find(kEnd, at);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        parts.emplace_back(std::string(all.substr(at, end - at)));
        at = end + 1;
    }
    return parts;
}

std::string none() {
    return std::string(1, '\0');
}

std::string truth(bool value) {
    return leaf(LeafType::Truth, static_cast<std::uint8_t>(value));
}

std::string whole(std::int64_t value) {
    return leaf(LeafType::Whole, value);
}

std::string number(double value) {
    return leaf(LeafType::Number, value);
}

std::string text(std::string_view value) {
    return leaf(LeafType::Text, value);
}

std::string bytes(ByteSpan value) {
    return leaf(LeafType::Bytes, as_text(value));
}

std::string array() {
    return std::string(1, static_cast<char>(LeafType::Array));
}

std::string empty_object() {
    return std::string(1, static_cast<char>(LeafType::Object));
}

std::string custom(std::string_view name) {
    return leaf(LeafType::Custom, name);
}

std::string cell(const Cell& value) {
    if (const auto* held = std::get_if<bool>(&value)) {
        return truth(*held);
    }
    if (const auto* held = std::get_if<std::int64_t>(&value)) {
        return whole(*held);
    }
    if (const auto* held = std::get_if<double>(&value)) {
        return number(*held);
    }
    const auto* held = std::get_if<std::string>(&value);
    return held != nullptr ? text(*held) : none();
}

Leaf parse_leaf(ByteSpan value) {
    Leaf leaf;
    if (value.empty()) {
        return leaf;
    }
    const auto type = static_cast<std::uint8_t>(value.front());
    const ByteSpan rest = value.subspan(1);
    const bool is_known = type <= 7 || type == 15;
    leaf.type = is_known ? static_cast<LeafType>(type) : LeafType::Unknown;
    leaf.content = rest;
    if (leaf.type == LeafType::Truth && rest.size() == 1) {
        leaf.whole = rest.front() != std::byte{0} ? 1 : 0;
        leaf.number = static_cast<double>(leaf.whole);
    } else if (leaf.type == LeafType::Whole && rest.size() == 8) {
        leaf.whole = load<std::int64_t>(rest.data());
        leaf.number = static_cast<double>(leaf.whole);
    } else if (leaf.type == LeafType::Number && rest.size() == 8) {
        leaf.number = load<double>(rest.data());
    } else if (leaf.type == LeafType::Truth || leaf.type == LeafType::Whole ||
               leaf.type == LeafType::Number) {
        leaf.type = LeafType::Unknown;
    }
    return leaf;
}

Cell cell_of(const Leaf& leaf) {
    switch (leaf.type) {
        case LeafType::Truth:
            return leaf.whole != 0;
        case LeafType::Whole:
            return leaf.whole;
        case LeafType::Number:
            return leaf.number;
        case LeafType::Text:
            return repair_utf8(as_text(leaf.content));
        default:
            return {};
    }
}

}  // namespace taffrail::formats::aim
