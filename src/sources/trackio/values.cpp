#include "sources/trackio/values.h"

#include "base/strings.h"
#include "base/try.h"
#include "base/utf8.h"
#include "codec/capture.h"
#include "codec/json_cells.h"
#include "codec/value_files.h"
#include "io/files.h"
#include "io/inside.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace taffrail::sources::trackio {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;
constexpr std::size_t kMostPictures = 10'000;
constexpr std::size_t kMostCells = 1'000'000;

std::string type_of(const Json& json) {
    return json.string_or("_type", "");
}

Kind kind_of_media(const Json& json) {
    const std::string type = type_of(json), path = to_lower(json.string_or("file_path", ""));
    const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
    return type == "trackio.image"   ? Kind::Image
           : type == "trackio.audio" ? Kind::Audio
           : type == "trackio.video" ? Kind::Video
           : type == "trackio.object3d" &&
                   (ends(".obj") || ends(".ply") || ends(".stl") || ends(".glb"))
               ? Kind::Mesh
               : Kind::Artifact;
}

/// A file below the folder of projects, listed without being read.
Result<Blob> blob_of(const std::string& folder, const std::string& path,
                     model::GatheredBlobs& blobs) {
    const std::string url = io::join(folder, path);
    TAFFRAIL_ASSIGN(const io::FileInfo info, io::stat_inside(folder, url));
    return blobs.add(info.size,
                     [folder, url] { return io::read_inside(folder, url, kLargestFile); });
}

/// Where a file of media stands: below media/, which old versions said themselves.
std::string place_of(const std::string& folder, const std::string& said) {
    std::string place = "media/" + said;
    return said.starts_with("media/") && !io::exists_inside(folder, io::join(folder, place))
               ? said
               : place;
}

Result<Value> media_of(const std::string& key, const Json& json, const std::string& folder,
                       model::GatheredBlobs& blobs) {
    const Kind kind = kind_of_media(json);
    const std::string path = place_of(folder, json.string_or("file_path", ""));
    const std::string caption = json.string_or("caption", "");
    TAFFRAIL_ASSIGN(Blob blob, blob_of(folder, path, blobs));
    if (kind == Kind::Artifact) {
        // The same word as pages that came another way.
        Artifact artifact{.name = key, .type = type_of(json).substr(8) + "-file"};
        artifact.files = {{path.substr(path.rfind('/') + 1), std::move(blob)}};
        return Value(std::move(artifact));
    }
    TAFFRAIL_ASSIGN(Bytes bytes, io::read_inside(folder, io::join(folder, path), kLargestFile));
    Result<Value> value =
        kind == Kind::Image   ? capture_image_file(std::move(bytes), path, {.caption = caption})
        : kind == Kind::Audio ? capture_audio_file(std::move(bytes), path, {.caption = caption})
        : kind == Kind::Video ? capture_video_file(std::move(bytes), path, {.caption = caption})
                              : capture_mesh_file(std::move(bytes), path);
    if (value.ok()) {
        set_file_blob(*value, std::move(blob));
    }
    return value;
}

Result<Value> pictures_of(const std::string& key, const Json::Array& items,
                          const std::string& folder, model::GatheredBlobs& blobs) {
    std::optional<Value> all;
    for (const Json& item : items) {
        TAFFRAIL_ASSIGN(Value one, media_of(key, item, folder, blobs));
        if (!all) {
            all = std::move(one);
            continue;
        }
        auto& to = std::get<Image>(*all);
        auto& image = std::get<Image>(one);
        to.captions.resize(to.images.size());
        to.captions.push_back(image.captions.empty() ? "" : image.captions.front());
        to.images.push_back(std::move(image.images.front()));
    }
    return *std::move(all);
}

/// Rows are objects; columns stand in the order in which they first come.
Result<Value> table_of(const Json& json) {
    const Json* list = json.find("_value");
    const auto* rows = list != nullptr ? list->array() : nullptr;
    if (rows == nullptr) {
        return Error{ErrorCode::Corrupt, "a table without rows"};
    }
    Table table;
    std::map<std::string, std::size_t, std::less<>> places;
    for (const Json& row : *rows) {
        const auto* cells = row.object();
        for (const auto& [name, cell] : cells != nullptr ? *cells : Json::Object()) {
            if (places.emplace(name, table.columns.size()).second) {
                table.columns.push_back(repair_utf8(name));
            }
        }
    }
    if (rows->size() * table.columns.size() > kMostCells) {
        return Error{ErrorCode::Corrupt, "a table of more than a million cells"};
    }
    for (const Json& row : *rows) {
        auto& made = table.rows.emplace_back(table.columns.size());
        const auto* cells = row.object();
        for (const auto& [name, cell] : cells != nullptr ? *cells : Json::Object()) {
            const Json* path = cell.find("file_path");
            made[places.find(name)->second] =
                path != nullptr && path->is_string() ? Cell(*path->string()) : cell_of(cell);
        }
    }
    return Value(std::move(table));
}

void flatten(const std::string& name, const Json& json, Hparams& to) {
    const auto* members = json.object();
    if (members == nullptr || (members->empty() && !name.empty())) {
        to.emplace_back(repair_utf8(name), cell_of(json));
        return;
    }
    for (const auto& [inner, value] : *members) {
        flatten(name.empty() ? inner : name + "/" + inner, value, to);
    }
}

/// Digits of a fixed width; -1 where there are others.
std::int64_t digits(std::string_view text, std::size_t at, std::size_t count) noexcept {
    std::int64_t number = 0;
    for (std::size_t i = at; i < at + count; ++i) {
        if (i >= text.size() || text[i] < '0' || text[i] > '9') {
            return -1;
        }
        number = number * 10 + (text[i] - '0');
    }
    return number;
}

}  // namespace

