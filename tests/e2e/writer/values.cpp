#include "values.h"

#include "codec/capture.h"

#include <cmath>
#include <limits>
#include <string>

namespace taffrail::e2e {
namespace {

/// JSON has no word for them: "NaN", "Infinity" and "-Infinity" are.
double number_of(const Json& json) {
    if (const std::string* word = json.string(); word != nullptr) {
        const double infinity = std::numeric_limits<double>::infinity();
        return *word == "Infinity" ? infinity : *word == "-Infinity" ? -infinity : std::nan("");
    }
    return json.number().value_or(0);
}

std::vector<double> numbers(const Json& json, std::string_view name) {
    std::vector<double> result;
    if (const Json* member = json.find(name); member != nullptr && member->array() != nullptr) {
        for (const Json& item : *member->array()) {
            result.push_back(number_of(item));
        }
    }
    return result;
}

std::vector<std::string> texts(const Json& json, std::string_view name) {
    std::vector<std::string> result;
    if (const Json* member = json.find(name); member != nullptr && member->array() != nullptr) {
        for (const Json& item : *member->array()) {
            result.push_back(item.string() != nullptr ? *item.string() : "");
        }
    }
    return result;
}

Table table_of(const Json& json) {
    Table table;
    table.columns = texts(json, "columns");
    if (const Json* rows = json.find("rows"); rows != nullptr && rows->array() != nullptr) {
        for (const Json& row : *rows->array()) {
            std::vector<Cell>& cells = table.rows.emplace_back();
            for (const Json& item : *row.array()) {
                cells.push_back(cell_of(item));
            }
        }
    }
    return table;
}

Graph graph_of(const Json& json) {
    Graph graph;
    const Json* nodes = json.find("nodes");
    for (const Json& item : *nodes->array()) {
        GraphNode node;
        node.name = item.string_or("name", "");
        node.op = item.string_or("op", "");
        node.inputs = texts(item, "inputs");
        for (double extent : numbers(item, "shape")) {
            node.output_shape.push_back(static_cast<std::int64_t>(extent));
        }
        node.parameters = item.integer_or("parameters", 0);
        node.device = item.string_or("device", "");
        if (const Json* list = item.find("attributes");
            list != nullptr && list->array() != nullptr) {
            for (const Json& attribute : *list->array()) {
                const Json* cell = attribute.find("value");
                node.attributes.emplace_back(attribute.string_or("name", ""),
                                             cell == nullptr ? Cell() : cell_of(*cell));
            }
        }
        graph.nodes.push_back(std::move(node));
    }
    return graph;
}

Histogram histogram_of(const Json& json) {
    Histogram bins;
    bins.edges = numbers(json, "edges");
    bins.counts = numbers(json, "counts");
    bins.nan_count = static_cast<std::uint64_t>(json.integer_or("nan", 0));
    bins.min = json.number_or("min", 0);
    bins.max = json.number_or("max", 0);
    bins.sum = json.number_or("sum", 0);
    bins.sum_squares = json.number_or("sum_squares", 0);
    return bins;
}

/// The next blob; too few of them leave empty bytes, which the caller has counted before.
class Blobs {
  public:
    explicit Blobs(std::vector<Bytes>& blobs) : blobs_(blobs) {}

    Blob next() { return at_ < blobs_.size() ? make_blob(std::move(blobs_[at_++])) : Blob{}; }

