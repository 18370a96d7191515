// Pixels to draw charts on: lines with smooth edges, areas and letters.
#pragma once

#include "plot/font.h"
#include "plot/palette.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace taffrail::plot {

/// The part of a canvas that is drawn on, in whole pixels.
struct Clip {
    double left = 0, top = 0, right = 0, bottom = 0;
};

class Canvas {
  public:
    Canvas(std::uint32_t width, std::uint32_t height, Color ground);

    void fill(double x0, double y0, double x1, double y1, Color color);
    /// Points in order; NaN lifts the pen. Nothing is drawn outside of `clip`.
    void stroke(const std::vector<double>& xs, const std::vector<double>& ys, double thickness,
                Color color, const Clip& clip);
    /// A column of each x from `low` to `high`, this much of the colour.
    void band(const std::vector<double>& xs, const std::vector<double>& low,
              const std::vector<double>& high, double share, Color color, const Clip& clip);
    /// The pen stands at `x` on the base line `y`.
    void text(double x, double y, Face face, Color color, std::string_view words);

    [[nodiscard]] std::uint32_t width() const noexcept { return width_; }

    [[nodiscard]] std::uint32_t height() const noexcept { return height_; }

    /// Red, green and blue of every pixel.
    [[nodiscard]] const std::vector<std::uint8_t>& pixels() const noexcept { return pixels_; }

  private:
    void blend(std::int64_t x, std::int64_t y, Color color, double share);
    std::uint32_t width_, height_;
    std::vector<std::uint8_t> pixels_;
};

}  // namespace taffrail::plot
