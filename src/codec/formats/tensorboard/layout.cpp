#include "codec/formats/tensorboard/layout.h"

#include "base/utf8.h"
#include "codec/formats/tensorboard/tensor.h"
#include "codec/protobuf_wire.h"

namespace taffrail::formats::tensorboard {
namespace {

LayoutChart decode_chart(ByteSpan message, bool& ok) {
    LayoutChart chart;
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            chart.title = repair_utf8(field.as_text());
        } else if (field.is(2, WireType::Length)) {
            ProtoReader multiline(field.bytes);
            WireField tag;
            while (multiline.next(tag)) {
                if (tag.is(1, WireType::Length)) {
                    chart.tags.push_back(repair_utf8(tag.as_text()));
                }
            }
        } else if (field.is(3, WireType::Length)) {
            ProtoReader margins(field.bytes);
            WireField series;
            while (margins.next(series)) {
                if (!series.is(1, WireType::Length)) {
                    continue;
                }
                LayoutChart::Margin& margin = chart.margins.emplace_back();
                ProtoReader parts(series.bytes);
                WireField part;
                while (parts.next(part)) {
                    if (part.type == WireType::Length && part.number >= 1 && part.number <= 3) {
                        (part.number == 1   ? margin.value
                         : part.number == 2 ? margin.lower
                                            : margin.upper) = repair_utf8(part.as_text());
                    }
                }
            }
        }
    }
    ok &= reader.ok();
    return chart;
}

}  // namespace

std::string exact_tag_pattern(std::string_view tag) {
    std::string pattern = "^";
    for (char letter : tag) {
        if (std::string_view("\\^$.|?*+()[]{}").find(letter) != std::string_view::npos) {
            pattern += '\\';
        }
        pattern += letter;
    }
    return pattern + "$";
}

Bytes encode_layout(const ChartLayout& layout) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    for (const LayoutCategory& category : layout) {
        writer.message(2, [&](ProtoWriter& to) {
            to.text(1, category.title);
            for (const LayoutChart& chart : category.charts) {
                to.message(2, [&](ProtoWriter& one) {
                    one.text(1, chart.title);
                    one.message(chart.margins.empty() ? 2 : 3, [&](ProtoWriter& content) {
                        if (chart.margins.empty()) {
                            for (const std::string& tag : chart.tags) {
                                content.text(1, tag);
                            }
                        }
                        for (const LayoutChart::Margin& margin : chart.margins) {
                            content.message(1, [&](ProtoWriter& series) {
                                series.text(1, margin.value);
                                series.text(2, margin.lower);
                                series.text(3, margin.upper);
                            });
                        }
                    });
                });
            }
            if (category.closed) {
                to.boolean(3, true);
            }
        });
    }
    return bytes;
}

std::optional<ChartLayout> decode_layout(ByteSpan message) {
    ChartLayout layout;
    bool ok = true;
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (!field.is(2, WireType::Length)) {
            continue;
        }
        LayoutCategory& category = layout.emplace_back();
        ProtoReader parts(field.bytes);
        WireField part;
        while (parts.next(part)) {
            if (part.is(1, WireType::Length)) {
                category.title = repair_utf8(part.as_text());
            } else if (part.is(2, WireType::Length)) {
                category.charts.push_back(decode_chart(part.bytes, ok));
            } else if (part.is(3, WireType::Varint)) {
                category.closed = part.raw != 0;
            }
        }
        ok &= parts.ok();
    }
    return ok && reader.ok() ? std::optional(std::move(layout)) : std::nullopt;
}

std::string layout_to_text(ByteSpan tensor_message) {
    TensorMessage tensor;
    if (!parse_tensor(tensor_message, tensor)) {
        return {};
    }
    const auto strings = tensor_strings(tensor);
    const auto layout = strings.empty() ? std::nullopt : decode_layout(strings.front());
    std::string text;
    if (!layout) {
        return text;
    }
    for (const LayoutCategory& category : *layout) {
        text += category.title + "\n";
        for (const LayoutChart& chart : category.charts) {
            text += "  " + chart.title + "\n";
            for (const std::string& tag : chart.tags) {
                text += "    " + tag + "\n";
            }
            for (const LayoutChart::Margin& margin : chart.margins) {
                text += "    " + margin.value + " between " + margin.lower + " and " +
                        margin.upper + "\n";
            }
        }
    }
    return text;
}

}  // namespace taffrail::formats::tensorboard
