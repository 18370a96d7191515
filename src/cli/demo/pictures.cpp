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

struct Stroke {
    double from_x, from_y, to_x, to_y;

    [[nodiscard]] double distance(double x, double y) const {
        const double dx = to_x - from_x, dy = to_y - from_y;
        const double along =
            ((x - from_x) * dx + (y - from_y) * dy) / std::max(dx * dx + dy * dy, 1e-9);
        const double t = std::clamp(along, 0.0, 1.0);
        return std::hypot(x - from_x - t * dx, y - from_y - t * dy);
    }
};

std::uint8_t level(double value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

void draw_strokes(std::uint64_t seed, double quality, std::uint8_t* pixels) {
    std::vector<std::array<Stroke, 3>> cells(kCells * kCells);
    Random shape(seed * 977 + 7);
    const auto place = [&] { return 3 + shape.uniform() * (kCellPixels - 6); };
    for (auto& cell : cells) {
        for (Stroke& stroke : cell) {
            stroke = {place(), place(), place(), place()};
        }
    }
    Random noise(seed * 31 + static_cast<std::uint64_t>(quality * 1e4));
    const double blur = 1.1 + (1 - quality) * 5;
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            const auto& cell =
                cells[static_cast<std::size_t>(y / kCellPixels * kCells + x / kCellPixels)];
            double nearest = 1e9;
            for (const Stroke& stroke : cell) {
                nearest = std::min(nearest, stroke.distance(x % kCellPixels, y % kCellPixels));
            }
            const double ink = std::exp(-std::pow(nearest / blur, 2)) * (0.4 + 0.6 * quality);
            const double grain = (1 - quality) * 70 * noise.uniform();
            *pixels++ = level(255 * ink + grain);
        }
    }
}

}  // namespace

Result<Value> strokes(std::uint64_t seed, double quality, std::vector<std::string> captions) {
    const std::size_t count = captions.size();
    std::vector<std::uint8_t> pixels(count * kSide * kSide);
    for (std::size_t i = 0; i < count; ++i) {
        draw_strokes(seed + i, quality, pixels.data() + i * kSide * kSide);
    }
    const Shape shape{static_cast<std::int64_t>(count), kSide, kSide, 1};
    return capture_image({TensorView(pixels.data(), DType::U8, shape)}, {.captions = captions});
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
