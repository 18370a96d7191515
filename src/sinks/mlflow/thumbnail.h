// Pictures as MLflow's image grid wants them: the whole one as PNG, a small one as WebP.
#pragma once

#include "trackers/value_files.h"

namespace taffrail::sinks::mlflow {

/// The stored file where it is a PNG already.
Result<Bytes> whole_png(const Image& image, std::size_t index,
                        const trackers::PictureBytes& picture);
/// The long side has 256 pixels, as the official client makes it, also where that is larger. A PNG
/// where there is no libwebp: browsers look at the bytes, not at the name.
Result<Bytes> thumbnail(const trackers::PictureBytes& picture);

}  // namespace taffrail::sinks::mlflow
