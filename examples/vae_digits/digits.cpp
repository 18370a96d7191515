#include "digits.h"

#include "random.h"

#include <algorithm>
#include <cmath>

namespace vae_digits {
namespace {

struct Point {
    float x = 0, y = 0;
};

using Stroke = std::vector<Point>;

// An arc of an ellipse; angles in degrees, 0 = right, 90 = down.
Stroke arc(float cx, float cy, float rx, float ry, float from, float to) {
    Stroke points;
    constexpr int kParts = 14;
    for (int i = 0; i <= kParts; ++i) {
        const float angle =
            (from + (to - from) * static_cast<float>(i) / kParts) * 3.14159265f / 180.0f;
        points.push_back({cx + rx * std::cos(angle), cy + ry * std::sin(angle)});
    }
    return points;
}

Stroke join(Stroke first, const Stroke& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// The digit in a box of 0…1 × 0…1, y downwards.
std::vector<Stroke> strokes_of(int digit, bool variant) {
    switch (digit) {
        case 0:
            return {arc(0.5f, 0.5f, 0.32f, 0.45f, -90, 270)};
        case 1:
            return variant ? std::vector<Stroke>{{{0.5f, 0.05f}, {0.5f, 0.95f}}}
                           : std::vector<Stroke>{{{0.3f, 0.25f}, {0.55f, 0.05f}, {0.55f, 0.95f}}};
        case 2:
            return {join(arc(0.5f, 0.3f, 0.3f, 0.25f, 190, 385), {{0.2f, 0.93f}, {0.82f, 0.93f}})};
        case 3:
            return {arc(0.45f, 0.28f, 0.28f, 0.23f, 200, 450),
                    arc(0.45f, 0.72f, 0.32f, 0.23f, -90, 160)};
        case 4:
            return {{{0.62f, 0.95f}, {0.62f, 0.05f}, {0.15f, 0.65f}, {0.85f, 0.65f}}};
        case 5:
            return {join({{0.78f, 0.06f}, {0.28f, 0.06f}, {0.25f, 0.45f}},
                         arc(0.47f, 0.66f, 0.3f, 0.27f, 235, 500))};
        case 6:
            return {
                join({{0.66f, 0.05f}, {0.32f, 0.4f}}, arc(0.5f, 0.68f, 0.27f, 0.26f, 200, 560))};
        case 7:
            return variant ? std::vector<Stroke>{{{0.18f, 0.07f}, {0.82f, 0.07f}, {0.42f, 0.95f}},
                                                 {{0.3f, 0.5f}, {0.75f, 0.5f}}}
                           : std::vector<Stroke>{{{0.18f, 0.07f}, {0.82f, 0.07f}, {0.42f, 0.95f}}};
        case 8:
            return {arc(0.5f, 0.28f, 0.25f, 0.22f, 90, 450),
                    arc(0.5f, 0.72f, 0.3f, 0.23f, -90, 270)};
        default:
            return {join(arc(0.5f, 0.3f, 0.26f, 0.25f, 0, 360), {{0.76f, 0.3f}, {0.6f, 0.95f}})};
    }
}

float distance_to_segment(Point p, Point a, Point b) {
    const float dx = b.x - a.x, dy = b.y - a.y;
    const float length = dx * dx + dy * dy;
    const float t =
        length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0f, 1.0f) : 0.0f;
    return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

void draw(int digit, Random& random, Eigen::Ref<Eigen::VectorXf> pixels) {
    const float slant = random.between(-0.3f, 0.15f);
    const float angle = random.between(-0.15f, 0.15f);
    const float width = random.between(13.0f, 18.0f), height = random.between(17.0f, 21.0f);
    const float shift_x = random.between(-1.5f, 1.5f), shift_y = random.between(-1.5f, 1.5f);
    const float pen = random.between(0.9f, 1.6f);
    const bool variant = random.uniform() < 0.4f;
    pixels.setZero();
    for (const Stroke& stroke : strokes_of(digit, variant)) {
        Stroke placed;
        for (const Point& point : stroke) {
            const float x = (point.x - 0.5f + slant * (0.5f - point.y)) * width;
            const float y = (point.y - 0.5f) * height;
            placed.push_back({13.5f + shift_x + x * std::cos(angle) - y * std::sin(angle),
                              13.5f + shift_y + x * std::sin(angle) + y * std::cos(angle)});
        }
        for (std::size_t i = 0; i + 1 < placed.size(); ++i) {
            const Point a = placed[i], b = placed[i + 1];
            const float reach = pen + 1;
            const int left = std::max(0, static_cast<int>(std::min(a.x, b.x) - reach));
            const int right = std::min(kSide - 1, static_cast<int>(std::max(a.x, b.x) + reach + 1));
            const int top = std::max(0, static_cast<int>(std::min(a.y, b.y) - reach));
            const int bottom =
                std::min(kSide - 1, static_cast<int>(std::max(a.y, b.y) + reach + 1));
            for (int row = top; row <= bottom; ++row) {
                for (int column = left; column <= right; ++column) {
                    const float distance = distance_to_segment(
                        {static_cast<float>(column), static_cast<float>(row)}, a, b);
                    float& pixel = pixels[row * kSide + column];
                    pixel = std::max(pixel, std::clamp(pen + 0.5f - distance, 0.0f, 1.0f));
                }
            }
        }
    }
}

}  // namespace

Digits draw_digits(int count, std::uint64_t seed) {
    Digits digits{Eigen::MatrixXf(kPixels, count),
                  std::vector<int>(static_cast<std::size_t>(count))};
    Random random(seed);
    for (int i = 0; i < count; ++i) {
        const int digit = i % kClasses;
        digits.labels[static_cast<std::size_t>(i)] = digit;
        draw(digit, random, digits.pixels.col(i));
    }
    return digits;
}

}  // namespace vae_digits
