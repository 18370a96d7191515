#include "tb_data_server/run_data.h"

#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/formats/tensorboard/decode.h"
#include "codec/formats/tensorboard/tensor.h"
#include "model/attempts.h"
#include "sinks/tensorboard/encode_record.h"
#include "sinks/tensorboard/loaded_value.h"
#include "sources/tensorboard/place_values.h"
#include "sources/tensorboard/run.h"

#include <algorithm>
#include <array>

namespace taffrail::tb_data_server {
namespace {

using formats::tensorboard::to_seconds;
using sources::tensorboard::TensorboardRun;

std::string ref_key(const BlobRef& ref, std::string_view run_id) {
    return "b:" + to_hex(ref.sha256) + ":" + std::to_string(ref.size) + ":" + std::string(run_id);
}

std::string made_key(const TagInfo& tag, std::size_t entry, std::size_t element,
                     std::string_view run_id) {
    return "e:" + std::to_string(entry) + ":" + std::to_string(element) + ":" +
           std::to_string(tag.key.size()) + ":" + tag.key + std::string(run_id);
}

/// Elements of a value's tensor, as the sink would have written it: width, height, pictures.
std::vector<Bytes> encoded_elements(const RecordedRun& run, std::string_view key,
                                    const Entry& entry) {
    std::vector<Bytes> elements;
    const auto values = encode_entry(run, key, entry);
    formats::tensorboard::TensorMessage tensor;
    if (!values.empty() &&
        values.front().metadata.data_class == formats::tensorboard::DataClass::BlobSequence &&
        formats::tensorboard::parse_tensor(values.front().body, tensor)) {
        for (const ByteSpan element : formats::tensorboard::tensor_strings(tensor)) {
            elements.emplace_back(element.begin(), element.end());
        }
    }
    return elements;
}

/// True where the stored bytes are what TensorBoard shows.
bool is_servable(const Value& value) {
    if (const auto* image = std::get_if<Image>(&value)) {
        return image->format != "raw";
    }
    if (const auto* video = std::get_if<Video>(&value)) {
        return video->format == "gif";
    }
    return std::holds_alternative<Audio>(value);
}

int hex_digit(char letter) noexcept {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : -1;
}

}  // namespace

std::vector<formats::tensorboard::EncodedValue> encode_entry(const RecordedRun& run,
                                                             std::string_view key,
                                                             const Entry& entry) {
    auto encoded =
        sinks::tensorboard::encode_logged(key, sinks::tensorboard::loaded_value(run, *entry.value));
    return encoded.ok() ? *std::move(encoded) : std::vector<formats::tensorboard::EncodedValue>();
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
    const std::vector<bool> superseded = run.superseded(*all);
    const std::vector<Point> points = model::without_flagged(*std::move(all), superseded);
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
    std::vector<sources::tensorboard::Place> places;
    run.inspect([&](const sources::tensorboard::RunPart& data, const auto&) {
        if (const sources::tensorboard::TagData* found = data.find(tag.key);
            found != nullptr && found->details) {
            for (const sources::tensorboard::PlaceList& list : found->details->places) {
                places.insert(places.end(), list.places.begin(), list.places.end());
            }
        }
    });
    std::vector<TensorDatum> tensors;
    for (std::size_t index : spread(places.size(), limit)) {
        const sources::tensorboard::Place& place = places[index];
        const auto message = run.read_place(place);
        formats::tensorboard::ValueView view;
        if (!message.ok() || !formats::tensorboard::parse_value(*message, view)) {
            continue;
        }
        TensorDatum datum{.step = place.step, .wall_time = place.wall_time, .tensor = {}};
        if (view.content == formats::tensorboard::ValueContent::Tensor ||
            view.content == formats::tensorboard::ValueContent::None) {
            datum.tensor.assign(view.body.begin(), view.body.end());
        } else if (view.content == formats::tensorboard::ValueContent::Histo) {
            const auto value = formats::tensorboard::decode_value(
                Kind::Histogram, "", "", view, formats::tensorboard::loaded_blob);
            if (!value) {
                continue;
            }
            datum.tensor =
                formats::tensorboard::encode_histogram(tag.tag, std::get<Histogram>(*value)).body;
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
    if (tag.metadata.plugin == formats::tensorboard::kHparams) {
        if (limit > 0) {
            const auto value = formats::tensorboard::encode_hparams(tag.tag, tag.metadata.content);
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
        for (formats::tensorboard::EncodedValue& value : encode_entry(run, tag.key, entry)) {
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
    sources::tensorboard::Listed listed;
    if (events != nullptr && tag.tag != formats::tensorboard::kRunGraphTag) {
        events->inspect([&](const sources::tensorboard::RunPart& data, const auto&) {
            const sources::tensorboard::TagData* found = data.find(tag.key);
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
        const Value& value = *entry.value;
        if (std::holds_alternative<Graph>(value)) {
            datum.keys.push_back(made_key(tag, index, 0, run_id));
        } else if (!is_servable(value)) {
            const std::size_t elements = encoded_elements(run, tag.key, entry).size();
            for (std::size_t element = 0; element < elements; ++element) {
                datum.keys.push_back(made_key(tag, index, element, run_id));
            }
        } else if (const auto* image = std::get_if<Image>(&value)) {
            text(image->width);
            text(image->height);
            for (const Blob& blob : image->images) {
                datum.keys.push_back(ref_key(blob.ref, run_id));
            }
        } else if (const auto* video = std::get_if<Video>(&value)) {
            text(video->width);
            text(video->height);
            datum.keys.push_back(ref_key(video->data.ref, run_id));
        } else if (const auto* audio = std::get_if<Audio>(&value)) {
            datum.keys.push_back(ref_key(audio->data.ref, run_id));
        }
        if (datum.keys.empty()) {
            continue;
        }
        data.push_back(std::move(datum));
    }
    return data;
}

namespace {

/// "3:0:5:graphrun": three numbers, the key of that length, the run.
std::optional<BlobKey> parse_made_key(std::string_view rest) {
    BlobKey parsed;
    std::array<std::size_t, 3> numbers{};
    for (std::size_t& to : numbers) {
        const auto colon = rest.find(':');
        const auto number =
            colon != std::string_view::npos ? parse_int(rest.substr(0, colon)) : std::nullopt;
        if (!number || *number < 0) {
            return std::nullopt;
        }
        to = static_cast<std::size_t>(*number);
        rest.remove_prefix(colon + 1);
    }
    if (numbers[2] == 0 || numbers[2] > rest.size()) {
        return std::nullopt;
    }
    parsed.entry = numbers[0];
    parsed.element = numbers[1];
    parsed.key = rest.substr(0, numbers[2]);
    parsed.run_id = rest.substr(numbers[2]);
    return parsed;
}

std::optional<BlobKey> parse_ref_key(std::string_view rest) {
    constexpr std::size_t kHexDigits = 64;
    const auto second = rest.find(':', kHexDigits + 1);
    if (rest.size() <= kHexDigits || rest[kHexDigits] != ':' || second == std::string_view::npos) {
        return std::nullopt;
    }
    BlobRef ref;
    for (std::size_t i = 0; i < ref.sha256.size(); ++i) {
        const int high = hex_digit(rest[i * 2]), low = hex_digit(rest[i * 2 + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        ref.sha256[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    const auto size = parse_int(rest.substr(kHexDigits + 1, second - kHexDigits - 1));
    if (!size || *size < 0) {
        return std::nullopt;
    }
    ref.size = static_cast<std::uint64_t>(*size);
    BlobKey parsed;
    parsed.ref = ref;
    parsed.run_id = rest.substr(second + 1);
    return parsed;
}

}  // namespace

std::optional<BlobKey> parse_blob_key(std::string_view key) {
    if (key.starts_with("t:")) {
        BlobKey parsed;
        parsed.text = key.substr(2);
        return parsed;
    }
    return key.starts_with("e:")   ? parse_made_key(key.substr(2))
           : key.starts_with("b:") ? parse_ref_key(key.substr(2))
                                   : std::nullopt;
}

Result<Bytes> read_blob(const RecordedRun& run, const BlobKey& key) {
    if (key.ref) {
        TAFFRAIL_ASSIGN(const auto bytes, run.load(*key.ref));
        return Bytes(bytes->begin(), bytes->end());
    }
    TAFFRAIL_ASSIGN(const auto entries, run.entries(key.key));
    if (key.entry < entries.size()) {
        const Entry& entry = entries[key.entry];
        if (const auto* graph = std::get_if<Graph>(entry.value.get())) {
            return formats::tensorboard::encode_graph(*graph);
        }
        auto elements = encoded_elements(run, key.key, entry);
        if (key.element < elements.size()) {
            return std::move(elements[key.element]);
        }
    }
    return Error{ErrorCode::NotFound, "'" + key.key + "' has no such picture"};
}

}  // namespace taffrail::tb_data_server
