// Video as SummaryWriter::add_video takes it: one film, or a batch that is shown side by side.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

namespace taffrail::sinks::tensorboard {

/// capture_video(), and for five axes N×T×… the N videos tiled into one film: rows of equal length,
/// about as many rows as columns, black where the last row is not full.
Result<Value> capture_film(const VideoView& video);

}  // namespace taffrail::sinks::tensorboard