  private:
    std::vector<Bytes>& blobs_;
    std::size_t at_ = 0;
};

}  // namespace

Cell cell_of(const Json& json) {
    if (json.truth().has_value()) {
        return *json.truth();
    }
    if (json.integer().has_value()) {
        return *json.integer();
    }
    if (json.number().has_value()) {
        return *json.number();
    }
    return json.string() != nullptr ? Cell(*json.string()) : Cell();
}

Hparams cells_of(const Json* json) {
    Hparams cells;
    if (json != nullptr && json->array() != nullptr) {
        for (const Json& pair : *json->array()) {
            cells.emplace_back(*pair.array()->at(0).string(), cell_of(pair.array()->at(1)));
        }
    }
    return cells;
}

Result<Value> value_of(const Json& json, std::vector<Bytes>& bytes) {
    const std::string kind = json.string_or("kind", "");
    const std::string format = json.string_or("format", "");
    Blobs blobs(bytes);
    if (kind == "image") {
        Image image{.format = format,
                    .dtype = json.string_or("dtype", "u8") == "f32" ? DType::F32 : DType::U8,
                    .width = json.integer_or("width", 0),
                    .height = json.integer_or("height", 0),
                    .channels = static_cast<int>(json.integer_or("channels", 3)),
                    .images = {},
                    .captions = texts(json, "captions")};
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            image.images.push_back(blobs.next());
        }
        return Value(std::move(image));
    }
    if (kind == "audio") {
        return Value(Audio{.format = format,
                           .sample_rate = static_cast<int>(json.integer_or("sample_rate", 0)),
                           .channels = static_cast<int>(json.integer_or("channels", 1)),
                           .frames = json.integer_or("frames", 0),
                           .data = blobs.next(),
                           .caption = json.string_or("caption", "")});
    }
    if (kind == "video") {
        return Value(Video{.format = format,
                           .width = json.integer_or("width", 0),
                           .height = json.integer_or("height", 0),
                           .frames = json.integer_or("frames", 0),
                           .channels = static_cast<int>(json.integer_or("channels", 3)),
                           .frames_per_second = json.number_or("frames_per_second", 10),
                           .data = blobs.next(),
                           .caption = json.string_or("caption", "")});
    }
    if (kind == "mesh") {
        return Value(Mesh{.format = format,
                          .vertices = json.integer_or("vertices", 0),
                          .faces = json.integer_or("faces", 0),
                          .has_colors = json.truth_or("has_colors", false),
                          .has_normals = json.truth_or("has_normals", false),
                          .config_json = json.string_or("config", ""),
                          .data = blobs.next()});
    }
    if (kind == "text") {
        return Value(
            Text{.text = json.string_or("text", ""), .plain = json.truth_or("plain", false)});
    }
    if (kind == "table") {
        return Value(table_of(json));
    }
    if (kind == "figure") {
        return Value(Figure{.plotly_json = json.string_or("plotly", ""),
                            .picture_format = bytes.empty() ? "" : "png",
                            .picture = bytes.empty() ? Blob{} : blobs.next()});
    }
    if (kind == "histogram") {
        return Value(histogram_of(json));
    }
    if (kind == "pr_curve") {
        return Value(PrCurve{numbers(json, "thresholds"), numbers(json, "true_positives"),
                             numbers(json, "false_positives"), numbers(json, "true_negatives"),
                             numbers(json, "false_negatives"), numbers(json, "precision"),
                             numbers(json, "recall")});
    }
    if (kind == "graph") {
        return Value(graph_of(json));
    }
    if (kind == "embedding") {
        const Json* metadata = json.find("metadata");
        return Value(Embedding{.count = json.integer_or("count", 0),
                               .dimensions = json.integer_or("dimensions", 0),
                               .vectors = blobs.next(),
                               .metadata = metadata == nullptr ? Table{} : table_of(*metadata),
                               .sprite = {},
                               .thumbnail_width = 0,
                               .thumbnail_height = 0});
    }
    if (kind == "artifact") {
        Artifact artifact{.name = json.string_or("name", ""),
                          .type = json.string_or("type", "file"),
                          .version = json.string_or("version", "v0"),
                          .files = {},
                          .metadata = cells_of(json.find("metadata"))};
        for (const std::string& path : texts(json, "paths")) {
            artifact.files.push_back({path, blobs.next()});
        }
        return Value(std::move(artifact));
    }
    if (kind == "alert") {
        const std::string level = json.string_or("level", "info");
        return Value(Alert{.level = level == "error"     ? AlertLevel::Error
                                    : level == "warning" ? AlertLevel::Warning
                                                         : AlertLevel::Info,
                           .title = json.string_or("title", ""),
                           .text = json.string_or("text", "")});
    }
    return Error{ErrorCode::InvalidArgument, "e2e_writer knows no value of kind \"" + kind + "\""};
}

}  // namespace taffrail::e2e
