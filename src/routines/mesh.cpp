// `mesh`: meshes as they are; tensors N×3, N×6 (with colours), or batches of them, as point clouds.
#include "base/try.h"
#include "codec/capture.h"
#include "codec/tensor.h"
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace taffrail::routines {
namespace {

class MeshRoutine : public Routine {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(
            data, context, "mesh",
            [&](const std::string& name, const Datum& datum) -> Result<void> {
                if (const auto* mesh = std::get_if<MeshView>(&datum)) {
                    return send(keys_.key(name, data.phase), *mesh, data, context);
                }
                const auto* tensor = std::get_if<TensorView>(&datum);
                if (tensor == nullptr) {
                    return wrong_datum(name, datum, "a mesh or a tensor of points");
                }
                TAFFRAIL_TRY(check_tensor(*tensor, name));
                const std::size_t rank = tensor->shape.rank();
                const std::int64_t width = rank > 0 ? tensor->shape[rank - 1] : 0;
                if ((rank != 2 && rank != 3) || (width != 3 && width != 6)) {
                    return Error{
                        ErrorCode::InvalidArgument,
                        "'" + name + "' has the shape " + describe(*tensor) +
                            "; points are N×3 (xyz), N×6 (xyz and rgb), or batches B×N×3, B×N×6"};
                }
                if (rank == 2) {
                    return cloud(keys_.key(name, data.phase), *tensor, data, context);
                }
                for (std::int64_t i = 0; i < tensor->shape[0]; ++i) {
                    TAFFRAIL_TRY(cloud(keys_.key(name + "/" + std::to_string(i), data.phase),
                                       slice(*tensor, i), data, context));
                }
                return {};
            });
    }

    Result<void> log_epoch(std::int64_t, Phase, RoutineContext&) override { return {}; }

    Result<void> end_log(RoutineContext&) override { return {}; }

  private:
    static Result<void> cloud(const std::string& key, const TensorView& points, const DataMap& data,
                              RoutineContext& context) {
        const std::vector<float> values = to_f32(points);
        const auto width = static_cast<std::size_t>(points.shape[1]);
        std::vector<float> vertices;
        std::vector<float> colors;
        for (std::size_t i = 0; i + width <= values.size(); i += width) {
            vertices.insert(vertices.end(), values.begin() + static_cast<std::ptrdiff_t>(i),
                            values.begin() + static_cast<std::ptrdiff_t>(i + 3));
            colors.insert(colors.end(), values.begin() + static_cast<std::ptrdiff_t>(i + 3),
                          values.begin() + static_cast<std::ptrdiff_t>(i + width));
        }
        // Colours are 0…1, or 0…255 when any is larger than 1.
        const bool bytes = std::ranges::any_of(colors, [](float value) { return value > 1; });
        std::vector<std::uint8_t> rgb(colors.size());
        std::ranges::transform(colors, rgb.begin(), [&](float value) {
            return static_cast<std::uint8_t>(
                std::lround(std::clamp(bytes ? value : value * 255, 0.0f, 255.0f)));
        });
        return send(key, {.vertices = vertices, .colors = rgb}, data, context);
    }

    static Result<void> send(const std::string& key, const MeshView& mesh, const DataMap& data,
                             RoutineContext& context) {
        TAFFRAIL_ASSIGN(Value value, capture_mesh(mesh));
        context.log_value(key, std::move(value), data.total_iters);
        return {};
    }

    SeriesKeys keys_{"Mesh"};
};

}  // namespace

void register_mesh() {
    registry().add({.key = "mesh",
                    .class_name = "MeshLogger",
                    .summary = "meshes and point clouds; tensors N×3, N×6, B×N×3, B×N×6",
                    .make = make_without_options<MeshRoutine>("mesh")});
}

}  // namespace taffrail::routines
