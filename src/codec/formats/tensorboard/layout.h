// Layouts of the custom scalars page: which tags share a chart.
#pragma once

#include "base/bytes.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::formats::tensorboard {

/// One chart: curves of several tags, or a value with a band around it.
struct LayoutChart {
    struct Margin {
        std::string value, lower, upper;
    };

    std::string title;
    std::vector<std::string> tags;  ///< regular expressions, as TensorBoard wants them
    std::vector<Margin> margins;    ///< used instead of `tags` when not empty
};

struct LayoutCategory {
    std::string title;
    std::vector<LayoutChart> charts;
    bool closed = false;
};

using ChartLayout = std::vector<LayoutCategory>;

/// The expression that matches exactly this tag. TensorBoard anchors at the start only, so `loss`
/// would take `loss_2` too.
std::string exact_tag_pattern(std::string_view tag);

Bytes encode_layout(const ChartLayout& layout);
std::optional<ChartLayout> decode_layout(ByteSpan message);
/// A layout tensor as indented text for people; "" when the bytes are none.
std::string layout_to_text(ByteSpan tensor_message);

}  // namespace taffrail::formats::tensorboard
