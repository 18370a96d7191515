#include "sources/comet/read_uploads.h"

#include "base/strings.h"
#include "base/try.h"
#include "base/utf8.h"
#include "codec/capture.h"
#include "codec/csv.h"
#include "codec/formats/comet/histogram.h"
#include "codec/mesh.h"
#include "codec/value_files.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taffrail::sources::comet {
namespace {

constexpr std::uint64_t kMaxDocumentBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxMediaBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMaxGroup = 10'000;

Kind kind_named(std::string_view name) {
    for (int number = 1; number <= static_cast<int>(Kind::Tensor); ++number) {
        if (to_string(static_cast<Kind>(number)) == name) {
            return static_cast<Kind>(number);
        }
    }
    return Kind::Artifact;
}

Kind kind_of_type(std::string_view type) {
    return type == "visualization" ? Kind::Image
           : type == "audio"       ? Kind::Audio
           : type == "video"       ? Kind::Video
           : type == "text-sample" ? Kind::Text
           : type == "histogram3d" ? Kind::Histogram
                                   : Kind::Artifact;
}

Cell cell_of(const std::string& text) {
    if (text.empty()) {
        return {};
    }
    if (const auto whole = parse_int(text)) {
        return *whole;
    }
    if (const auto number = parse_double(text)) {
        return *number;
    }
    return text == "true" ? Cell(true) : text == "false" ? Cell(false) : Cell(text);
}

Result<Value> table_in(std::string_view text) {
    const auto rows = parse_csv(text);
    if (rows.empty()) {
        return Error{ErrorCode::Corrupt, "a table without columns"};
    }
    Table table{.columns = rows.front()};
    for (std::size_t i = 1; i < rows.size(); ++i) {
        auto& cells = table.rows.emplace_back(table.columns.size());
        for (std::size_t j = 0; j < std::min(cells.size(), rows[i].size()); ++j) {
            cells[j] = cell_of(rows[i][j]);
        }
    }
    return Value(std::move(table));
}

Result<Value> points_in(std::string_view text) {
    MeshArrays mesh;
    for (const std::string_view line : split(text, '\n')) {
        const auto json = line.empty() ? Result<Json>(Json()) : parse_json(line);
        const auto* numbers = json.ok() ? json->array() : nullptr;
        if (numbers == nullptr || numbers->size() < 3) {
            continue;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            mesh.vertices.push_back(static_cast<float>((*numbers)[axis].number().value_or(0)));
        }
        for (std::size_t axis = 3; numbers->size() == 6 && axis < 6; ++axis) {
            const double share = std::clamp((*numbers)[axis].number().value_or(0), 0.0, 1.0);
            mesh.colors.push_back(static_cast<std::uint8_t>(std::lround(share * 255)));
        }
    }
    if (mesh.colors.size() != mesh.vertices.size()) {
        mesh.colors.clear();
    }
    return capture_mesh(view_of(mesh));
}

std::optional<Step> step_of(const Json* json) {
    const auto number = json != nullptr ? json->number() : std::nullopt;
    return number && std::fabs(*number) < 9e18
               ? std::optional(json->integer().value_or(std::llround(*number)))
               : std::nullopt;
}

/// A file whose bytes stay in the archive.
Blob blob_of(const std::string& path, std::uint64_t size,
             const std::shared_ptr<const ArchiveFiles>& files, model::GatheredBlobs& blobs) {
    return blobs.add(size, [files, path] { return files->read(path, kMaxMediaBytes); });
}

}  // namespace

Result<Value> UploadReader::value_of(Kind kind, const std::string& type, const std::string& shown,
                                     const std::vector<File>& group, const ArchiveFiles& files,
                                     const std::shared_ptr<const ArchiveFiles>& owner,
                                     model::GatheredBlobs& blobs) {
    const File& first = group.front();
    if (kind == Kind::Text || kind == Kind::Histogram || kind == Kind::Table ||
        kind == Kind::PrCurve || kind == Kind::Figure) {
        TAFFRAIL_ASSIGN(const Bytes bytes, files.read(first.path, kMaxDocumentBytes));
        const std::string text = repair_utf8(as_text(bytes));
        if (kind == Kind::Histogram) {
            TAFFRAIL_ASSIGN(const Json json, parse_json(text));
            TAFFRAIL_ASSIGN(Histogram histogram, formats::comet::histogram_of(json));
            return Value(std::move(histogram));
        }
        if (kind == Kind::Figure && !first.name.ends_with(".json")) {
            return Error{ErrorCode::Unsupported, "a figure without Plotly data"};
        }
        return kind == Kind::Table ? table_in(text) : value_of_document(kind, text);
    }
    if (kind == Kind::Image || kind == Kind::Audio || kind == Kind::Video || kind == Kind::Mesh) {
        TAFFRAIL_ASSIGN(Bytes bytes, files.read(first.path, kMaxMediaBytes));
        const std::uint64_t size = bytes.size();
        TAFFRAIL_ASSIGN(Value value, value_of_file(first.name, std::move(bytes), first.caption));
        const Blob blob = blob_of(first.path, size, owner, blobs);
        if (auto* image = std::get_if<Image>(&value)) {
            image->images = {blob};
            for (std::size_t i = 1; i < group.size(); ++i) {
                if (const auto more = files.size_of(group[i].path)) {
                    image->images.push_back(blob_of(group[i].path, *more, owner, blobs));
                    image->captions.resize(i, std::string());
                    image->captions.push_back(group[i].caption);
                }
            }
            if (std::ranges::all_of(image->captions, &std::string::empty) ||
                image->captions.size() > image->images.size()) {
                image->captions.clear();
            }
            return value;
        }
        if (auto* audio = std::get_if<Audio>(&value)) {
            audio->data = blob;
            return value;
        }
        if (auto* video = std::get_if<Video>(&value)) {
            video->data = blob;
            return value;
        }
        if (auto* mesh = std::get_if<Mesh>(&value)) {
            mesh->data = blob;
            return value;
        }
    }
    Artifact artifact{.name = shown, .type = type};
    for (const File& file : group) {
        const auto size = files.size_of(file.path);
        if (!size) {
            return Error{ErrorCode::NotFound, "'" + file.path + "' is not in the archive"};
        }
        artifact.files.push_back(
            {file.name.empty() ? file.path : file.name, blob_of(file.path, *size, owner, blobs)});
    }
    return Value(std::move(artifact));
}

