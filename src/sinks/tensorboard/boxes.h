// Pictures with boxes drawn on them.
#pragma once

#include <taffrail/summary_writer.h>

#include <span>

namespace taffrail::sinks::tensorboard {

/// One picture (no batch) as 8-bit RGB with every box outlined in its own colour.
Result<Value> capture_with_boxes(const ImageView& image, std::span<const ImageBox> boxes);

}  // namespace taffrail::sinks::tensorboard
