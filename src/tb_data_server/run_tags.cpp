#include "tb_data_server/run_tags.h"

#include <algorithm>
#include <map>

#include "base/sha256.h"
#include "base/strings.h"
#include "codec/formats/tensorboard/decode.h"
#include "codec/formats/tensorboard/encode.h"
#include "codec/formats/tensorboard/hparams.h"
#include "codec/formats/tensorboard/mesh.h"
#include "codec/formats/tensorboard/names.h"
#include "model/attempts.h"
#include "sinks/tensorboard/encode_record.h"
#include "sinks/tensorboard/loaded_value.h"
#include "sources/tensorboard/run.h"

namespace taffrail::data_server {
namespace {

using tensorboard::DataClass;
using tensorboard::Metadata;
using tensorboard::TensorboardRun;
using tensorboard::to_seconds;

/// Plugin and data class of a kind that carries none.
Metadata metadata_of(Kind kind) {
    Metadata metadata;
    const auto set = [&](std::string_view plugin, DataClass data_class) {
        metadata.plugin = plugin;
        metadata.data_class = data_class;
    };
    switch (kind) {
        case Kind::Scalar: set(tensorboard::kScalars, DataClass::Scalar); break;
        case Kind::Image:
        case Kind::Video:
        case Kind::Figure: set(tensorboard::kImages, DataClass::BlobSequence); break;
        case Kind::Audio: set(tensorboard::kAudio, DataClass::BlobSequence); break;
        case Kind::Graph: set(tensorboard::kGraphs, DataClass::BlobSequence); break;
        case Kind::Histogram: set(tensorboard::kHistograms, DataClass::Tensor); break;
        case Kind::Text:
        case Kind::Table:
        case Kind::Note:
        case Kind::Alert: set(tensorboard::kText, DataClass::Tensor); break;
        case Kind::PrCurve: set(tensorboard::kPrCurves, DataClass::Tensor); break;
        case Kind::Mesh: set(tensorboard::kMesh, DataClass::Tensor); break;
        case Kind::Hparams: set(tensorboard::kHparams, DataClass::Tensor); break;
        default: break;
    }
    return metadata;
}

/// The data class a loader gives a tensor tag whose writer named only the plugin.
DataClass class_of_plugin(std::string_view plugin) noexcept {
    if (plugin == tensorboard::kScalars) {
        return DataClass::Scalar;
    }
    if (plugin == tensorboard::kImages || plugin == tensorboard::kAudio || plugin.starts_with("graph")) {
        return DataClass::BlobSequence;
    }
    return DataClass::Tensor;
}

bool wanted(const TagInfo& tag, DataClass data_class, std::string_view plugin) {
    return tag.metadata.data_class == data_class && (plugin.empty() || tag.metadata.plugin == plugin);
}

/// Tags of an event-file run, with the metadata their writers gave.
template <typename Visit>
void for_each_event_tag(const TensorboardRun& run, Visit&& visit) {
    run.inspect([&](const tensorboard::RunPart& data, const auto&) {
        for (const tensorboard::TagData& tag : data.tags()) {
            TagInfo info;
            info.tag = info.key = tag.name;
            const tensorboard::PlaceList* list = nullptr;
            if (tag.details) {
                for (const tensorboard::PlaceList& one : tag.details->places) {
                    list = list == nullptr && !one.places.empty() ? &one : list;
                }
                info.metadata = tag.details->metadata;
            }
            const bool scalar = tag.scalars.count() > 0;
            if (!scalar && list == nullptr) {
                continue;
            }
            const Metadata looks = metadata_of(scalar ? Kind::Scalar : list->kind);
            if (info.metadata.plugin.empty()) {
                info.metadata.plugin = looks.plugin;
            }
            if (scalar || info.metadata.data_class == DataClass::Unknown) {
                info.metadata.data_class = scalar ? DataClass::Scalar
                                           : looks.data_class != DataClass::Unknown
                                               ? looks.data_class
                                               : class_of_plugin(info.metadata.plugin);
            }
            if (scalar) {
                info.max_step = tag.scalars.max_step();
                info.max_wall_time = tag.scalars.max_wall_time();
            } else {
                info.max_step = INT64_MIN;
                for (const tensorboard::Place& place : list->places) {
                    info.max_step = std::max(info.max_step, place.step);
                    info.max_wall_time = std::max(info.max_wall_time, place.wall_time);
                }
            }
            visit(std::move(info));
        }
        if (!data.graphs().empty()) {
            TagInfo info;
            info.tag = tensorboard::kRunGraphTag;
            info.key = "graph";
            info.metadata = metadata_of(Kind::Graph);
            info.max_length = 1;
            info.max_step = data.graphs().back().step;
            info.max_wall_time = data.graphs().back().wall_time;
            visit(std::move(info));
        }
    });
}

/// The summary values that `entry` of `key` becomes.
std::vector<tensorboard::EncodedValue> encode_entry(const RecordedRun& run, std::string_view key, const Entry& entry) {
    auto encoded = tensorboard::encode_logged(key, tensorboard::loaded_value(run, *entry.value));
    return encoded.ok() ? *std::move(encoded) : std::vector<tensorboard::EncodedValue>();
}

/// Tags of any other run: what the sink would have written.
template <typename Visit>
void for_each_other_tag(const RecordedRun& run, Visit&& visit) {
    for (const KeyInfo& key : run.keys()) {
        TagInfo info;
        info.tag = info.key = key.key;
        info.metadata = metadata_of(key.kind);
        if (info.metadata.data_class == DataClass::Unknown) {
            continue;
        }
        if (key.kind == Kind::Graph) {
            info.tag = tensorboard::kRunGraphTag;
        }
        info.max_step = key.scalar.last_step;
        info.max_wall_time = to_seconds(key.scalar.last_time_ns);
        if (key.kind == Kind::Mesh || key.kind == Kind::PrCurve) {
            // The plugins read these tags' metadata, so a value has to be encoded to know it.
            const auto entries = run.entries(key.key);
            if (!entries.ok() || entries->empty()) {
                continue;
            }
            for (tensorboard::EncodedValue& value : encode_entry(run, key.key, entries->back())) {
                info.tag = std::move(value.tag);
                info.metadata = std::move(value.metadata);
                info.max_step = entries->back().step;
                info.max_wall_time = to_seconds(entries->back().time_ns);
                visit(info);
            }
            continue;
        }
        visit(std::move(info));
    }
    const RunInfo about = run.info();
    const auto hparams_tag = [&](std::string_view tag, std::string content, std::int64_t time_ns) {
        TagInfo info;
        info.tag = info.key = tag;
        info.metadata = metadata_of(Kind::Hparams);
        info.metadata.content = std::move(content);
        info.max_wall_time = to_seconds(time_ns);
        visit(std::move(info));
    };
    if (!about.config.empty()) {
        const double start = to_seconds(about.start_time_ns), end = to_seconds(about.end_time_ns);
        hparams_tag(tensorboard::kSessionStartTag, tensorboard::encode_session_start(about.config, about.group, start),
                    about.start_time_ns);
        if (about.state != RunState::Running) {
            hparams_tag(tensorboard::kSessionEndTag, tensorboard::encode_session_end(about.state, end), about.end_time_ns);
        }
    }
}

template <typename Visit>
void for_each_tag(const RecordedRun& run, Visit&& visit) {
    if (const auto* events = dynamic_cast<const TensorboardRun*>(&run)) {
        for_each_event_tag(*events, visit);
    } else {
        for_each_other_tag(run, visit);
    }
}

std::string ref_key(const BlobRef& ref, std::string_view run_id) {
    return "b:" + to_hex(ref.sha256) + ":" + std::to_string(ref.size) + ":" + std::string(run_id);
}

int hex_digit(char letter) noexcept {
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

}  // namespace

std::vector<TagInfo> list_tags(const RecordedRun& run, DataClass data_class, std::string_view plugin) {
    std::vector<TagInfo> tags;
    for_each_tag(run, [&](TagInfo tag) {
        if (wanted(tag, data_class, plugin)) {
            tags.push_back(std::move(tag));
        }
    });
    if (data_class == DataClass::BlobSequence) {
        for (TagInfo& tag : tags) {
            if (tag.max_length == 0) {
                for (const BlobDatum& datum : read_blob_sequences(run, "", tag, INT64_MAX)) {
                    tag.max_length = std::max(tag.max_length, static_cast<std::int64_t>(datum.keys.size()));
                    tag.max_step = std::max(tag.max_step, datum.step);
                    tag.max_wall_time = std::max(tag.max_wall_time, datum.wall_time);
                }
            }
        }
    }
    std::sort(tags.begin(), tags.end(), [](const TagInfo& a, const TagInfo& b) { return a.tag < b.tag; });
    return tags;
}

std::vector<std::string> plugins_of(const RecordedRun& run, DataClass data_class) {
    std::vector<std::string> names;
    for_each_tag(run, [&](const TagInfo& tag) {
        const std::string& name = tag.metadata.plugin;
        if (wanted(tag, data_class, "") && std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    });
    return names;
}

std::optional<TagInfo> find_tag(const RecordedRun& run, DataClass data_class, std::string_view plugin, std::string_view tag) {
    std::optional<TagInfo> found;
    for_each_tag(run, [&](TagInfo one) {
        if (one.tag == tag && wanted(one, data_class, plugin)) {
            found = std::move(one);
        }
    });
    return found;
}

std::vector<std::size_t> spread(std::size_t count, std::int64_t limit) {
    std::vector<std::size_t> chosen;
    if (limit <= 0 || count == 0) {
        return chosen;
    }
    const std::size_t wanted_count = std::min<std::size_t>(count, static_cast<std::size_t>(limit));
    chosen.reserve(wanted_count);
    if (wanted_count == 1) {
        chosen.push_back(count - 1);
        return chosen;
    }
    for (std::size_t i = 0; i < wanted_count; ++i) {
        const auto position = static_cast<unsigned __int128>(i) * (count - 1) / (wanted_count - 1);
        chosen.push_back(static_cast<std::size_t>(position));
    }
    return chosen;
}

ScalarColumns read_scalars(const RecordedRun& run, const TagInfo& tag, std::int64_t limit) {
    ScalarColumns columns;
    auto all = run.points(tag.key);
    if (!all.ok()) {
        return columns;
    }
    std::vector<Point> points;
    if (const auto* events = dynamic_cast<const TensorboardRun*>(&run)) {
        const auto restarts = events->inspect([](const tensorboard::RunPart& data, const auto&) { return data.restarts(); });
        points = tensorboard::winning_points(*std::move(all), restarts, std::nullopt);
    } else {
        points = model::choose_attempt(*std::move(all), std::nullopt);
    }
    for (std::size_t index : spread(points.size(), limit)) {
        columns.step.push_back(points[index].step);
        columns.wall_time.push_back(to_seconds(points[index].time_ns));
        columns.value.push_back(static_cast<float>(points[index].value));
    }
    return columns;
}

namespace {

/// Event files hold tensors already; old histograms are turned into the new form.
std::vector<TensorDatum> read_event_tensors(const TensorboardRun& run, const TagInfo& tag, std::int64_t limit) {
    std::vector<tensorboard::Place> places;
    run.inspect([&](const tensorboard::RunPart& data, const auto&) {
        if (const tensorboard::TagData* found = data.find(tag.key); found != nullptr && found->details) {
            for (const tensorboard::PlaceList& list : found->details->places) {
                places.insert(places.end(), list.places.begin(), list.places.end());
            }
        }
    });
    std::vector<TensorDatum> tensors;
    for (std::size_t index : spread(places.size(), limit)) {
        const tensorboard::Place& place = places[index];
        const auto message = run.read_place(place);
        tensorboard::ValueView view;
        if (!message.ok() || !tensorboard::parse_value(*message, view)) {
            continue;
        }
        TensorDatum datum{.step = place.step, .wall_time = place.wall_time, .tensor = {}};
        if (view.content == tensorboard::ValueContent::Tensor || view.content == tensorboard::ValueContent::None) {
            datum.tensor.assign(view.body.begin(), view.body.end());
        } else if (view.content == tensorboard::ValueContent::Histo) {
            const auto value = tensorboard::decode_value(Kind::Histogram, "", "", view, tensorboard::loaded_blob);
            if (!value) {
                continue;
            }
            datum.tensor = tensorboard::encode_histogram(tag.tag, std::get<Histogram>(*value)).body;
        }
        tensors.push_back(std::move(datum));
    }
    return tensors;
}

}  // namespace

std::vector<TensorDatum> read_tensors(const RecordedRun& run, const TagInfo& tag, std::int64_t limit) {
    if (const auto* events = dynamic_cast<const TensorboardRun*>(&run)) {
        return read_event_tensors(*events, tag, limit);
    }
    std::vector<TensorDatum> tensors;
    if (tag.metadata.plugin == tensorboard::kHparams) {
        if (limit > 0) {
            const auto value = tensorboard::encode_hparams(tag.tag, tag.metadata.content);
            tensors.push_back({.step = 0, .wall_time = tag.max_wall_time, .tensor = value.body});
        }
        return tensors;
    }
    const auto entries = run.entries(tag.key);
    if (!entries.ok()) {
        return tensors;
    }
    for (std::size_t index : spread(entries->size(), limit)) {
        const Entry& entry = (*entries)[index];
        for (tensorboard::EncodedValue& value : encode_entry(run, tag.key, entry)) {
            if (value.tag == tag.tag) {
                tensors.push_back({.step = entry.step, .wall_time = to_seconds(entry.time_ns), .tensor = std::move(value.body)});
            }
        }
    }
    return tensors;
}

std::vector<BlobDatum> read_blob_sequences(const RecordedRun& run, std::string_view run_id, const TagInfo& tag,
                                           std::int64_t limit) {
    const auto entries = run.entries(tag.key);
    std::vector<BlobDatum> data;
    if (!entries.ok()) {
        return data;
    }
    for (std::size_t index : spread(entries->size(), limit)) {
        const Entry& entry = (*entries)[index];
        BlobDatum datum{.step = entry.step, .wall_time = to_seconds(entry.time_ns), .keys = {}};
        const auto text = [&](std::int64_t number) { datum.keys.push_back("t:" + std::to_string(number)); };
        if (const auto* image = std::get_if<Image>(entry.value.get())) {
            text(image->width);
            text(image->height);
            for (const Blob& blob : image->images) {
                datum.keys.push_back(ref_key(blob.ref, run_id));
            }
        } else if (const auto* video = std::get_if<Video>(entry.value.get())) {
            if (video->format != "gif") {
                continue;
            }
            text(video->width);
            text(video->height);
            datum.keys.push_back(ref_key(video->data.ref, run_id));
        } else if (const auto* audio = std::get_if<Audio>(entry.value.get())) {
            datum.keys.push_back(ref_key(audio->data.ref, run_id));
        } else if (std::get_if<Graph>(entry.value.get()) != nullptr) {
            datum.keys.push_back("g:" + std::to_string(index) + ":" + std::string(run_id));
        } else {
            continue;
        }
        data.push_back(std::move(datum));
    }
    return data;
}

std::optional<BlobKey> parse_blob_key(std::string_view key) {
    BlobKey parsed;
    if (key.starts_with("t:")) {
        parsed.text = key.substr(2);
        return parsed;
    }
    const auto colon = key.find(':', 2);
    if (key.size() < 3 || key[1] != ':' || colon == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view head = key.substr(2, colon - 2);
    if (key[0] == 'g') {
        const auto number = parse_int(head);
        parsed.run_id = key.substr(colon + 1);
        parsed.graph = number && *number >= 0 ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
        return parsed.graph ? std::optional(std::move(parsed)) : std::nullopt;
    }
    const auto second = key.find(':', colon + 1);
    if (key[0] != 'b' || head.size() != 64 || second == std::string_view::npos) {
        return std::nullopt;
    }
    BlobRef ref;
    for (std::size_t i = 0; i < 32; ++i) {
        const int high = hex_digit(head[i * 2]), low = hex_digit(head[i * 2 + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        ref.sha256[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    const auto size = parse_int(key.substr(colon + 1, second - colon - 1));
    if (!size || *size < 0) {
        return std::nullopt;
    }
    ref.size = static_cast<std::uint64_t>(*size);
    parsed.ref = ref;
    parsed.run_id = key.substr(second + 1);
    return parsed;
}

Result<Bytes> read_blob(const RecordedRun& run, const BlobKey& key) {
    if (key.graph) {
        const auto entries = run.entries("graph");
        if (!entries.ok() || *key.graph >= entries->size()) {
            return Error{ErrorCode::NotFound, "no such graph"};
        }
        const auto* graph = std::get_if<Graph>((*entries)[*key.graph].value.get());
        return graph != nullptr ? tensorboard::encode_graph(*graph) : Bytes();
    }
    const auto bytes = run.load(*key.ref);
    if (!bytes.ok()) {
        return bytes.error();
    }
    return Bytes((*bytes)->begin(), (*bytes)->end());
}

}  // namespace taffrail::data_server
