// The binary reply of series:query: one frame per chart (docs/api/frame.md).
#pragma once

#include "query/chart/answer.h"

#include <cstdint>
#include <string>

namespace taffrail::server {

enum class Precision : std::uint8_t { Auto, F32, Q16 };

/// A chart's answer and how it is sent.
struct Frame : query::ChartAnswer {
    std::string chart;
    std::uint64_t revision = 0;
    query::AxisScale y_scale = query::AxisScale::Linear;
    Precision precision = Precision::Auto;
    bool with_counts = true;
    bool share_x = false;    ///< series with equal x send it once
    std::string error_json;  ///< then there are no series
};

/// The frame as bytes.
std::string encode_frame(const Frame& frame);

}  // namespace taffrail::server
