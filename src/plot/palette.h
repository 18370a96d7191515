// The colours of the dashboard: of runs, and of what stands around them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::plot {

enum class Theme : unsigned char { Light, Dark };

struct Color {
    std::uint8_t red = 0, green = 0, blue = 0;

    friend bool operator==(const Color&, const Color&) = default;
};

struct ThemeColors {
    Color ground, text, muted;
};

/// How many runs have a colour of their own before one repeats.
inline constexpr std::size_t kColorCount = 20;

const ThemeColors& theme_colors(Theme theme) noexcept;
/// The colour of a run by its place in the order of creation of its project.
Color slot_color(Theme theme, std::size_t slot) noexcept;
/// Which of these are grey: an older one of them wears the colour. Who has no slot has a chosen
/// colour, which is nobody else's business.
std::vector<bool> grey_among(std::span<const std::optional<std::size_t>> slots);
/// "#095ec3" or "095ec3"; black where it is neither.
Color parse_color(std::string_view hex) noexcept;
std::string hex_of(Color color);
/// `share` of the way from `a` to `b`.
Color mix(Color a, Color b, double share) noexcept;

}  // namespace taffrail::plot
