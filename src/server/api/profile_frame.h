// Slices of a timeline as one binary frame (docs/api/profiles.md).
#pragma once

#include "profile/index/trace_index.h"

#include <cstdint>
#include <string>

namespace taffrail::server {

std::string encode_slices(const profile::TraceIndex& index, const profile::SliceAnswer& answer,
                          std::int64_t from_ns, std::int64_t to_ns);

}  // namespace taffrail::server
