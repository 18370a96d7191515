#include "query/export/value_json.h"

namespace taffrail::query {
namespace {

void write_numbers(JsonWriter& json, std::string_view name, std::span<const double> numbers) {
    json.key(name).begin_array();
    for (double number : numbers) {
        json.value(number);
    }
    json.end_array();
}

void write_shape(JsonWriter& json, std::initializer_list<std::int64_t> extents) {
    json.key("shape").begin_array();
    for (std::int64_t extent : extents) {
        json.value(extent);
    }
    json.end_array();
}

void write_text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
    json.key(name);
    text.empty() ? json.null() : json.value(text);
}

/// file, preview, sha256 and size of one blob; all null when the value has none.
void write_file(JsonWriter& json, std::span<const MediaFile> files, std::size_t index) {
    if (index >= files.size()) {
        json.key("file").null().key("sha256").null();
        return;
    }
    const MediaFile& media = files[index];
    write_text_or_null(json, "file", media.file);
    if (!media.preview.empty()) {
        json.member("preview", media.preview);
    }
    json.member("sha256", media.sha256).member("size", media.size);
}

void write_cells(JsonWriter& json, const Hparams& cells) {
    json.begin_object();
    for (const auto& [name, cell] : cells) {
        json.member(name, cell);
    }
    json.end_object();
}

void write_table(JsonWriter& json, const Table& table) {
    json.begin_object().key("columns").begin_array();
    for (const std::string& column : table.columns) {
        json.value(column);
    }
    json.end_array().key("rows").begin_array();
    for (const auto& row : table.rows) {
        json.begin_array();
        for (const Cell& cell : row) {
            json.value(cell);
        }
        json.end_array();
    }
    json.end_array().end_object();
}

struct Writer {
    JsonWriter& json;
    std::span<const MediaFile> files;

    void operator()(double number) const { json.value(number); }

    void operator()(const Histogram& value) const {
        json.begin_object();
        write_numbers(json, "edges", value.edges);
        write_numbers(json, "counts", value.counts);
        json.member("nan_count", value.nan_count)
            .member("positive_infinity_count", value.positive_infinity_count);
        json.member("negative_infinity_count", value.negative_infinity_count)
            .member("min", value.min)
            .member("max", value.max);
        json.member("sum", value.sum).member("sum_squares", value.sum_squares).end_object();
    }

    void operator()(const Image& value) const {
        json.begin_object();
        write_file(json, files, 0);
        json.member("format", value.format).member("dtype", to_string(value.dtype));
        write_shape(json, {value.height, value.width, value.channels});
        json.key("captions").begin_array();
        for (const std::string& caption : value.captions) {
            json.value(caption);
        }
        json.end_array();
        if (value.images.size() > 1) {
            json.key("images").begin_array();
            for (std::size_t i = 0; i < value.images.size(); ++i) {
                json.begin_object();
                write_file(json, files, i);
                json.end_object();
            }
            json.end_array();
        }
        json.end_object();
    }

    void operator()(const Audio& value) const {
        json.begin_object();
        write_file(json, files, 0);
        json.member("format", value.format).member("sample_rate", value.sample_rate);
        write_shape(json, {value.frames, value.channels});
        json.member("caption", value.caption).end_object();
    }

    void operator()(const Video& value) const {
        json.begin_object();
        write_file(json, files, 0);
        json.member("format", value.format).member("frames_per_second", value.frames_per_second);
        write_shape(json, {value.frames, value.height, value.width, value.channels});
        json.member("caption", value.caption).end_object();
    }

    void operator()(const Mesh& value) const {
        json.begin_object();
        write_file(json, files, 0);
        json.member("format", value.format)
            .member("vertices", value.vertices)
            .member("faces", value.faces);
        json.member("has_colors", value.has_colors).member("has_normals", value.has_normals);
        write_shape(json, {value.vertices, 3});
        write_text_or_null(json, "config", value.config_json);
        json.end_object();
    }

    void operator()(const Text& value) const { json.value(value.text); }

    void operator()(const Table& value) const { write_table(json, value); }

    void operator()(const Figure& value) const {
        json.begin_object();
        write_file(json, files, 0);
        json.key("plotly");
        value.plotly_json.empty() ? json.null() : json.value(value.plotly_json);
        json.end_object();
    }

    void operator()(const Graph& value) const {
        json.begin_object().key("nodes").begin_array();
        for (const GraphNode& node : value.nodes) {
            json.begin_object()
                .member("name", node.name)
                .member("op", node.op)
                .key("inputs")
                .begin_array();
            for (const std::string& input : node.inputs) {
                json.value(input);
            }
            json.end_array().key("output_shape").begin_array();
            for (std::int64_t extent : node.output_shape) {
                json.value(extent);
            }
            json.end_array()
                .member("parameters", node.parameters)
                .member("device", node.device)
                .key("attributes");
            write_cells(json, node.attributes);
            json.end_object();
        }
        json.end_array().end_object();
    }

    void operator()(const PrCurve& value) const {
        json.begin_object();
        write_numbers(json, "thresholds", value.thresholds);
        write_numbers(json, "true_positives", value.true_positives);
        write_numbers(json, "false_positives", value.false_positives);
        write_numbers(json, "true_negatives", value.true_negatives);
        write_numbers(json, "false_negatives", value.false_negatives);
        write_numbers(json, "precision", value.precision);
        write_numbers(json, "recall", value.recall);
        json.end_object();
    }

    void operator()(const Embedding& value) const {
        json.begin_object();
        write_file(json, files, 0);
        write_shape(json, {value.count, value.dimensions});
        json.key("metadata");
        value.metadata.columns.empty() ? void(json.null()) : write_table(json, value.metadata);
        if (files.size() > 1) {
            json.key("sprite").begin_object();
            write_file(json, files, 1);
            json.member("thumbnail_width", value.thumbnail_width)
                .member("thumbnail_height", value.thumbnail_height);
            json.end_object();
        }
        json.end_object();
    }

    void operator()(const Hparams& value) const { write_cells(json, value); }

    void operator()(const Artifact& value) const {
        json.begin_object()
            .member("name", value.name)
            .member("type", value.type)
            .member("version", value.version);
        json.key("files").begin_array();
        // Empty files have no blob; they keep their place in the list.
        std::size_t next = 0;
        for (const ArtifactFile& file : value.files) {
            json.begin_object().member("path", file.path);
            const bool present = file.data.ref.size != 0 || file.data.bytes != nullptr;
            write_file(json, files, present ? next++ : files.size());
            json.end_object();
        }
        json.end_array().key("metadata");
        write_cells(json, value.metadata);
        json.end_object();
    }

    void operator()(const Alert& value) const {
        constexpr std::string_view kLevels[] = {"info", "warning", "error"};
        json.begin_object().member("level", kLevels[static_cast<std::size_t>(value.level)]);
        json.member("title", value.title).member("text", value.text).end_object();
    }

    void operator()(const Note& value) const { json.value(value.text); }

    void operator()(const Tag& value) const {
        json.begin_object().member("tag", value.tag).member("removed", value.removed).end_object();
    }

    void operator()(const Tensor& value) const {
        json.begin_object();
        write_file(json, files, 0);
        json.member("dtype", to_string(value.dtype)).key("shape").begin_array();
        for (std::int64_t extent : value.shape.extents()) {
            json.value(extent);
        }
        json.end_array().end_object();
    }
};

}  // namespace

void write_value(JsonWriter& json, const Value& value, std::span<const MediaFile> files) {
    std::visit(Writer{json, files}, value);
}

}  // namespace taffrail::query
