#include "codec/tlog/columns.h"

#include <algorithm>
#include <bit>

namespace taffrail::tlog {
namespace {

constexpr std::byte kConstant{0};
constexpr std::byte kProgression{1};
constexpr std::byte kDeltas{2};
constexpr std::byte kFloat64{1};
constexpr std::byte kFloat32{2};
constexpr std::byte kAbsent{255};

// Differences wrap around, so that the ends of the int64 range need no special case.
std::uint64_t difference(std::int64_t later, std::int64_t earlier) noexcept {
    return static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
}

std::uint64_t zigzag(std::uint64_t value) noexcept {
    return (value << 1) ^ (0 - (value >> 63));
}

std::uint64_t unzigzag(std::uint64_t value) noexcept {
    return (value >> 1) ^ (0 - (value & 1));
}

std::size_t width_for(std::uint64_t largest) noexcept {
    const auto bytes = static_cast<std::size_t>(std::bit_width(largest) + 7) / 8;
    return bytes <= 1 ? 1 : std::bit_ceil(bytes);
}

template <std::size_t Width, typename GetBits>
void write_planes(std::byte* to, std::size_t count, GetBits get_bits) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t bits = get_bits(i);
        for (std::size_t plane = 0; plane < Width; ++plane) {
            to[plane * count + i] = static_cast<std::byte>(bits >> (8 * plane));
        }
    }
}

template <std::size_t Width>
std::uint64_t read_planes(const std::byte* from, std::size_t count, std::size_t i) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t plane = 0; plane < Width; ++plane) {
        bits |= static_cast<std::uint64_t>(from[plane * count + i]) << (8 * plane);
    }
    return bits;
}

std::byte* grow(Bytes& to, std::size_t count) {
    const std::size_t before = to.size();
    to.resize(before + count);
    return to.data() + before;
}

template <std::size_t Width>
void write_deltas(Bytes& to, std::span<const std::int64_t> values) {
    const std::size_t count = values.size() - 1;
    write_planes<Width>(grow(to, Width * count), count, [values](std::size_t i) {
        return zigzag(difference(values[i + 1], values[i]));
    });
}

template <std::size_t Width>
void read_deltas(const std::byte* from, std::span<std::int64_t> out) noexcept {
    const std::size_t count = out.size() - 1;
    auto value = static_cast<std::uint64_t>(out[0]);
    for (std::size_t i = 0; i < count; ++i) {
        value += unzigzag(read_planes<Width>(from, count, i));
        out[i + 1] = static_cast<std::int64_t>(value);
    }
}

bool all_equal(std::span<const double> values) noexcept {
    const auto first = std::bit_cast<std::uint64_t>(values[0]);
    std::uint64_t different = 0;
    for (const double value : values) {
        different |= std::bit_cast<std::uint64_t>(value) ^ first;
    }
    return different == 0;
}

// Compared as bits: a signalling NaN, whose narrowing would quiet it, stays a float64.
bool all_float32(std::span<const double> values) noexcept {
    std::uint64_t different = 0;
    for (const double value : values) {
        const auto widened = static_cast<double>(static_cast<float>(value));
        different |= std::bit_cast<std::uint64_t>(widened) ^ std::bit_cast<std::uint64_t>(value);
    }
    return different == 0;
}

}  // namespace

void encode_absent(Bytes& to) {
    to.push_back(kAbsent);
}

void encode_integers(Bytes& to, std::span<const std::int64_t> values) {
    if (values.empty()) {
        return encode_absent(to);
    }
    const std::uint64_t first_difference = values.size() > 1 ? difference(values[1], values[0]) : 0;
    std::uint64_t different = 0;
    std::uint64_t all_bits = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        const std::uint64_t delta = difference(values[i], values[i - 1]);
        different |= delta ^ first_difference;
        all_bits |= zigzag(delta);
    }
    if (different == 0) {
        to.push_back(first_difference == 0 ? kConstant : kProgression);
        append_zigzag(to, values[0]);
        if (first_difference != 0) {
            append_zigzag(to, static_cast<std::int64_t>(first_difference));
        }
        return;
    }
    const std::size_t width = width_for(all_bits);
    to.push_back(kDeltas);
    append_zigzag(to, values[0]);
    to.push_back(static_cast<std::byte>(width));
    switch (width) {
        case 1:
            return write_deltas<1>(to, values);
        case 2:
            return write_deltas<2>(to, values);
        case 4:
            return write_deltas<4>(to, values);
        default:
            return write_deltas<8>(to, values);
    }
}

void encode_numbers(Bytes& to, std::span<const double> values) {
    if (values.empty()) {
        return encode_absent(to);
    }
    if (all_equal(values)) {
        to.push_back(kConstant);
        append(to, values[0]);
    } else if (all_float32(values)) {
        to.push_back(kFloat32);
        write_planes<4>(grow(to, 4 * values.size()), values.size(), [values](std::size_t i) {
            return std::bit_cast<std::uint32_t>(static_cast<float>(values[i]));
        });
    } else {
        to.push_back(kFloat64);
        write_planes<8>(grow(to, 8 * values.size()), values.size(), [values](std::size_t i) {
            return std::bit_cast<std::uint64_t>(values[i]);
        });
    }
}

bool decode_integers(ByteCursor& from, std::span<std::int64_t> out) noexcept {
    const auto codec = from.read<std::byte>();
    if (codec == kAbsent) {
        return false;
    }
    if (out.empty() || codec > kDeltas) {
        from.fail();
        return false;
    }
    const std::int64_t first = from.zigzag();
    if (codec == kConstant) {
        std::ranges::fill(out, first);
        return from.ok();
    }
    if (codec == kProgression) {
        const auto step = static_cast<std::uint64_t>(from.zigzag());
        auto value = static_cast<std::uint64_t>(first);
        for (std::int64_t& slot : out) {
            slot = static_cast<std::int64_t>(value);
            value += step;
        }
        return from.ok();
    }
    const auto width = static_cast<std::size_t>(from.read<std::byte>());
    if (width != 1 && width != 2 && width != 4 && width != 8) {
        from.fail();
        return false;
    }
    const ByteSpan planes = from.take(width * (out.size() - 1));
    if (!from.ok()) {
        return false;
    }
    out[0] = first;
    switch (width) {
        case 1:
            read_deltas<1>(planes.data(), out);
            break;
        case 2:
            read_deltas<2>(planes.data(), out);
            break;
        case 4:
            read_deltas<4>(planes.data(), out);
            break;
        default:
            read_deltas<8>(planes.data(), out);
            break;
    }
    return true;
}

bool decode_numbers(ByteCursor& from, std::span<double> out) noexcept {
    const auto codec = from.read<std::byte>();
    if (codec == kAbsent) {
        return false;
    }
    if (out.empty() || codec > kFloat32) {
        from.fail();
        return false;
    }
    if (codec == kConstant) {
        std::ranges::fill(out, from.read<double>());
        return from.ok();
    }
    const ByteSpan planes = from.take((codec == kFloat32 ? 4 : 8) * out.size());
    if (!from.ok()) {
        return false;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (codec == kFloat32) {
            out[i] = std::bit_cast<float>(
                static_cast<std::uint32_t>(read_planes<4>(planes.data(), out.size(), i)));
        } else {
            out[i] = std::bit_cast<double>(read_planes<8>(planes.data(), out.size(), i));
        }
    }
    return true;
}

}  // namespace taffrail::tlog
