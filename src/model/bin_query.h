// Bins of a series that lies in one or several segments, at a cost bound by the width asked for.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "model/bin_segment.h"

#include <span>

namespace taffrail::model {

/// Answers `request` (range, scale, width; the axis is what the segments hold). Segments follow
/// each other: no position in one lies before one of an earlier segment. Empty segments are
/// allowed.
Result<Bins> query_bins(std::span<const BinSegment* const> segments, const BinRequest& request);

}  // namespace taffrail::model