std::optional<double> number_of(const Json& json) noexcept {
    if (const auto number = json.number()) {
        return number;
    }
    if (const auto truth = json.truth()) {
        return *truth ? 1 : 0;
    }
    if (const std::string* word = json.string()) {
        return *word == "NaN"         ? std::optional(std::nan(""))
               : *word == "Infinity"  ? std::optional(HUGE_VAL)
               : *word == "-Infinity" ? std::optional(-HUGE_VAL)
                                      : std::nullopt;
    }
    return std::nullopt;
}

Kind kind_of_json(const Json& json) {
    const std::string type = type_of(json);
    if (const auto* items = json.array();
        items != nullptr && !items->empty() && items->size() <= kMostPictures &&
        std::ranges::all_of(*items,
                            [](const Json& item) { return type_of(item) == "trackio.image"; })) {
        return Kind::Image;
    }
    return type == "trackio.histogram"                                         ? Kind::Histogram
           : type == "trackio.table"                                           ? Kind::Table
           : json.find("file_path") != nullptr && type.starts_with("trackio.") ? kind_of_media(json)
                                                                               : Kind::Text;
}

bool is_value(const Json& json) {
    return !json.is_object() || json.object()->empty() || json.find("_type") != nullptr;
}

Result<Value> value_of(const std::string& key, const Json& json, const std::string& folder,
                       model::GatheredBlobs& blobs) {
    switch (kind_of_json(json)) {
        case Kind::Histogram:
            return histogram_of_json(json);
        case Kind::Table:
            return table_of(json);
        case Kind::Text:
            break;
        default:
            return json.array() != nullptr ? pictures_of(key, *json.array(), folder, blobs)
                                           : media_of(key, json, folder, blobs);
    }
    if (const std::string* said = json.string()) {
        return Value(Text{.text = repair_utf8(*said), .plain = true});
    }
    return type_of(json) == "trackio.markdown"
               ? Value(Text{.text = repair_utf8(json.string_or("_value", ""))})
               : Value(Text{.text = json.dump(2), .plain = true});
}

Result<Value> artifact_of(const std::string& name, const std::string& type, std::int64_t version,
                          std::string_view manifest, std::string_view metadata,
                          const std::string& folder, const std::string& project,
                          model::GatheredBlobs& blobs) {
    TAFFRAIL_ASSIGN(const Json files, parse_json(manifest));
    Artifact artifact{.name = name, .type = type, .version = "v" + std::to_string(version)};
    if (const auto said = parse_json(metadata); said.ok() && said->is_object()) {
        artifact.metadata = flat(*said);
    }
    for (const Json& file : files.array() != nullptr ? *files.array() : Json::Array()) {
        const std::string path = repair_utf8(file.string_or("path", ""));
        if (const Json* elsewhere = file.find("ref"); elsewhere != nullptr) {
            artifact.metadata.emplace_back("reference/" + path, cell_of(*elsewhere));
            continue;
        }
        const std::string digest = file.string_or("digest", "");
        constexpr std::size_t kHexadecimal = 64;
        if (digest.size() != kHexadecimal ||
            digest.find_first_not_of("0123456789abcdef") != std::string::npos) {
            return Error{ErrorCode::Corrupt, "a manifest that names no digest of '" + path + "'"};
        }
        TAFFRAIL_ASSIGN(Blob blob, blob_of(folder,
                                           "artifacts/" + project + "/blobs/sha256/" +
                                               digest.substr(0, 2) + "/" + digest,
                                           blobs));
        artifact.files.push_back({path, std::move(blob)});
    }
    return Value(std::move(artifact));
}

Hparams flat(const Json& json) {
    Hparams all;
    flatten("", json, all);
    return all;
}

std::int64_t time_ns_of(std::string_view text) noexcept {
    using namespace std::chrono;
    const auto whole = [&](std::size_t at, std::size_t count, std::int64_t most) {
        const std::int64_t number = digits(text, at, count);
        return number > most ? -1 : number;
    };
    const std::int64_t year_of = whole(0, 4, 2261), month_of = whole(5, 2, 12),
                       day_of = whole(8, 2, 31), hour = whole(11, 2, 23), minute = whole(14, 2, 59),
                       second = whole(17, 2, 60);
    const auto date =
        year{static_cast<int>(year_of)} / static_cast<int>(month_of) / static_cast<int>(day_of);
    if (year_of < 1970 || month_of < 0 || day_of < 0 || hour < 0 || minute < 0 || second < 0 ||
        !date.ok()) {
        return 0;
    }
    std::int64_t seconds =
        sys_days(date).time_since_epoch().count() * 86'400 + hour * 3600 + minute * 60 + second;
    std::size_t at = 19;
    std::int64_t fraction = 0;
    if (at < text.size() && text[at] == '.') {
        std::int64_t unit = 100'000'000;
        for (++at; digits(text, at, 1) >= 0; ++at, unit /= 10) {
            fraction += digits(text, at, 1) * unit;
        }
    }
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
        const std::int64_t hours = whole(at + 1, 2, 23), minutes = whole(at + 4, 2, 59);
        const std::int64_t shift =
            std::max<std::int64_t>(hours, 0) * 3600 + std::max<std::int64_t>(minutes, 0) * 60;
        seconds += text[at] == '+' ? -shift : shift;
    }
    return seconds < 0 ? 0 : seconds * 1'000'000'000 + fraction;
}

}  // namespace taffrail::sources::trackio
