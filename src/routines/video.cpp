// `video`: videos as they are; tensors as batches B×T×C×H×W.
#include "base/try.h"
#include "codec/capture.h"
#include "codec/tensor.h"
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

namespace taffrail::routines {
namespace {

struct VideoOptions {
    double fps = 4;
};

const OptionSchema<VideoOptions>& video_options() {
    static const auto schema = OptionSchema<VideoOptions>("video").add(
        "fps", &VideoOptions::fps, "frames per second of tensors", {.above = 0});
    return schema;
}

class VideoRoutine : public Routine {
  public:
    explicit VideoRoutine(const VideoOptions& options) : options_(options) {}

    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(
            data, context, "video",
            [&](const std::string& name, const Datum& datum) -> Result<void> {
                if (const auto* video = std::get_if<VideoView>(&datum)) {
                    return send(keys_.key(name, data.phase), *video, data, context);
                }
                const auto* tensor = std::get_if<TensorView>(&datum);
                if (tensor == nullptr) {
                    return wrong_datum(name, datum, "a video or a tensor B×T×C×H×W");
                }
                TAFFRAIL_TRY(check_tensor(*tensor, name));
                if (tensor->shape.rank() != 5) {
                    return Error{ErrorCode::InvalidArgument,
                                 "'" + name + "' has the shape " + describe(*tensor) +
                                     "; the video routine takes B×T×C×H×W (or a VideoView)"};
                }
                const std::int64_t count = tensor->shape[0];
                for (std::int64_t i = 0; i < count; ++i) {
                    const std::string& key =
                        count == 1 ? keys_.key(name, data.phase)
                                   : keys_.key(name + "/" + std::to_string(i), data.phase);
                    TAFFRAIL_TRY(
                        send(key, {slice(*tensor, i), Layout::Chw, options_.fps}, data, context));
                }
                return {};
            });
    }

    Result<void> log_epoch(std::int64_t, Phase, RoutineContext&) override { return {}; }

    Result<void> end_log(RoutineContext&) override { return {}; }

  private:
    static Result<void> send(const std::string& key, const VideoView& video, const DataMap& data,
                             RoutineContext& context) {
        TAFFRAIL_ASSIGN(Value value, capture_video(video));
        context.log_value(key, std::move(value), data.total_iters);
        return {};
    }

    VideoOptions options_;
    SeriesKeys keys_{"Video"};
};

}  // namespace

void register_video() {
    registry().add({.key = "video",
                    .class_name = "VideoLogger",
                    .summary = "videos; tensors B×T×C×H×W",
                    .make = make_with<VideoRoutine>(video_options()),
                    .options = video_options().infos()});
}

}  // namespace taffrail::routines
