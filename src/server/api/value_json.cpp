#include "server/api/value_json.h"

#include "base/sha256.h"
#include "base/strings.h"
#include "server/api/api.h"

namespace taffrail::server {
namespace {

template <typename T>
void write_list(JsonWriter& json, std::string_view name, const std::vector<T>& items) {
    json.key(name).begin_array();
    for (const T& item : items) {
        json.value(item);
    }
    json.end_array();
}

void write_table(JsonWriter& json, const Table& table) {
    write_list(json, "columns", table.columns);
    json.key("rows").begin_array();
    for (const auto& row : table.rows) {
        json.begin_array();
        for (const Cell& cell : row) {
            write_cell(json, cell);
        }
        json.end_array();
    }
    json.end_array();
}

struct Writer {
    JsonWriter& json;

    void operator()(double value) const { json.member("kind", "scalar").member("value", value); }

    void operator()(const Histogram& h) const {
        json.member("kind", "histogram");
        write_list(json, "edges", h.edges);
        write_list(json, "counts", h.counts);
        json.member("nan", h.nan_count)
            .member("positive_infinity", h.positive_infinity_count)
            .member("negative_infinity", h.negative_infinity_count);
        json.member("min", h.min)
            .member("max", h.max)
            .member("sum", h.sum)
            .member("sum_squares", h.sum_squares);
    }

    void operator()(const Image& image) const {
        json.member("kind", "image")
            .member("format", image.format)
            .member("dtype", to_string(image.dtype));
        json.member("width", image.width)
            .member("height", image.height)
            .member("channels", image.channels)
            .key("images")
            .begin_array();
        for (const Blob& blob : image.images) {
            write_blob(json, blob);
        }
        json.end_array();
        write_list(json, "captions", image.captions);
    }

    void operator()(const Audio& audio) const {
        json.member("kind", "audio")
            .member("format", audio.format)
            .member("sample_rate", audio.sample_rate);
        json.member("channels", audio.channels).member("frames", audio.frames).key("data");
        write_blob(json, audio.data);
        json.member("caption", audio.caption);
    }

    void operator()(const Video& video) const {
        json.member("kind", "video")
            .member("format", video.format)
            .member("width", video.width)
            .member("height", video.height);
        json.member("frames", video.frames)
            .member("channels", video.channels)
            .member("frames_per_second", video.frames_per_second)
            .key("data");
        write_blob(json, video.data);
        json.member("caption", video.caption);
    }

    void operator()(const Mesh& mesh) const {
        json.member("kind", "mesh")
            .member("format", mesh.format)
            .member("vertices", mesh.vertices)
            .member("faces", mesh.faces);
        json.member("has_colors", mesh.has_colors)
            .member("has_normals", mesh.has_normals)
            .member("config", mesh.config_json)
            .key("data");
        write_blob(json, mesh.data);
    }

    void operator()(const Text& text) const {
        json.member("kind", "text").member("text", text.text).member("plain", text.plain);
    }

    void operator()(const Table& table) const {
        json.member("kind", "table");
        write_table(json, table);
    }

    void operator()(const Figure& figure) const {
        json.member("kind", "figure");
        if (!figure.plotly_json.empty()) {
            json.member("plotly", figure.plotly_json);
        }
        if (figure.picture.ref.size > 0) {
            json.key("picture");
            write_blob(json, figure.picture);
            json.member("picture_format", figure.picture_format);
        }
    }

    void operator()(const Graph& graph) const {
        json.member("kind", "graph").key("nodes").begin_array();
        for (const GraphNode& node : graph.nodes) {
            json.begin_object().member("name", node.name).member("op", node.op);
            write_list(json, "inputs", node.inputs);
            write_list(json, "shape", node.output_shape);
            json.member("parameters", node.parameters)
                .member("device", node.device)
                .key("attributes");
            write_named_cells(json, node.attributes);
            json.end_object();
        }
        json.end_array();
    }

    void operator()(const PrCurve& curve) const {
        json.member("kind", "pr_curve");
        write_list(json, "thresholds", curve.thresholds);
        write_list(json, "true_positives", curve.true_positives);
        write_list(json, "false_positives", curve.false_positives);
        write_list(json, "true_negatives", curve.true_negatives);
        write_list(json, "false_negatives", curve.false_negatives);
        write_list(json, "precision", curve.precision);
        write_list(json, "recall", curve.recall);
    }

    void operator()(const Embedding& embedding) const {
        json.member("kind", "embedding")
            .member("count", embedding.count)
            .member("dimensions", embedding.dimensions)
            .key("vectors");
        write_blob(json, embedding.vectors);
        json.key("metadata").begin_object();
        write_table(json, embedding.metadata);
        json.end_object();
        if (embedding.sprite.ref.size > 0) {
            json.key("sprite");
            write_blob(json, embedding.sprite);
        }
        json.member("thumbnail_width", embedding.thumbnail_width)
            .member("thumbnail_height", embedding.thumbnail_height);
    }

    void operator()(const Tensor& tensor) const {
        json.member("kind", "tensor")
            .member("dtype", to_string(tensor.dtype))
            .key("shape")
            .begin_array();
        for (std::int64_t extent : tensor.shape.extents()) {
            json.value(extent);
        }
        json.end_array().key("data");
        write_blob(json, tensor.data);
    }

    void operator()(const Hparams& hparams) const {
        std::string text;
        for (const auto& [name, cell] : hparams) {
            JsonWriter value;
            value.value(cell);
            text += name + " = " + value.text() + '\n';
        }
        json.member("kind", "hparams").member("text", text);
    }

    void operator()(const Artifact& artifact) const {
        json.member("kind", "artifact")
            .member("text", artifact.name + ' ' + artifact.version + ", " +
                                std::to_string(artifact.files.size()) + " files");
    }

    void operator()(const Alert& alert) const {
        json.member("kind", "alert").member("text", alert.title + "\n" + alert.text);
    }

    void operator()(const Note& note) const {
        json.member("kind", "note").member("text", note.text);
    }

    void operator()(const Tag& tag) const { json.member("kind", "tag").member("text", tag.tag); }
};

}  // namespace

void write_blob(JsonWriter& json, const Blob& blob) {
    json.begin_object()
        .member("sha", to_hex(blob.ref.sha256))
        .member("size", blob.ref.size)
        .end_object();
}

void write_value(JsonWriter& json, const Value& value) {
    json.begin_object();
    std::visit(Writer{json}, value);
    json.end_object();
}

}  // namespace taffrail::server