void UploadReader::take(const Json& payload) {
    static const Json none;
    const Json* parameters = payload.find("additional_params");
    const Json* metadata = payload.find("metadata");
    const Json& about = parameters != nullptr ? *parameters : none;
    const Json& told = metadata != nullptr ? *metadata : none;
    const std::string type = payload.string_or("upload_type", "asset");
    const std::string kind_name = told.string_or("taffrail_kind", "");
    const bool is_ours = told.find("taffrail_kind") != nullptr;
    if (is_ours && kind_name.empty()) {
        return;  // drawn for the tracker; the value itself comes too
    }
    std::string shown = about.string_or("figName", about.string_or("fileName", ""));
    if (shown.empty() || shown == "auto-generated-in-the-backend") {
        shown = type;
    }
    const std::string key = is_ours ? told.string_or("taffrail_key", shown) : shown;
    Kind kind = is_ours ? kind_named(kind_name) : kind_of_type(type);
    if (kind == Kind::Tensor || kind == Kind::Embedding || kind == Kind::Hparams) {
        kind = Kind::Artifact;
    }
    File file{.path = payload.string_or("file_path", ""),
              .name = told.string_or("taffrail_file", shown),
              .caption = told.string_or("caption", "")};
    const std::string ending = about.string_or("extension", "");
    if (!is_ours && !ending.empty() && !file.name.ends_with("." + ending)) {
        file.name += "." + ending;
    }
    Group group;
    if (is_ours) {
        Group& known = groups_[key + '\0' + std::to_string(told.integer_or("taffrail_value", 0))];
        if (known && known->size() < kMaxGroup) {
            known->push_back(std::move(file));
            return;
        }
        group = known = std::make_shared<std::vector<File>>();
    } else {
        group = std::make_shared<std::vector<File>>();
    }
    group->push_back(std::move(file));
    model::GatheredValue value;
    value.kind = kind;
    value.step = step_of(about.find("step")).value_or(0);
    value.time_ns = payload.integer_or("local_timestamp", 0) * 1'000'000;
    value.attempt = attempt_;
    value.make = [files = files_, kind, type, key, group](model::GatheredBlobs& blobs) {
        return value_of(kind, type, key, *group, *files, files, blobs);
    };
    to_.values[repair_utf8(key)].push_back(std::move(value));
}

void UploadReader::take_points(const Json& payload) {
    const Json* items = payload.find("items");
    for (const Json& item :
         items != nullptr && items->array() != nullptr ? *items->array() : Json::Array()) {
        const std::string path = item.string_or("file_path", "");
        if (item.string_or("type", "") != "points" || path.empty()) {
            continue;
        }
        model::GatheredValue value;
        value.kind = Kind::Mesh;
        value.step = step_of(payload.find("step")).value_or(0);
        value.time_ns = to_.info.start_time_ns;
        value.attempt = attempt_;
        value.make = [files = files_, path](model::GatheredBlobs& blobs) -> Result<Value> {
            TAFFRAIL_ASSIGN(const Bytes bytes, files->read(path, kMaxDocumentBytes));
            TAFFRAIL_ASSIGN(Value made, points_in(as_text(bytes)));
            auto& mesh = std::get<Mesh>(made);
            mesh.data = blobs.add(Bytes(*mesh.data.bytes));
            return made;
        };
        // Of a mesh of ours the file itself comes too.
        const std::string key = payload.string_or("name", "points");
        to_.values[repair_utf8(key)].push_back(std::move(value));
    }
}

}  // namespace taffrail::sources::comet
