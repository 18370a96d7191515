#include "plot/canvas.h"

#include <algorithm>
#include <cmath>

namespace taffrail::plot {
namespace {

/// How much of each pixel of a part of the canvas a line covers.
class Cover {
  public:
    explicit Cover(const Clip& clip)
        : clip_(clip),
          columns_(static_cast<std::size_t>(std::max(0.0, clip.right - clip.left))),
          shares_(columns_ * static_cast<std::size_t>(std::max(0.0, clip.bottom - clip.top))) {}

    void segment(double x0, double y0, double x1, double y1, double half) {
        const double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy, reach = half + 1;
        const double left = std::max(std::floor(std::min(x0, x1) - reach), clip_.left),
                     right = std::min(std::ceil(std::max(x0, x1) + reach), clip_.right),
                     top = std::max(std::floor(std::min(y0, y1) - reach), clip_.top),
                     bottom = std::min(std::ceil(std::max(y0, y1) + reach), clip_.bottom);
        for (double y = top; y < bottom; ++y) {
            for (double x = left; x < right; ++x) {
                const double px = x + 0.5, py = y + 0.5;
                const double t =
                    length > 0 ? std::clamp(((px - x0) * dx + (py - y0) * dy) / length, 0.0, 1.0)
                               : 0;
                const double away = std::hypot(px - x0 - t * dx, py - y0 - t * dy);
                const auto share = static_cast<float>(std::clamp(half + 0.5 - away, 0.0, 1.0));
                float& kept = shares_[static_cast<std::size_t>(y - clip_.top) * columns_ +
                                      static_cast<std::size_t>(x - clip_.left)];
                kept = std::max(kept, share);
            }
        }
    }

    template <typename Each>
    void each(Each each) const {
        for (std::size_t i = 0; i < shares_.size(); ++i) {
            if (shares_[i] > 0) {
                each(
                    static_cast<std::int64_t>(clip_.left) + static_cast<std::int64_t>(i % columns_),
                    static_cast<std::int64_t>(clip_.top) + static_cast<std::int64_t>(i / columns_),
                    shares_[i]);
            }
        }
    }

  private:
    Clip clip_;
    std::size_t columns_;
    std::vector<float> shares_;
};

}  // namespace

Canvas::Canvas(std::uint32_t width, std::uint32_t height, Color ground)
    : width_(width), height_(height), pixels_(std::size_t{width} * height * 3) {
    for (std::size_t i = 0; i < pixels_.size(); i += 3) {
        pixels_[i] = ground.red;
        pixels_[i + 1] = ground.green;
        pixels_[i + 2] = ground.blue;
    }
}

void Canvas::blend(std::int64_t x, std::int64_t y, Color color, double share) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_ || share <= 0) {
        return;
    }
    std::uint8_t* const at =
        &pixels_[(static_cast<std::size_t>(y) * width_ + static_cast<std::size_t>(x)) * 3];
    const Color mixed = mix({at[0], at[1], at[2]}, color, std::min(1.0, share));
    at[0] = mixed.red;
    at[1] = mixed.green;
    at[2] = mixed.blue;
}

void Canvas::fill(double x0, double y0, double x1, double y1, Color color) {
    for (auto y = std::llround(y0); y < std::llround(y1); ++y) {
        for (auto x = std::llround(x0); x < std::llround(x1); ++x) {
            blend(x, y, color, 1);
        }
    }
}

void Canvas::stroke(const std::vector<double>& xs, const std::vector<double>& ys, double thickness,
                    Color color, const Clip& clip) {
    // Once for the whole line: where two pieces meet they must not be darker.
    Cover cover({std::max(0.0, std::floor(clip.left)), std::max(0.0, std::floor(clip.top)),
                 std::min<double>(width_, std::ceil(clip.right)),
                 std::min<double>(height_, std::ceil(clip.bottom))});
    constexpr double kFar = 1e5;  // beyond any picture
    bool pen = false;
    double x0 = 0, y0 = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
        if (!std::isfinite(xs[i]) || !std::isfinite(ys[i])) {
            pen = false;
            continue;
        }
        const double x = std::clamp(xs[i], -kFar, kFar), y = std::clamp(ys[i], -kFar, kFar);
        const bool ends = i + 1 == xs.size() || !std::isfinite(ys[i + 1]);
        if (pen || ends) {
            cover.segment(pen ? x0 : x, pen ? y0 : y, x, y, thickness / 2);
        }
        x0 = x;
        y0 = y;
        pen = true;
    }
    cover.each([&](std::int64_t x, std::int64_t y, double share) { blend(x, y, color, share); });
}

void Canvas::band(const std::vector<double>& xs, const std::vector<double>& low,
                  const std::vector<double>& high, double share, Color color, const Clip& clip) {
    for (std::size_t i = 0; i + 1 < xs.size(); ++i) {
        const double from = std::max(xs[i], clip.left), to = std::min(xs[i + 1], clip.right);
        for (auto x = static_cast<std::int64_t>(std::ceil(from - 0.5));
             static_cast<double>(x) + 0.5 < to; ++x) {
            const double t = (static_cast<double>(x) + 0.5 - xs[i]) / (xs[i + 1] - xs[i]);
            const double a = low[i] + t * (low[i + 1] - low[i]),
                         b = high[i] + t * (high[i + 1] - high[i]);
            if (!std::isfinite(a) || !std::isfinite(b)) {
                continue;
            }
            const double top = std::clamp(std::min(a, b), clip.top, clip.bottom),
                         bottom = std::clamp(std::max(a, b), clip.top, clip.bottom);
            for (auto y = std::llround(top); y < std::llround(bottom); ++y) {
                blend(x, y, color, share);
            }
        }
    }
}

void Canvas::text(double x, double y, Face face, Color color, std::string_view words) {
    for (const char32_t letter : letters_of(words)) {
        const Glyph shape = glyph(face, letter);
        const std::int64_t left = std::llround(x) + shape.left, top = std::llround(y) - shape.top;
        for (int row = 0; row < shape.height; ++row) {
            for (int column = 0; column < shape.width; ++column) {
                const auto at = static_cast<std::size_t>(row * shape.width + column);
                const int cover = shape.cover[at / 2] >> (at % 2 * 4) & 15;
                blend(left + column, top + row, color, cover / 15.0);
            }
        }
        x += shape.advance / 64.0;
    }
}

}  // namespace taffrail::plot
