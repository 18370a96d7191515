#include "codec/palette.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace taffrail {
namespace {

constexpr std::size_t kCells = 1u << 15;

std::uint32_t packed(const std::uint8_t* pixel) {
    return static_cast<std::uint32_t>(pixel[0]) << 16 | static_cast<std::uint32_t>(pixel[1]) << 8 |
           pixel[2];
}

std::uint16_t cell_of(const std::uint8_t* pixel) {
    return static_cast<std::uint16_t>((pixel[0] >> 3) << 10 | (pixel[1] >> 3) << 5 | pixel[2] >> 3);
}

std::optional<Palette> exact_palette(std::span<const std::uint8_t> rgb) {
    Palette palette;
    palette.indices.reserve(rgb.size() / 3);
    std::unordered_map<std::uint32_t, std::uint8_t> known;
    for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) {
        const auto [found, is_new] =
            known.try_emplace(packed(&rgb[i]), static_cast<std::uint8_t>(known.size()));
        if (is_new) {
            if (palette.colors.size() == 256) {
                return std::nullopt;
            }
            palette.colors.push_back({rgb[i], rgb[i + 1], rgb[i + 2]});
        }
        palette.indices.push_back(found->second);
    }
    return palette;
}

/// A colour cell with the sums of the pixels in it.
struct ColorCell {
    std::uint16_t id = 0;
    std::uint32_t count = 0;
    std::array<std::uint64_t, 3> sum{};

    [[nodiscard]] double mean(std::size_t channel) const {
        return static_cast<double>(sum[channel]) / count;
    }
};

/// A range of cells that will become one colour.
struct Box {
    std::size_t first = 0, last = 0;
    std::size_t channel = 0;  // widest
    double error = 0;         // sum of squared distances along it

    void measure(std::span<const ColorCell> cells) {
        error = -1;
        for (std::size_t c = 0; c < 3; ++c) {
            double weight = 0, sum = 0, squares = 0;
            for (std::size_t i = first; i < last; ++i) {
                const double value = cells[i].mean(c);
                weight += cells[i].count;
                sum += value * cells[i].count;
                squares += value * value * cells[i].count;
            }
            if (const double spread = squares - sum * sum / weight; spread > error) {
                error = spread;
                channel = c;
            }
        }
        if (last - first < 2) {
            error = -1;
        }
    }
};

}  // namespace

Palette make_palette(std::span<const std::uint8_t> rgb) {
    if (auto exact = exact_palette(rgb)) {
        return *std::move(exact);
    }
    std::vector<ColorCell> table(kCells);
    for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) {
        ColorCell& cell = table[cell_of(&rgb[i])];
        ++cell.count;
        for (std::size_t c = 0; c < 3; ++c) {
            cell.sum[c] += rgb[i + c];
        }
    }
    std::vector<ColorCell> cells;
    for (std::size_t id = 0; id < kCells; ++id) {
        if (table[id].count != 0) {
            table[id].id = static_cast<std::uint16_t>(id);
            cells.push_back(table[id]);
        }
    }
    std::vector<Box> boxes{Box{0, cells.size()}};
    boxes[0].measure(cells);
    while (boxes.size() < 256) {
        const auto worst =
            std::max_element(boxes.begin(), boxes.end(),
                             [](const Box& a, const Box& b) { return a.error < b.error; });
        if (worst->error <= 0) {
            break;
        }
        const std::size_t channel = worst->channel;
        std::sort(cells.begin() + static_cast<std::ptrdiff_t>(worst->first),
                  cells.begin() + static_cast<std::ptrdiff_t>(worst->last),
                  [channel](const ColorCell& a, const ColorCell& b) {
                      return a.mean(channel) < b.mean(channel);
                  });
        std::uint64_t total = 0, below = 0;
        for (std::size_t i = worst->first; i < worst->last; ++i) {
            total += cells[i].count;
        }
        std::size_t cut = worst->first;
        while (cut + 1 < worst->last &&
               (cut == worst->first || below + cells[cut].count <= total / 2)) {
            below += cells[cut++].count;
        }
        Box upper{cut, worst->last};
        worst->last = cut;
        worst->measure(cells);
        upper.measure(cells);
        boxes.push_back(upper);
    }

    Palette palette;
    std::vector<std::uint8_t> color_of_cell(kCells);
    for (const Box& box : boxes) {
        std::array<std::uint64_t, 3> sum{};
        std::uint64_t count = 0;
        for (std::size_t i = box.first; i < box.last; ++i) {
            color_of_cell[cells[i].id] = static_cast<std::uint8_t>(palette.colors.size());
            count += cells[i].count;
            for (std::size_t c = 0; c < 3; ++c) {
                sum[c] += cells[i].sum[c];
            }
        }
        std::array<std::uint8_t, 3> color{};
        for (std::size_t c = 0; c < 3; ++c) {
            color[c] = static_cast<std::uint8_t>((sum[c] + count / 2) / count);
        }
        palette.colors.push_back(color);
    }
    palette.indices.reserve(rgb.size() / 3);
    for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) {
        palette.indices.push_back(color_of_cell[cell_of(&rgb[i])]);
    }
    return palette;
}

}  // namespace taffrail
