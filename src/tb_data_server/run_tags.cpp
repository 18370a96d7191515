#include "tb_data_server/run_tags.h"

#include "codec/formats/tensorboard/encode.h"
#include "codec/formats/tensorboard/hparams.h"
#include "codec/formats/tensorboard/mesh.h"
#include "codec/formats/tensorboard/names.h"
#include "sources/tensorboard/run.h"
#include "tb_data_server/run_data.h"

#include <algorithm>
#include <map>

namespace taffrail::tb_data_server {
namespace {

using formats::tensorboard::DataClass;
using formats::tensorboard::Metadata;
using formats::tensorboard::to_seconds;
using sources::tensorboard::TensorboardRun;

/// Plugin and data class of a kind that carries none.
Metadata metadata_of(Kind kind) {
    Metadata metadata;
    const auto set = [&](std::string_view plugin, DataClass data_class) {
        metadata.plugin = plugin;
        metadata.data_class = data_class;
    };
    switch (kind) {
        case Kind::Scalar:
            set(formats::tensorboard::kScalars, DataClass::Scalar);
            break;
        case Kind::Image:
        case Kind::Video:
        case Kind::Figure:
            set(formats::tensorboard::kImages, DataClass::BlobSequence);
            break;
        case Kind::Audio:
            set(formats::tensorboard::kAudio, DataClass::BlobSequence);
            break;
        case Kind::Graph:
            set(formats::tensorboard::kGraphs, DataClass::BlobSequence);
            break;
        case Kind::Histogram:
            set(formats::tensorboard::kHistograms, DataClass::Tensor);
            break;
        case Kind::Text:
        case Kind::Table:
        case Kind::Note:
        case Kind::Alert:
            set(formats::tensorboard::kText, DataClass::Tensor);
            break;
        case Kind::PrCurve:
            set(formats::tensorboard::kPrCurves, DataClass::Tensor);
            break;
        case Kind::Mesh:
            set(formats::tensorboard::kMesh, DataClass::Tensor);
            break;
        case Kind::Hparams:
            set(formats::tensorboard::kHparams, DataClass::Tensor);
            break;
        default:
            break;
    }
    return metadata;
}

/// The data class a loader gives a tensor tag whose writer named only the plugin.
DataClass class_of_plugin(std::string_view plugin) noexcept {
    if (plugin == formats::tensorboard::kScalars) {
        return DataClass::Scalar;
    }
    if (plugin == formats::tensorboard::kImages || plugin == formats::tensorboard::kAudio ||
        plugin.starts_with("graph")) {
        return DataClass::BlobSequence;
    }
    return DataClass::Tensor;
}

bool wanted(const TagInfo& tag, DataClass data_class, std::string_view plugin) {
    return tag.metadata.data_class == data_class &&
           (plugin.empty() || tag.metadata.plugin == plugin);
}

/// Tags of an event-file run, with the metadata their writers gave.
template <typename Visit>
void for_each_event_tag(const TensorboardRun& run, Visit&& visit) {
    run.inspect([&](const sources::tensorboard::RunPart& data, const auto&) {
        for (const sources::tensorboard::TagData& tag : data.tags()) {
            TagInfo info;
            info.tag = info.key = tag.name;
            const sources::tensorboard::PlaceList* list = nullptr;
            if (tag.details) {
                for (const sources::tensorboard::PlaceList& one : tag.details->places) {
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
                for (const sources::tensorboard::Place& place : list->places) {
                    info.max_step = std::max(info.max_step, place.step);
                    info.max_wall_time = std::max(info.max_wall_time, place.wall_time);
                }
            }
            visit(std::move(info));
        }
        if (!data.graphs().empty()) {
            TagInfo info;
            info.tag = formats::tensorboard::kRunGraphTag;
            info.key = "graph";
            info.metadata = metadata_of(Kind::Graph);
            info.max_length = 1;
            info.max_step = data.graphs().back().step;
            info.max_wall_time = data.graphs().back().wall_time;
            visit(std::move(info));
        }
    });
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
            info.tag = formats::tensorboard::kRunGraphTag;
        }
        info.max_step = key.scalar.last_step;
        info.max_wall_time = to_seconds(key.scalar.last_time_ns);
        if (key.kind == Kind::Mesh || key.kind == Kind::PrCurve) {
            // The plugins read these tags' metadata, so a value has to be encoded to know it.
            const auto entries = run.entries(key.key);
            if (!entries.ok() || entries->empty()) {
                continue;
            }
            for (formats::tensorboard::EncodedValue& value :
                 encode_entry(run, key.key, entries->back())) {
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
        hparams_tag(formats::tensorboard::kSessionStartTag,
                    formats::tensorboard::encode_session_start(about.config, about.group, start),
                    about.start_time_ns);
        if (about.state != RunState::Running) {
            hparams_tag(formats::tensorboard::kSessionEndTag,
                        formats::tensorboard::encode_session_end(about.state, end),
                        about.end_time_ns);
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

}  // namespace

std::vector<TagInfo> list_tags(const RecordedRun& run, DataClass data_class,
                               std::string_view plugin) {
    std::vector<TagInfo> tags;
    for_each_tag(run, [&](TagInfo tag) {
        if (wanted(tag, data_class, plugin)) {
            tags.push_back(std::move(tag));
        }
    });
    if (data_class == DataClass::BlobSequence) {
        for (TagInfo& tag : tags) {
            if (tag.max_length == 0) {
                // A few tell the size of a batch; reading all pictures only to count them would not
                // do.
                for (const BlobDatum& datum : read_blob_sequences(run, "", tag, 4)) {
                    tag.max_length =
                        std::max(tag.max_length, static_cast<std::int64_t>(datum.keys.size()));
                    tag.max_step = std::max(tag.max_step, datum.step);
                    tag.max_wall_time = std::max(tag.max_wall_time, datum.wall_time);
                }
            }
        }
    }
    std::sort(tags.begin(), tags.end(),
              [](const TagInfo& a, const TagInfo& b) { return a.tag < b.tag; });
    return tags;
}

std::vector<std::string> plugins_of(const RecordedRun& run, DataClass data_class) {
    std::vector<std::string> names;
    for_each_tag(run, [&](const TagInfo& tag) {
        const std::string& name = tag.metadata.plugin;
        if (wanted(tag, data_class, "") &&
            std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    });
    return names;
}

std::optional<TagInfo> find_tag(const RecordedRun& run, DataClass data_class,
                                std::string_view plugin, std::string_view tag) {
    std::optional<TagInfo> found;
    for_each_tag(run, [&](TagInfo one) {
        if (one.tag == tag && wanted(one, data_class, plugin)) {
            found = std::move(one);
        }
    });
    return found;
}

}  // namespace taffrail::tb_data_server
