#include "tb_data_server/run_data.h"

#include "base/sha256.h"
#include "base/strings.h"
#include "codec/formats/tensorboard/decode.h"
#include "model/attempts.h"
#include "sinks/tensorboard/encode_record.h"
#include "sinks/tensorboard/loaded_value.h"
#include "sources/tensorboard/place_values.h"
#include "sources/tensorboard/run.h"

#include <algorithm>

namespace taffrail::data_server {
namespace {

using tensorboard::TensorboardRun;
using tensorboard::to_seconds;

std::string ref_key(const BlobRef& ref, std::string_view run_id) {
    return "b:" + to_hex(ref.sha256) + ":" + std::to_string(ref.size) + ":" + std::string(run_id);
}

int hex_digit(char letter) noexcept {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : -1;
}

}  // namespace

std::vector<tensorboard::EncodedValue> encode_entry(const RecordedRun& run, std::string_view key,
                                                    const Entry& entry) {
    auto encoded = tensorboard::encode_logged(key, tensorboard::loaded_value(run, *entry.value));
    return encoded.ok() ? *std::move(encoded) : std::vector<tensorboard::EncodedValue>();
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
        const auto restarts = events->inspect(
            [](const tensorboard::RunPart& data, const auto&) { return data.restarts(); });
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
std::vector<TensorDatum> read_event_tensors(const TensorboardRun& run, const TagInfo& tag,
                                            std::int64_t limit) {
    std::vector<tensorboard::Place> places;
    run.inspect([&](const tensorboard::RunPart& data, const auto&) {
        if (const tensorboard::TagData* found = data.find(tag.key);
            found != nullptr && found->details) {
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
        if (view.content == tensorboard::ValueContent::Tensor ||
            view.content == tensorboard::ValueContent::None) {
            datum.tensor.assign(view.body.begin(), view.body.end());
        } else if (view.content == tensorboard::ValueContent::Histo) {
            const auto value =
                tensorboard::decode_value(Kind::Histogram, "", "", view, tensorboard::loaded_blob);
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

std::vector<TensorDatum> read_tensors(const RecordedRun& run, const TagInfo& tag,
                                      std::int64_t limit) {
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
                tensors.push_back({.step = entry.step,
                                   .wall_time = to_seconds(entry.time_ns),
                                   .tensor = std::move(value.body)});
            }
        }
    }
    return tensors;
}

namespace {

/// An entry and its number among all of its key.
struct Numbered {
    std::size_t number = 0;
    Entry entry;
};

/// At most `limit` entries of a key. Of event files only the chosen ones are read.
std::vector<Numbered> some_entries(const RecordedRun& run, const TagInfo& tag, std::int64_t limit) {
    std::vector<Numbered> some;
    const auto* events = dynamic_cast<const TensorboardRun*>(&run);
    tensorboard::Listed listed;
    if (events != nullptr && tag.tag != tensorboard::kRunGraphTag) {
        events->inspect([&](const tensorboard::RunPart& data, const auto&) {
            const tensorboard::TagData* found = data.find(tag.key);
            if (found != nullptr && found->details && !found->details->places.empty()) {
                listed = {found->details->places.front().kind, found->details->metadata.plugin,
                          found->details->metadata.content, found->details->places.front().places};
            }
        });
        for (std::size_t index : spread(listed.places.size(), limit)) {
            const auto message = events->read_place(listed.places[index]);
            auto value =
                message.ok() ? decode_at(listed, listed.places[index], *message) : std::nullopt;
            if (value) {
                Entry entry = entry_at(listed.places[index]);
                entry.value = std::make_shared<const Value>(std::move(*value));
                some.push_back({index, std::move(entry)});
            }
        }
        return some;
    }
    if (auto entries = run.entries(tag.key); entries.ok()) {
        for (std::size_t index : spread(entries->size(), limit)) {
            some.push_back({index, std::move((*entries)[index])});
        }
    }
    return some;
}

}  // namespace

std::vector<BlobDatum> read_blob_sequences(const RecordedRun& run, std::string_view run_id,
                                           const TagInfo& tag, std::int64_t limit) {
    std::vector<BlobDatum> data;
    for (const auto& [index, entry] : some_entries(run, tag, limit)) {
        BlobDatum datum{.step = entry.step, .wall_time = to_seconds(entry.time_ns), .keys = {}};
        const auto text = [&](std::int64_t number) {
            datum.keys.push_back("t:" + std::to_string(number));
        };
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
        parsed.graph = number && *number >= 0 ? std::optional(static_cast<std::size_t>(*number))
                                              : std::nullopt;
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
