// A run record by record: its files are read once more, front to back.
#include "base/utf8.h"
#include "codec/formats/tensorboard/decode.h"
#include "io/files.h"
#include "io/inside.h"
#include "model/records.h"
#include "sources/tensorboard/meshes.h"
#include "sources/tensorboard/place_values.h"
#include "sources/tensorboard/run.h"

#include <algorithm>
#include <map>

namespace taffrail::sources::tensorboard {

Result<void> TensorboardRun::for_each(const std::function<bool(const Record&)>& visit) const {
    std::vector<EventFile> files;
    std::vector<Restart> restarts;
    std::map<std::string, Metadata, std::less<>> metadata;
    std::vector<std::string> last_keys;
    const RunInfo about = info();
    {
        std::shared_lock lock(mutex_);
        files = files_;
        restarts = data_.restarts();
        for (const TagData& tag : data_.tags()) {
            if (tag.details && tag.details->has_metadata) {
                metadata.emplace(tag.name, tag.details->metadata);
            }
        }
        for (const auto& [name, mesh] : meshes_of(data_)) {
            last_keys.push_back(name);
        }
    }
    bool going = true;
    if (!about.config.empty()) {
        const Value value = about.config;
        going = visit({.key = kHparamsKey,
                       .kind = Kind::Hparams,
                       .time_ns = about.start_time_ns,
                       .value = &value});
    }
    Bytes buffer;
    for (std::uint32_t number = 0; going && number < files.size(); ++number) {
        const auto file = io::open_inside(folder_, files[number].path);
        if (!file.ok()) {
            continue;
        }
        RecordStream stream(**file, 0, files[number].position, files[number].position, false,
                            buffer);
        ByteSpan payload;
        while (going && stream.next(payload)) {
            EventView event;
            if (!parse_event(payload, event)) {
                continue;
            }
            Place place{.step = event.step, .wall_time = event.wall_time, .file = number};
            const std::uint64_t base = stream.record_offset() + kHeaderBytes;
            for (const Restart& restart : restarts) {
                if (std::pair(restart.file, restart.offset) <= std::pair(number, base)) {
                    place.attempt = std::max(place.attempt, restart.attempt);
                }
            }
            Record record{.step = event.step,
                          .time_ns = to_time_ns(event.wall_time),
                          .attempt = place.attempt,
                          .writer = number,
                          .seq = base};
            const auto emit = [&](const Listed& listed, std::string_view key, ByteSpan message) {
                place.offset = base + static_cast<std::uint64_t>(message.data() - payload.data());
                place.length = message.size();
                const auto value = decode_at(listed, place, message);
                if (!value) {
                    return;
                }
                record.key = key;
                record.kind = listed.kind;
                record.value = listed.kind == Kind::Scalar ? nullptr : &*value;
                record.scalar = listed.kind == Kind::Scalar
                                    ? std::get<double>(*value)
                                    : std::numeric_limits<double>::quiet_NaN();
                going = visit(record);
            };
            if (event.content == EventContent::GraphDef) {
                emit({Kind::Graph, "", "", {}}, kGraphKey, event.body);
            } else if (event.content == EventContent::Summary) {
                for_each_value(event.body, [&](const ValueView& view, ByteSpan message) {
                    if (!going) {
                        return;
                    }
                    const std::string tag = repair_utf8(view.tag);
                    const auto known = metadata.find(tag);
                    const std::string plugin =
                        known != metadata.end() ? known->second.plugin : std::string();
                    const auto kind = classify(plugin, view);
                    if (kind && *kind != Kind::Mesh && *kind != Kind::Hparams) {
                        emit({*kind,
                              plugin,
                              known != metadata.end() ? known->second.content : std::string(),
                              {}},
                             tag, message);
                    }
                });
            }
        }
    }
    // What lies over several tags or outside of event files comes last.
    for (const KeyInfo& key : keys()) {
        if (key.kind == Kind::Embedding || key.kind == Kind::Artifact) {
            last_keys.push_back(key.key);
        }
    }
    for (const std::string& key : last_keys) {
        const auto listed = going ? entries(key) : Result<std::vector<Entry>>(std::vector<Entry>());
        if (!listed.ok()) {
            continue;
        }
        for (const Entry& entry : *listed) {
            const Kind kind = kind_of(*entry.value);
            if (!going ||
                (kind != Kind::Mesh && kind != Kind::Embedding && kind != Kind::Artifact)) {
                continue;
            }
            going = visit(model::record_of(key, entry));
        }
    }
    return {};
}

}  // namespace taffrail::sources::tensorboard
