#include "cli/demo/pictures.h"

#include "cli/demo/random.h"
#include "codec/capture.h"
#include "codec/mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace taffrail::cli::demo {
namespace {

constexpr int kCells = 4, kCellPixels = 24, kSide = kCells * kCellPixels;
constexpr double kTurn = 2 * std::numbers::pi;

struct Place {
    double x = 0, y = 0;
};

using Outline = std::vector<Place>;

double distance(Place at, Place from, Place to) {
    const double dx = to.x - from.x, dy = to.y - from.y;
    const double along =
        ((at.x - from.x) * dx + (at.y - from.y) * dy) / std::max(dx * dx + dy * dy, 1e-9);
    const double t = std::clamp(along, 0.0, 1.0);
    return std::hypot(at.x - from.x - t * dx, at.y - from.y - t * dy);
}

double distance(Place at, const Outline& line) {
    double nearest = 1e9;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        nearest = std::min(nearest, distance(at, line[i], line[i + 1]));
    }
    return nearest;
}

// As a pen writes them, from 0 to 1 both ways, y downwards.
const Outline& outline_of(std::size_t digit) {
    static const std::array<Outline, 10> kOutlines{{
        {{.5, 0}, {.2, .15}, {.1, .5}, {.2, .85}, {.5, 1}, {.8, .85}, {.9, .5}, {.8, .15}, {.5, 0}},
        {{.25, .22}, {.55, 0}, {.55, 1}},
        {{.12, .25}, {.25, .06}, {.5, 0}, {.78, .1}, {.82, .32}, {.12, 1}, {.9, 1}},
        {{.15, .1},
         {.48, 0},
         {.78, .12},
         {.75, .36},
         {.42, .46},
         {.8, .58},
         {.85, .82},
         {.52, 1},
         {.12, .9}},
        {{.68, 1}, {.68, 0}, {.08, .7}, {.95, .7}},
        {{.82, 0}, {.24, 0}, {.2, .44}, {.55, .38}, {.86, .55}, {.84, .82}, {.52, 1}, {.14, .9}},
        {{.72, 0},
         {.36, .25},
         {.14, .62},
         {.24, .92},
         {.52, 1},
         {.82, .88},
         {.82, .62},
         {.52, .5},
         {.18, .64}},
        {{.1, 0}, {.9, 0}, {.4, 1}},
        {{.5, .47},
         {.22, .32},
         {.26, .08},
         {.5, 0},
         {.74, .08},
         {.78, .32},
         {.5, .47},
         {.16, .68},
         {.22, .93},
         {.5, 1},
         {.78, .93},
         {.84, .68},
         {.5, .47}},
        {{.82, .28},
         {.6, .48},
         {.28, .44},
         {.16, .22},
         {.36, .02},
         {.66, .04},
         {.82, .28},
         {.78, .6},
         {.6, 1}},
    }};
    return kOutlines.at(digit);
}

// Somebody's own hand: size, slant and place differ from digit to digit.
Outline written(std::size_t digit, double side, Random& hand) {
    const double height = side * (0.66 + 0.1 * hand.uniform());
    const double width = height * (0.58 + 0.14 * hand.uniform());
    const double slant = 0.3 * hand.uniform() - 0.1;
    const double from_x = (side - 1 - width) / 2 + side * 0.1 * (hand.uniform() - 0.5);
    const double from_y = (side - 1 - height) / 2 + side * 0.1 * (hand.uniform() - 0.5);
    Outline line = outline_of(digit);
    for (Place& place : line) {
        place = {from_x + width * (place.x + slant * (0.5 - place.y)), from_y + height * place.y};
    }
    return line;
}

std::uint8_t level(double value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

void draw_digits(std::uint64_t seed, double quality, std::uint8_t* pixels) {
    std::vector<Outline> cells(kCells * kCells);
    Random hand(seed * 977 + 7);
    for (Outline& cell : cells) {
        const auto digit = static_cast<std::size_t>(10 * hand.uniform());
        cell = written(digit, kCellPixels, hand);
    }
    Random noise(seed * 31 + static_cast<std::uint64_t>(quality * 1e4));
    const double blur = 1.3 + (1 - quality) * 4;
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            const auto& cell =
                cells[static_cast<std::size_t>(y / kCellPixels * kCells + x / kCellPixels)];
            const Place at{static_cast<double>(x % kCellPixels),
                           static_cast<double>(y % kCellPixels)};
            const double ink =
                std::exp(-std::pow(distance(at, cell) / blur, 2)) * (0.4 + 0.6 * quality);
            const double grain = (1 - quality) * 70 * noise.uniform();
            *pixels++ = level(255 * ink + grain);
        }
    }
}

}  // namespace

Result<Value> digits(std::uint64_t seed, double quality, std::vector<std::string> captions) {
    const std::size_t count = captions.size();
    std::vector<std::uint8_t> pixels(count * kSide * kSide);
    for (std::size_t i = 0; i < count; ++i) {
        draw_digits(seed + i, quality, pixels.data() + i * kSide * kSide);
    }
    const Shape shape{static_cast<std::int64_t>(count), kSide, kSide, 1};
    return capture_image({TensorView(pixels.data(), DType::U8, shape)}, {.captions = captions});
}

std::vector<std::uint8_t> thumbnail(int digit, int side, std::uint64_t seed) {
    Random hand(seed * 613 + 11);
    const Outline line = written(static_cast<std::size_t>(digit), side, hand);
    std::vector<std::uint8_t> pixels;
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const Place at{static_cast<double>(x), static_cast<double>(y)};
            pixels.push_back(level(255 * std::exp(-std::pow(distance(at, line), 2))));
        }
    }
    return pixels;
}

