#include "sinks/tensorboard/film.h"

#include "base/try.h"
#include "codec/capture.h"
#include "codec/tensor.h"

#include <algorithm>
#include <array>
#include <vector>

namespace taffrail::sinks::tensorboard {
namespace {

struct Grid {
    std::int64_t columns = 1, rows = 1;
};

Grid grid_of(std::int64_t videos) {
    Grid grid;
    while (grid.columns * grid.columns < videos) {
        ++grid.columns;
    }
    grid.rows = (videos + grid.columns - 1) / grid.columns;
    return grid;
}

}  // namespace

Result<Value> capture_film(const VideoView& video) {
    if (video.frames.shape.rank() != 5) {
        return capture_video(video);
    }
    TAFFRAIL_TRY(check_tensor(video.frames, "video"));
    TensorView batch = video.frames;
    if (video.layout == Layout::Chw) {
        const std::array<std::size_t, 5> axes{0, 1, 3, 4, 2};
        batch = permuted(batch, axes);
    }
    const std::int64_t videos = batch.shape[0], frames = batch.shape[1], height = batch.shape[2],
                       width = batch.shape[3], channels = batch.shape[4];
    if (batch.shape.elements() <= 0 || (batch.dtype != DType::U8 && !is_floating(batch.dtype))) {
        return Error{ErrorCode::InvalidArgument,
                     "a batch of videos is u8 or floats 0…1 and not empty, not " + describe(batch)};
    }
    const Grid grid = grid_of(videos);
    const std::int64_t row_bytes = width * channels, film_row = grid.columns * row_bytes;
    const std::vector<std::uint8_t> from = to_u8(batch);
    std::vector<std::uint8_t> film(
        static_cast<std::size_t>(frames * grid.rows * height * film_row));
    for (std::int64_t v = 0; v < videos; ++v) {
        for (std::int64_t t = 0; t < frames; ++t) {
            for (std::int64_t y = 0; y < height; ++y) {
                const std::int64_t target =
                    ((t * grid.rows + v / grid.columns) * height + y) * film_row +
                    v % grid.columns * row_bytes;
                std::copy_n(from.begin() + ((v * frames + t) * height + y) * row_bytes, row_bytes,
                            film.begin() + target);
            }
        }
    }
    return capture_video(
        {.frames = TensorView(film.data(), DType::U8,
                              {frames, grid.rows * height, grid.columns * width, channels}),
         .layout = Layout::Hwc,
         .frames_per_second = video.frames_per_second});
}

}  // namespace taffrail::sinks::tensorboard
