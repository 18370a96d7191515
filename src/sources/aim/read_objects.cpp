#include "sources/aim/read_objects.h"

#include "base/try.h"
#include "base/utf8.h"
#include "codec/capture.h"
#include "codec/formats/aim/encoding.h"
#include "codec/histogram_moments.h"
#include "codec/value_files.h"

#include <cmath>

namespace taffrail::sources::aim {

using formats::aim::Leaf;
using formats::aim::LeafType;

namespace {

std::string text_at(const Leaves& leaves, const std::string& name) {
    const auto found = leaves.encoded.find(name);
    const Leaf leaf =
        found != leaves.encoded.end() ? formats::aim::parse_leaf(as_bytes(found->second)) : Leaf();
    return leaf.type == LeafType::Text ? repair_utf8(as_text(leaf.content)) : std::string();
}

double number_at(const Leaves& leaves, const std::string& name) {
    const auto found = leaves.encoded.find(name);
    return found != leaves.encoded.end() ? formats::aim::parse_leaf(as_bytes(found->second)).number
                                         : 0;
}

Result<Bytes> data_of(const Leaves& leaves, const std::string& name) {
    const auto found = leaves.blobs.find(name);
    const Leaf leaf =
        found != leaves.blobs.end() ? formats::aim::parse_leaf(as_bytes(found->second)) : Leaf();
    if (leaf.type != LeafType::Bytes && leaf.type != LeafType::Text) {
        return Error{ErrorCode::Corrupt, "an object without its data"};
    }
    return Bytes(leaf.content.begin(), leaf.content.end());
}

Result<Value> distribution_of(const Leaves& leaves) {
    TAFFRAIL_ASSIGN(const Bytes data, data_of(leaves, "data"));
    const std::string dtype = text_at(leaves, "dtype");
    Histogram histogram;
    for (std::size_t at = 0; at + 8 <= data.size() && histogram.counts.size() < 4096; at += 8) {
        histogram.counts.push_back(dtype.starts_with("int")
                                       ? static_cast<double>(load<std::int64_t>(data.data() + at))
                                       : load<double>(data.data() + at));
    }
    const double low = number_at(leaves, "range/0"), high = number_at(leaves, "range/1");
    if (histogram.counts.empty() || !std::isfinite(low) || !std::isfinite(high)) {
        return Error{ErrorCode::Corrupt, "a distribution without bins"};
    }
    const auto bins = static_cast<double>(histogram.counts.size());
    for (std::size_t i = 0; i <= histogram.counts.size(); ++i) {
        histogram.edges.push_back(low + (high - low) * static_cast<double>(i) / bins);
    }
    histogram.edges.back() = high;
    set_moments_by_bins(histogram);
    return Value(std::move(histogram));
}

Result<Value> media_of(const Leaves& leaves, const std::string& prefix,
                       model::GatheredBlobs& blobs) {
    TAFFRAIL_ASSIGN(Bytes data, data_of(leaves, prefix + "data"));
    TAFFRAIL_ASSIGN(Value value, value_of_file("file." + text_at(leaves, prefix + "format"), data,
                                               text_at(leaves, prefix + "caption")));
    set_file_blob(value, blobs.add(std::move(data)));
    return value;
}

}  // namespace

Kind kind_of(const std::string& type) {
    return type.find("aim.image") != std::string::npos          ? Kind::Image
           : type.find("aim.audio") != std::string::npos        ? Kind::Audio
           : type.find("aim.distribution") != std::string::npos ? Kind::Histogram
           : type.find("aim.figure") != std::string::npos       ? Kind::Figure
                                                                : Kind::Text;
}

Result<Value> value_of(const std::string& type, const Leaves& leaves, model::GatheredBlobs& blobs) {
    const Kind kind = kind_of(type);
    if (kind == Kind::Histogram) {
        return distribution_of(leaves);
    }
    if (kind == Kind::Figure || kind == Kind::Text) {
        TAFFRAIL_ASSIGN(const Bytes data,
                        data_of(leaves, type.starts_with("list(") ? "0/data" : "data"));
        return value_of_document(kind, repair_utf8(as_text(data)));
    }
    if (!type.starts_with("list(")) {
        return media_of(leaves, "", blobs);
    }
    std::optional<Value> all;
    for (int i = 0; leaves.blobs.contains(std::to_string(i) + "/data"); ++i) {
        TAFFRAIL_ASSIGN(Value one, media_of(leaves, std::to_string(i) + "/", blobs));
        auto* image = std::get_if<Image>(&one);
        auto* before = all ? std::get_if<Image>(&*all) : nullptr;
        if (before != nullptr && image != nullptr) {
            before->images.push_back(image->images.front());
            before->captions.resize(static_cast<std::size_t>(i));
            before->captions.push_back(image->captions.empty() ? "" : image->captions.front());
        } else if (!all) {
            all = std::move(one);
        }
    }
    if (!all) {
        return Error{ErrorCode::Corrupt, "a list without objects"};
    }
    return *std::move(all);
}

}  // namespace taffrail::sources::aim