Result<Value> numbered_picture(std::uint32_t number) {
    constexpr int kSize = 64;
    std::vector<std::uint8_t> pixels;
    pixels.reserve(kSize * kSize * 3);
    for (int y = 0; y < kSize; ++y) {
        for (int x = 0; x < kSize; ++x) {
            const bool bit = ((number >> (x / 4)) & 1) != 0;
            const std::uint8_t shade = bit ? 255 : 0;
            const bool upper = y < kSize / 2;
            pixels.push_back(upper ? shade : static_cast<std::uint8_t>(x * 4));
            pixels.push_back(upper ? shade : static_cast<std::uint8_t>(y * 4));
            pixels.push_back(upper ? shade : static_cast<std::uint8_t>(number * 7));
        }
    }
    return capture_image({TensorView(pixels.data(), DType::U8, {kSize, kSize, 3})});
}

Result<Value> tone(double hertz, const std::string& caption) {
    constexpr int kRate = 16000, kFrames = 2 * kRate;
    std::vector<std::int16_t> samples(kFrames);
    for (int i = 0; i < kFrames; ++i) {
        const double loudness = 12000 * std::exp(-3.0 * i / kFrames);
        samples[static_cast<std::size_t>(i)] =
            static_cast<std::int16_t>(loudness * std::sin(kTurn * hertz * i / kRate));
    }
    return capture_audio({TensorView(samples.data(), DType::I16, {kFrames}), kRate},
                         {.caption = caption});
}

Result<Value> moving_blob(double phase, const std::string& caption) {
    constexpr int kFrames = 24, kWidth = 96, kHeight = 64;
    std::vector<std::uint8_t> pixels;
    pixels.reserve(kFrames * kWidth * kHeight * 3);
    for (int frame = 0; frame < kFrames; ++frame) {
        const double angle = kTurn * frame / kFrames + phase;
        const double at_x = kWidth / 2.0 + 24 * std::cos(angle);
        const double at_y = kHeight / 2.0 + 16 * std::sin(angle);
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < kWidth; ++x) {
                const double glow =
                    255 * std::exp(-std::pow(std::hypot(x - at_x, y - at_y) / 9, 2));
                pixels.insert(pixels.end(),
                              {level(glow), level(glow * 0.6 + 20), level(60 + glow * 0.4)});
            }
        }
    }
    return capture_video(
        {TensorView(pixels.data(), DType::U8, {kFrames, kHeight, kWidth, 3}), Layout::Hwc, 12},
        {.caption = caption});
}

Result<Value> sphere(int rings, double dent) {
    MeshArrays mesh;
    const int segments = 2 * rings;
    for (int ring = 0; ring <= rings; ++ring) {
        for (int segment = 0; segment <= segments; ++segment) {
            const double polar = std::numbers::pi * ring / rings,
                         around = kTurn * segment / segments;
            const double radius = 1 + dent * std::sin(5 * around) * std::pow(std::sin(polar), 3);
            const double z = std::cos(polar);
            mesh.vertices.insert(mesh.vertices.end(),
                                 {static_cast<float>(radius * std::sin(polar) * std::cos(around)),
                                  static_cast<float>(radius * std::sin(polar) * std::sin(around)),
                                  static_cast<float>(radius * z)});
            mesh.colors.insert(mesh.colors.end(),
                               {level(60 + 90 * (z + 1)), level(120), level(250 - 90 * (z + 1))});
        }
    }
    const auto at = [&](int ring, int segment) {
        return static_cast<std::uint32_t>(ring * (segments + 1) + segment);
    };
    for (int ring = 0; ring < rings; ++ring) {
        for (int segment = 0; segment < segments; ++segment) {
            const std::uint32_t a = at(ring, segment), b = at(ring, segment + 1);
            const std::uint32_t c = at(ring + 1, segment), d = at(ring + 1, segment + 1);
            mesh.faces.insert(mesh.faces.end(), {a, c, b, b, c, d});
        }
    }
    return capture_mesh(view_of(mesh));
}

Result<Value> cloud(std::int64_t count, std::uint64_t seed) {
    MeshArrays points;
    points.vertices.reserve(static_cast<std::size_t>(count) * 3);
    points.colors.reserve(static_cast<std::size_t>(count) * 3);
    Random random(seed);
    for (std::int64_t i = 0; i < count; ++i) {
        const double around = kTurn * random.uniform(), tube = kTurn * random.uniform();
        const double thick = 0.35 + 0.02 * random.normal();
        const double radius = 1 + thick * std::cos(tube);
        points.vertices.insert(points.vertices.end(),
                               {static_cast<float>(radius * std::cos(around)),
                                static_cast<float>(radius * std::sin(around)),
                                static_cast<float>(thick * std::sin(tube))});
        points.colors.insert(points.colors.end(), {level(127 + 120 * std::cos(around)),
                                                   level(127 + 120 * std::sin(tube)),
                                                   level(127 + 120 * std::sin(around))});
    }
    return capture_mesh_file(write_ply(points), "scan.ply");
}

Result<Value> cube() {
    MeshArrays mesh;
    for (int corner = 0; corner < 8; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            mesh.vertices.push_back(((corner >> axis) & 1) != 0 ? 1.0F : -1.0F);
        }
    }
    mesh.faces = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    return capture_mesh_file(write_glb(mesh), "cube.glb");
}

}  // namespace taffrail::cli::demo
