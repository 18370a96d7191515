#include "server/api/profile_frame.h"

#include "base/bytes.h"
#include "codec/json_writer.h"

#include <algorithm>

namespace taffrail::server {

std::string encode_slices(const profile::TraceIndex& index, const profile::SliceAnswer& answer,
                          std::int64_t from_ns, std::int64_t to_ns) {
    JsonWriter json;
    json.begin_object().member("from_ns", from_ns).member("to_ns", to_ns);
    json.member("count", answer.name.size()).member("is_cut", answer.is_cut);
    const auto rows = [&](std::string_view name, auto profile::RowPart::* member) {
        json.key(name).begin_array();
        for (const profile::RowPart& row : answer.rows) {
            json.value(row.*member);
        }
        json.end_array();
    };
    rows("track", &profile::RowPart::track);
    rows("row", &profile::RowPart::row);
    rows("first", &profile::RowPart::first);
    std::vector<std::uint32_t> names = answer.name;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    json.key("name_ids").begin_array();
    for (const std::uint32_t name : names) {
        json.value(name);
    }
    json.end_array().key("names").begin_array();
    for (const std::uint32_t name : names) {
        // A tooltip shows no more, and one absurd name must not make a frame large.
        json.value(index.text(name).substr(0, 300));
    }
    json.end_array().end_object();
    std::string header = std::move(json).take();
    header.append((8 - header.size() % 8) % 8, ' ');

    std::string body;
    const auto column = [&](const auto& values) {
        body.append(reinterpret_cast<const char*>(values.data()),
                    values.size() * sizeof(values[0]));
        body.append((8 - body.size() % 8) % 8, '\0');
    };
    column(answer.begin_ns);
    column(answer.duration_ns);
    column(answer.name);
    column(answer.count);
    column(answer.id);
    column(answer.busy);

    std::string frame = "TFP1";
    const auto header_bytes = static_cast<std::uint32_t>(header.size());
    const auto body_bytes = static_cast<std::uint64_t>(body.size());
    frame.append(reinterpret_cast<const char*>(&header_bytes), sizeof header_bytes);
    frame.append(reinterpret_cast<const char*>(&body_bytes), sizeof body_bytes);
    return frame + header + body;
}

}  // namespace taffrail::server
