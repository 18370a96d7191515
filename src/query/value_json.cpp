#include "query/value_json.h"

#include "model/metric_meaning.h"

namespace taffrail::query {
namespace {

struct Writer {
    ValueForm& form;

    template <typename T>
    void member(std::string_view name, const T& content) const {
        form.json().member(form.name_of(name), content);
    }

    template <typename List>
    void list(std::string_view name, const List& items) const {
        form.json().key(form.name_of(name)).begin_array();
        for (const auto& item : items) {
            form.json().value(item);
        }
        form.json().end_array();
    }

    void table(const Table& table) const {
        list("columns", table.columns);
        form.json().key("rows").begin_array();
        for (const auto& row : table.rows) {
            form.json().begin_array();
            for (const Cell& cell : row) {
                form.cell(cell);
            }
            form.json().end_array();
        }
        form.json().end_array();
    }

    void operator()(double number) const {
        if (!form.is_bare("scalar", {})) {
            form.begin("scalar");
            member("value", number);
            form.end();
        } else {
            form.json().value(number);
        }
    }

    void operator()(const Histogram& value) const {
        form.begin("histogram");
        list("edges", value.edges);
        list("counts", value.counts);
        member("nan_count", value.nan_count);
        member("positive_infinity_count", value.positive_infinity_count);
        member("negative_infinity_count", value.negative_infinity_count);
        member("min", value.min);
        member("max", value.max);
        member("sum", value.sum);
        member("sum_squares", value.sum_squares);
        form.end();
    }

    void operator()(const Image& value) const {
        form.begin("image");
        form.blobs("images", value.images);
        member("format", value.format);
        member("dtype", to_string(value.dtype));
        form.shape(
            {{"height", value.height}, {"width", value.width}, {"channels", value.channels}});
        list("captions", value.captions);
        form.end();
    }

    void operator()(const Audio& value) const {
        form.begin("audio");
        form.blob("data", value.data);
        member("format", value.format);
        member("sample_rate", value.sample_rate);
        form.shape({{"frames", value.frames}, {"channels", value.channels}});
        member("caption", value.caption);
        form.end();
    }

    void operator()(const Video& value) const {
        form.begin("video");
        form.blob("data", value.data);
        member("format", value.format);
        member("frames_per_second", value.frames_per_second);
        form.shape({{"frames", value.frames},
                    {"height", value.height},
                    {"width", value.width},
                    {"channels", value.channels}});
        member("caption", value.caption);
        form.end();
    }

    void operator()(const Mesh& value) const {
        form.begin("mesh");
        form.blob("data", value.data);
        member("format", value.format);
        member("vertices", value.vertices);
        member("faces", value.faces);
        member("has_colors", value.has_colors);
        member("has_normals", value.has_normals);
        form.shape({{"", value.vertices}, {"", 3}});
        form.text_if_any("config", value.config_json);
        form.end();
    }

    void operator()(const Text& value) const {
        if (!form.is_bare("text", value.text)) {
            form.begin("text");
            member("text", value.text);
            member("plain", value.plain);
            form.end();
        }
    }

    void operator()(const Table& value) const {
        form.begin("table");
        table(value);
        form.end();
    }

    void operator()(const Figure& value) const {
        form.begin("figure");
        form.blob("picture", value.picture, true);
        if (value.picture.ref.size > 0) {
            member("picture_format", value.picture_format);
        }
        form.text_if_any("plotly", value.plotly_json);
        form.end();
    }

    void operator()(const Graph& value) const {
        form.begin("graph");
        form.json().key("nodes").begin_array();
        for (const GraphNode& node : value.nodes) {
            form.json().begin_object();
            member("name", node.name);
            member("op", node.op);
            list("inputs", node.inputs);
            list("output_shape", node.output_shape);
            member("parameters", node.parameters);
            member("device", node.device);
            form.json().key("attributes");
            form.cells(node.attributes);
            form.json().end_object();
        }
        form.json().end_array();
        form.end();
    }

    void operator()(const PrCurve& value) const {
        form.begin("pr_curve");
        list("thresholds", value.thresholds);
        list("true_positives", value.true_positives);
        list("false_positives", value.false_positives);
        list("true_negatives", value.true_negatives);
        list("false_negatives", value.false_negatives);
        list("precision", value.precision);
        list("recall", value.recall);
        form.end();
    }

    void operator()(const Embedding& value) const {
        form.begin("embedding");
        form.blob("vectors", value.vectors);
        form.shape({{"count", value.count}, {"dimensions", value.dimensions}});
        if (!value.metadata.columns.empty() || !form.is_absent("metadata")) {
            form.json().key("metadata").begin_object();
            table(value.metadata);
            form.json().end_object();
        }
        if (value.sprite.ref.size > 0) {
            form.json().key("sprite").begin_object();
            form.blob("", value.sprite);
            form.json().end_object();
        }
        member("thumbnail_width", value.thumbnail_width);
        member("thumbnail_height", value.thumbnail_height);
        form.end();
    }

    void operator()(const Tensor& value) const {
        form.begin("tensor");
        form.blob("data", value.data);
        member("dtype", to_string(value.dtype));
        list("shape", value.shape.extents());
        form.end();
    }

    void operator()(const Hparams& value) const {
        std::string words;
        for (const auto& [name, cell] : value) {
            JsonWriter text;
            text.value(cell);
            words += name + " = " + text.text() + '\n';
        }
        if (!form.in_words("hparams", words)) {
            form.cells(value);
        }
    }

    void operator()(const Artifact& value) const {
        if (form.in_words("artifact", value.name + ' ' + value.version + ", " +
                                          std::to_string(value.files.size()) + " files")) {
            return;
        }
        form.begin("artifact");
        member("name", value.name);
        member("type", value.type);
        member("version", value.version);
        form.json().key("files").begin_array();
        for (const ArtifactFile& file : value.files) {
            form.json().begin_object().member("path", file.path);
            form.blob("", file.data, true);  // empty files have none
            form.json().end_object();
        }
        form.json().end_array().key("metadata");
        form.cells(value.metadata);
        form.end();
    }

    void operator()(const Alert& value) const {
        constexpr std::string_view kLevels[] = {"info", "warning", "error"};
        if (form.in_words("alert", value.title + "\n" + value.text)) {
            return;
        }
        form.begin("alert");
        member("level", kLevels[static_cast<std::size_t>(value.level)]);
        member("title", value.title);
        member("text", value.text);
        form.end();
    }

    void operator()(const Note& value) const {
        if (!form.is_bare("note", value.text)) {
            form.in_words("note", value.text);
        }
    }

    void operator()(const Tag& value) const {
        if (form.in_words("tag", value.tag)) {
            return;
        }
        form.begin("tag");
        member("tag", value.tag);
        member("removed", value.removed);
        form.end();
    }

    void operator()(const MetricDefinition& value) const {
        if (form.in_words("metric_definition", value.pattern)) {
            return;
        }
        form.begin("metric_definition");
        member("pattern", value.pattern);
        member("step", value.options.step);
        member("summary", model::name_of(value.options.summary));
        member("goal", model::name_of(value.options.goal));
        member("hidden", value.options.hidden);
        form.end();
    }

    void operator()(const SummaryValues& value) const {
        if (!form.in_words("summary", std::to_string(value.values.size()) + " values")) {
            form.cells(value.values);
        }
    }
};

}  // namespace

void write_value(ValueForm& form, const Value& value) {
    std::visit(Writer{form}, value);
}

}  // namespace taffrail::query
