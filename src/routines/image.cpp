// `image`: pictures as they are; tensors as batches B×C×H×W, one channel in false colours.
#include "base/try.h"
#include "codec/capture.h"
#include "codec/tensor.h"
#include "routines/common/false_color.h"
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace taffrail::routines {
namespace {

class ImageRoutine : public Routine {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(
            data, context, "image",
            [&](const std::string& name, const Datum& datum) -> Result<void> {
                Value value;
                if (const auto* image = std::get_if<ImageView>(&datum)) {
                    TAFFRAIL_ASSIGN(value, capture_image(*image));
                } else if (const auto* tensor = std::get_if<TensorView>(&datum)) {
                    TAFFRAIL_ASSIGN(value, batch(name, *tensor));
                } else {
                    return wrong_datum(name, datum, "an image or a tensor B×C×H×W");
                }
                context.log_value(keys_.key(name, data.phase), std::move(value), data.total_iters);
                return {};
            });
    }

    Result<void> log_epoch(std::int64_t, Phase, RoutineContext&) override { return {}; }

    Result<void> end_log(RoutineContext&) override { return {}; }

  private:
    static Result<Value> batch(const std::string& name, const TensorView& tensor) {
        TAFFRAIL_TRY(check_tensor(tensor, name));
        if (tensor.shape.rank() != 4) {
            return Error{ErrorCode::InvalidArgument,
                         "'" + name + "' has the shape " + describe(tensor) +
                             "; the image routine takes B×C×H×W (or an ImageView)"};
        }
        const std::vector<std::uint8_t> levels = to_levels(tensor);
        const Shape& shape = tensor.shape;
        if (shape[1] != 1) {
            return capture_image({TensorView(levels.data(), DType::U8, shape), Layout::Chw});
        }
        const std::vector<std::uint8_t> colors = false_color(levels);
        return capture_image(
            {TensorView(colors.data(), DType::U8, {shape[0], shape[2], shape[3], 3}), Layout::Hwc});
    }

    // Floats are taken as 0…1, or as 0…255 when they reach that far.
    static std::vector<std::uint8_t> to_levels(const TensorView& tensor) {
        if (!is_floating(tensor.dtype)) {
            return to_u8(tensor);
        }
        std::vector<float> values = to_f32(tensor);
        constexpr float kAlreadyScaled = 200;
        const bool scaled =
            std::ranges::any_of(values, [](float value) { return value >= kAlreadyScaled; });
        std::vector<std::uint8_t> levels(values.size());
        std::ranges::transform(values, levels.begin(), [&](float value) {
            const float level = scaled ? value : value * 255;
            return static_cast<std::uint8_t>(
                std::lround(std::clamp(std::isnan(level) ? 0.0f : level, 0.0f, 255.0f)));
        });
        return levels;
    }

    SeriesKeys keys_{"Image"};
};

}  // namespace

void register_image() {
    registry().add({.key = "image",
                    .class_name = "ImageLogger",
                    .summary = "pictures; tensors B×C×H×W, one channel in false colours",
                    .make = make_without_options<ImageRoutine>("image")});
}

}  // namespace taffrail::routines
