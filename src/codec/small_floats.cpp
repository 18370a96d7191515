// The 16-bit and 8-bit floating point formats, by bit arithmetic: exact on every machine, no
// compiler extension.
#include "codec/tensor.h"

#include <bit>
#include <cmath>

namespace taffrail {
namespace {

/// Widens sign:1, exponent:`exponent_bits`, mantissa:`mantissa_bits` with IEEE meaning of all-ones
/// exponents.
float widen(std::uint32_t bits, unsigned exponent_bits, unsigned mantissa_bits) noexcept {
    const std::uint32_t sign = (bits >> (exponent_bits + mantissa_bits)) << 31;
    const std::uint32_t exponent_mask = (1u << exponent_bits) - 1;
    const std::uint32_t exponent = (bits >> mantissa_bits) & exponent_mask;
    const std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (exponent == exponent_mask) {
        return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << (23 - mantissa_bits)));
    }
    if (exponent == 0) {
        const float magnitude =
            std::ldexp(static_cast<float>(mantissa), 1 - bias - static_cast<int>(mantissa_bits));
        return sign != 0 ? -magnitude : magnitude;
    }
    const auto wide_exponent = static_cast<std::uint32_t>(static_cast<int>(exponent) - bias + 127);
    return std::bit_cast<float>(sign | (wide_exponent << 23) | (mantissa << (23 - mantissa_bits)));
}

}  // namespace

float f16_to_f32(std::uint16_t bits) noexcept {
    return widen(bits, 5, 10);
}

float bf16_to_f32(std::uint16_t bits) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float f8e4m3_to_f32(std::uint8_t bits) noexcept {
    if ((bits & 0x7F) == 0x7F) {
        return std::bit_cast<float>(0x7FC00000u | (static_cast<std::uint32_t>(bits & 0x80) << 24));
    }
    if ((bits & 0x78) == 0x78) {
        // The largest exponent holds ordinary numbers here: 256 … 448.
        const float magnitude = std::ldexp(static_cast<float>(8 + (bits & 7)), 5);
        return (bits & 0x80) != 0 ? -magnitude : magnitude;
    }
    return widen(bits, 4, 3);
}

float f8e5m2_to_f32(std::uint8_t bits) noexcept {
    return f16_to_f32(static_cast<std::uint16_t>(bits << 8));
}

std::uint16_t f32_to_f16(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000;
    const std::uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) {
        return static_cast<std::uint16_t>(sign | 0x7E00 | ((magnitude >> 13) & 0x3FF));
    }
    if (magnitude >= 0x477FF000) {  // rounds to 65536 or more
        return static_cast<std::uint16_t>(sign | 0x7C00);
    }
    if (magnitude <
        0x38800000) {  // subnormal: count units of 2^-24, rounded by the processor's own rule
        const float units = std::nearbyint(std::ldexp(std::bit_cast<float>(magnitude), 24));
        return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(units));
    }
    const std::uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

std::uint16_t f32_to_bf16(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) {
        return static_cast<std::uint16_t>((bits >> 16) | 0x40);
    }
    return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

}  // namespace taffrail
