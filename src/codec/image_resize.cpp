#include "codec/image_resize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace taffrail {
namespace {

/// Which source samples, with which weight, make one target sample.
struct Tap {
    std::uint32_t first = 0;
    std::vector<float> weights;
};

std::vector<Tap> make_taps(std::uint32_t from, std::uint32_t to) {
    std::vector<Tap> taps(to);
    const double ratio = static_cast<double>(from) / to;
    for (std::uint32_t i = 0; i < to; ++i) {
        Tap& tap = taps[i];
        if (ratio > 1) {
            const double low = i * ratio, high = std::min<double>((i + 1) * ratio, from);
            tap.first = static_cast<std::uint32_t>(low);
            const auto last = std::min(static_cast<std::uint32_t>(std::ceil(high)), from);
            for (std::uint32_t at = tap.first; at < last; ++at) {
                const double covered = std::min<double>(high, at + 1.0) - std::max<double>(low, at);
                tap.weights.push_back(static_cast<float>(covered / (high - low)));
            }
        } else {
            const double center = std::clamp((i + 0.5) * ratio - 0.5, 0.0, from - 1.0);
            tap.first = static_cast<std::uint32_t>(center);
            const auto share = static_cast<float>(center - tap.first);
            tap.weights.push_back(1 - share);
            if (tap.first + 1 < from) {
                tap.weights.push_back(share);
            }
        }
    }
    return taps;
}

}  // namespace

std::vector<std::uint8_t> resize_image(std::span<const std::uint8_t> pixels, std::uint32_t width,
                                       std::uint32_t height, int channels, std::uint32_t new_width,
                                       std::uint32_t new_height) {
    const auto depth = static_cast<std::size_t>(channels);
    const std::vector<Tap> across = make_taps(width, new_width),
                           down = make_taps(height, new_height);
    std::vector<float> squeezed(std::size_t{new_width} * height * depth);
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < new_width; ++x) {
            for (std::size_t c = 0; c < depth; ++c) {
                float sum = 0;
                for (std::size_t i = 0; i < across[x].weights.size(); ++i) {
                    sum += across[x].weights[i] *
                           pixels[(y * width + across[x].first + i) * depth + c];
                }
                squeezed[(y * new_width + x) * depth + c] = sum;
            }
        }
    }
    std::vector<std::uint8_t> out(std::size_t{new_width} * new_height * depth);
    const std::size_t row = std::size_t{new_width} * depth;
    for (std::size_t y = 0; y < new_height; ++y) {
        for (std::size_t i = 0; i < row; ++i) {
            float sum = 0;
            for (std::size_t k = 0; k < down[y].weights.size(); ++k) {
                sum += down[y].weights[k] * squeezed[(down[y].first + k) * row + i];
            }
            out[y * row + i] = static_cast<std::uint8_t>(std::clamp(sum + 0.5f, 0.0f, 255.0f));
        }
    }
    return out;
}

}  // namespace taffrail
