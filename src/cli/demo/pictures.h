// Made-up media: pictures of digits that sharpen while training goes on, a moving blob, a tone, a
// dented sphere, a cloud of points.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::cli::demo {

/// One picture per caption: a grid of written digits, blurred and noisy at quality 0, clear at 1.
/// The digits depend on `seed` alone, so that a target and its reconstructions show the same.
Result<Value> digits(std::uint64_t seed, double quality, std::vector<std::string> captions);

/// side × side grey levels of one written digit.
std::vector<std::uint8_t> thumbnail(int digit, int side, std::uint64_t seed);

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
