#include "sinks/tensorboard/boxes.h"

#include "base/try.h"
#include "codec/capture.h"
#include "codec/tensor.h"
#include "sinks/tensorboard/label_font.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sinks::tensorboard {
namespace {

constexpr std::array<std::array<std::uint8_t, 3>, 6> kColors{
    {{230, 25, 75}, {60, 180, 75}, {255, 225, 25}, {0, 130, 200}, {245, 130, 48}, {145, 30, 180}}};

struct Canvas {
    std::int64_t width = 0, height = 0;
    std::vector<std::uint8_t> rgb;

    void fill(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom,
              const std::array<std::uint8_t, 3>& color) {
        for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min(bottom, height); ++y) {
            for (std::int64_t x = std::max<std::int64_t>(left, 0); x < std::min(right, width);
                 ++x) {
                std::copy(color.begin(), color.end(), rgb.begin() + (y * width + x) * 3);
            }
        }
    }
};

/// The label on a field of the box's colour: above the box, or inside it where there is no room.
void draw_label(Canvas& canvas, std::string_view label, std::int64_t left, std::int64_t top,
                const std::array<std::uint8_t, 3>& color) {
    const std::int64_t scale =
        std::max<std::int64_t>(1, std::min(canvas.width, canvas.height) / 240);
    // One glyph a character: the bytes that continue a UTF-8 character draw nothing.
    std::string shown;
    for (const char letter : label) {
        if ((static_cast<unsigned char>(letter) & 0xC0) != 0x80) {
            shown += letter;
        }
    }
    const std::int64_t height = (kGlyphHeight + 2) * scale;
    const auto width = (static_cast<std::int64_t>(shown.size()) * kGlyphAdvance + 1) * scale;
    const std::int64_t y = top >= height ? top - height : top;
    canvas.fill(left, y, left + width, y + height, color);
    // Black or white, whichever stands out more.
    const int light = color[0] * 299 + color[1] * 587 + color[2] * 114;
    const auto ink = static_cast<std::uint8_t>(light > 140'000 ? 0 : 255);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const std::uint64_t rows = glyph(shown[i]);
        const auto x = left + (static_cast<std::int64_t>(i) * kGlyphAdvance + 1) * scale;
        for (int row = 0; row < kGlyphHeight; ++row) {
            for (int column = 0; column < kGlyphWidth; ++column) {
                if (glyph_pixel(rows, column, row)) {
                    const std::int64_t at_x = x + column * scale, at_y = y + (row + 1) * scale;
                    canvas.fill(at_x, at_y, at_x + scale, at_y + scale, {ink, ink, ink});
                }
            }
        }
    }
}

std::int64_t to_pixel(float position, std::int64_t limit) {
    return std::isfinite(position) ? static_cast<std::int64_t>(std::clamp(
                                         std::round(position), -1.0F, static_cast<float>(limit)))
                                   : -1;
}

}  // namespace

Result<Value> capture_with_boxes(const ImageView& image, std::span<const ImageBox> boxes) {
    TAFFRAIL_TRY(check_tensor(image.pixels, "image"));
    TensorView pixels = image.pixels;
    const std::size_t rank = pixels.shape.rank();
    if (rank != 2 && rank != 3) {
        return Error{
            ErrorCode::InvalidArgument,
            "add_image_with_boxes takes one picture of two or three axes, not " + describe(pixels)};
    }
    if (rank == 3 && image.layout == Layout::Chw) {
        const std::array<std::size_t, 3> axes{1, 2, 0};
        pixels = permuted(pixels, axes);
    }
    const std::int64_t channels = rank == 3 ? pixels.shape[2] : 1;
    if (channels != 1 && channels != 3 && channels != 4) {
        return Error{ErrorCode::InvalidArgument,
                     "an image has 1, 3 or 4 channels, not " + describe(pixels)};
    }
    Canvas canvas{.width = pixels.shape[1], .height = pixels.shape[0], .rgb = {}};
    const std::vector<std::uint8_t> source = to_u8(pixels);
    const auto count = static_cast<std::size_t>(canvas.width * canvas.height);
    canvas.rgb.resize(count * 3);
    const auto step = static_cast<std::size_t>(channels);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            canvas.rgb[i * 3 + c] = source[i * step + (channels == 1 ? 0 : c)];
        }
    }
    const std::int64_t line =
        std::max<std::int64_t>(1, std::min(canvas.width, canvas.height) / 150);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const auto& color = kColors[i % kColors.size()];
        const std::int64_t left = to_pixel(boxes[i].left, canvas.width),
                           right = to_pixel(boxes[i].right, canvas.width);
        const std::int64_t top = to_pixel(boxes[i].top, canvas.height),
                           bottom = to_pixel(boxes[i].bottom, canvas.height);
        canvas.fill(left, top, right + line, top + line, color);
        canvas.fill(left, bottom, right + line, bottom + line, color);
        canvas.fill(left, top, left + line, bottom + line, color);
        canvas.fill(right, top, right + line, bottom + line, color);
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!boxes[i].label.empty()) {
            draw_label(canvas, boxes[i].label, to_pixel(boxes[i].left, canvas.width),
                       to_pixel(boxes[i].top, canvas.height), kColors[i % kColors.size()]);
        }
    }
    return capture_image(
        {.pixels = TensorView(canvas.rgb.data(), DType::U8, {canvas.height, canvas.width, 3}),
         .layout = Layout::Hwc});
}

}  // namespace taffrail::sinks::tensorboard
