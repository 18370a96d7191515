// Histograms as the tracker keeps them: bins that grow by a tenth, mirrored around zero.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "codec/json.h"

#include <string>

namespace taffrail::formats::comet {

/// The document of a `histogram3d` asset. Counts go to the bin that holds the middle of ours, and
/// are whole there.
std::string histogram_document(const Histogram& histogram);
/// Bins that hold something, with their edges.
Result<Histogram> histogram_of(const Json& document);

}  // namespace taffrail::formats::comet
