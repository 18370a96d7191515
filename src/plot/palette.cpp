#include "plot/palette.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace taffrail::plot {
namespace {

constexpr Color of(std::uint32_t rgb) {
    return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
            static_cast<std::uint8_t>(rgb)};
}

// tests/data/plot_cases.json holds them too, for the page and for this.
constexpr std::array<Color, kColorCount> kLight{
    of(0x095ec3), of(0xf25873), of(0x11a17d), of(0x8d6200), of(0x9378ff),
    of(0x769a03), of(0xb42a72), of(0x881607), of(0x2008ca), of(0x00643e),
    of(0xb96cad), of(0x620d5e), of(0xd63067), of(0x75873a), of(0x114399),
    of(0x861851), of(0xb50238), of(0x057f51), of(0x4c24f9), of(0x7c54f9)};
constexpr std::array<Color, kColorCount> kDark{
    of(0x9698ff), of(0xf30d36), of(0x09ffb2), of(0xfade15), of(0xa701fd),
    of(0x477a0b), of(0xc8287d), of(0xff7d03), of(0xe8bfff), of(0x57b871),
    of(0xaa75b5), of(0xfe96be), of(0xcb5a83), of(0xb1d56b), of(0x7162ae),
    of(0xd777a2), of(0xe43460), of(0x098a54), of(0xd08ccd), of(0x8c77e9)};

constexpr ThemeColors kLightTheme{of(0xffffff), of(0x16191d), of(0x59616b)};
constexpr ThemeColors kDarkTheme{of(0x14171c), of(0xe8eaed), of(0x9aa4b0)};

}  // namespace

const ThemeColors& theme_colors(Theme theme) noexcept {
    return theme == Theme::Dark ? kDarkTheme : kLightTheme;
}

Color slot_color(Theme theme, std::size_t slot) noexcept {
    return (theme == Theme::Dark ? kDark : kLight)[slot % kColorCount];
}

std::vector<bool> grey_among(std::span<const std::optional<std::size_t>> slots) {
    std::vector<std::size_t> by_age;
    for (std::size_t at = 0; at < slots.size(); ++at) {
        if (slots[at]) {
            by_age.push_back(at);
        }
    }
    std::ranges::stable_sort(by_age, {}, [&](std::size_t at) { return *slots[at]; });
    std::vector<bool> grey(slots.size());
    std::array<bool, kColorCount> taken{};
    for (const std::size_t at : by_age) {
        bool& worn = taken[*slots[at] % kColorCount];
        grey[at] = worn;
        worn = true;
    }
    return grey;
}

Color parse_color(std::string_view hex) noexcept {
    if (hex.starts_with('#')) {
        hex.remove_prefix(1);
    }
    std::uint32_t rgb = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), rgb, 16);
    return hex.size() == 6 && error == std::errc{} && end == hex.data() + hex.size() ? of(rgb)
                                                                                     : Color{};
}

std::string hex_of(Color color) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "#";
    for (const unsigned part : {color.red, color.green, color.blue}) {
        text += kDigits[part >> 4];
        text += kDigits[part & 15];
    }
    return text;
}

Color mix(Color a, Color b, double share) noexcept {
    const auto part = [&](std::uint8_t p, std::uint8_t q) {
        return static_cast<std::uint8_t>(std::floor(p + (q - p) * share + 0.5));
    };
    return {part(a.red, b.red), part(a.green, b.green), part(a.blue, b.blue)};
}

}  // namespace taffrail::plot
