// Made-up media: pictures of strokes that sharpen while training goes on, a moving blob, a tone, a
// dented sphere, a cloud of points.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::cli::demo {

/// One picture per caption: a grid of strokes, blurred and noisy at quality 0, clear at 1. The
/// strokes depend on `seed` alone, so that a target and its reconstructions show the same.
Result<Value> strokes(std::uint64_t seed, double quality, std::vector<std::string> captions);

/// 64 × 64; the upper half holds `number` as sixteen black or white columns, so that a test can
/// read which picture is on show.
Result<Value> numbered_picture(std::uint32_t number);

/// Two seconds of a decaying tone, 16-bit, 16 kHz.
Result<Value> tone(double hertz, const std::string& caption);

/// 24 frames of 96 × 64, 12 a second.
Result<Value> moving_blob(double phase, const std::string& caption);

/// A sphere with a dent of this depth, coloured by height.
Result<Value> sphere(int rings, double dent);

/// A noisy torus of `count` points as a PLY file.
Result<Value> cloud(std::int64_t count, std::uint64_t seed);

/// A cube as a GLB file.
Result<Value> cube();

}  // namespace taffrail::cli::demo
