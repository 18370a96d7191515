// Values of every kind as Python sees them: numbers and texts as they are, everything else as a
// dict with the words of value.h. Blobs are objects that load their bytes when asked.
#include "blob.h"
#include "convert.h"
#include "python_sink.h"

#include <array>
#include <string_view>

namespace taffrail::python {
namespace {

nb::list numbers(const std::vector<double>& values) {
    nb::list list;
    for (const double value : values) {
        list.append(value);
    }
    return list;
}

nb::dict table_dict(const Table& table) {
    nb::list rows;
    for (const auto& row : table.rows) {
        nb::list cells;
        for (const Cell& cell : row) {
            cells.append(from_cell(cell));
        }
        rows.append(cells);
    }
    nb::dict said;
    said["columns"] = texts(table.columns);
    said["rows"] = rows;
    return said;
}

nb::object blob(const Blob& value) {
    return nb::cast(BlobObject{value.ref, value.bytes, nullptr});
}

template <typename T>
nb::object convert(const T& value) = delete;

nb::object convert(double value) {
    return nb::float_(value);
}

nb::object convert(const Histogram& value) {
    nb::dict said;
    said["edges"] = numbers(value.edges);
    said["counts"] = numbers(value.counts);
    said["nan_count"] = value.nan_count;
    said["positive_infinity_count"] = value.positive_infinity_count;
    said["negative_infinity_count"] = value.negative_infinity_count;
    said["min"] = value.min;
    said["max"] = value.max;
    said["sum"] = value.sum;
    said["sum_squares"] = value.sum_squares;
    return said;
}

nb::object convert(const Image& value) {
    nb::dict said;
    nb::list images;
    for (const Blob& one : value.images) {
        images.append(blob(one));
    }
    said["format"] = text(value.format);
    said["dtype"] = text(to_string(value.dtype));
    said["width"] = value.width;
    said["height"] = value.height;
    said["channels"] = value.channels;
    said["images"] = images;
    said["captions"] = texts(value.captions);
    return said;
}

nb::object convert(const Audio& value) {
    nb::dict said;
    said["format"] = text(value.format);
    said["sample_rate"] = value.sample_rate;
    said["channels"] = value.channels;
    said["frames"] = value.frames;
    said["data"] = blob(value.data);
    said["caption"] = text(value.caption);
    return said;
}

nb::object convert(const Video& value) {
    nb::dict said;
    said["format"] = text(value.format);
    said["width"] = value.width;
    said["height"] = value.height;
    said["frames"] = value.frames;
    said["channels"] = value.channels;
    said["frames_per_second"] = value.frames_per_second;
    said["data"] = blob(value.data);
    said["caption"] = text(value.caption);
    return said;
}

nb::object convert(const Mesh& value) {
    nb::dict said;
    said["format"] = text(value.format);
    said["vertices"] = value.vertices;
    said["faces"] = value.faces;
    said["has_colors"] = value.has_colors;
    said["has_normals"] = value.has_normals;
    said["config_json"] = text(value.config_json);
    said["data"] = blob(value.data);
    return said;
}

nb::object convert(const Text& value) {
    return text(value.text);
}

nb::object convert(const Table& value) {
    return table_dict(value);
}

nb::object convert(const Figure& value) {
    nb::dict said;
    said["plotly_json"] = text(value.plotly_json);
    said["picture_format"] = text(value.picture_format);
    said["picture"] = blob(value.picture);
    return said;
}

nb::object convert(const Graph& value) {
    nb::list nodes;
    for (const GraphNode& node : value.nodes) {
        nb::list shape;
        for (const std::int64_t extent : node.output_shape) {
            shape.append(extent);
        }
        nb::dict said;
        said["name"] = text(node.name);
        said["op"] = text(node.op);
        said["inputs"] = texts(node.inputs);
        said["output_shape"] = shape;
        said["parameters"] = node.parameters;
        said["device"] = text(node.device);
        said["attributes"] = from_hparams(node.attributes);
        nodes.append(said);
    }
    nb::dict said;
    said["nodes"] = nodes;
    return said;
}

nb::object convert(const PrCurve& value) {
    nb::dict said;
    said["thresholds"] = numbers(value.thresholds);
    said["true_positives"] = numbers(value.true_positives);
    said["false_positives"] = numbers(value.false_positives);
    said["true_negatives"] = numbers(value.true_negatives);
    said["false_negatives"] = numbers(value.false_negatives);
    said["precision"] = numbers(value.precision);
    said["recall"] = numbers(value.recall);
    return said;
}

nb::object convert(const Embedding& value) {
    nb::dict said;
    said["count"] = value.count;
    said["dimensions"] = value.dimensions;
    said["vectors"] = blob(value.vectors);
    said["metadata"] = table_dict(value.metadata);
    said["sprite"] = blob(value.sprite);
    said["thumbnail_width"] = value.thumbnail_width;
    said["thumbnail_height"] = value.thumbnail_height;
    return said;
}

nb::object convert(const Hparams& value) {
    return from_hparams(value);
}

nb::object convert(const Artifact& value) {
    nb::list files;
    for (const ArtifactFile& file : value.files) {
        nb::dict said;
        said["path"] = text(file.path);
        said["data"] = blob(file.data);
        files.append(said);
    }
    nb::dict said;
    said["name"] = text(value.name);
    said["type"] = text(value.type);
    said["version"] = text(value.version);
    said["files"] = files;
    said["metadata"] = from_hparams(value.metadata);
    return said;
}

nb::object convert(const Alert& value) {
    constexpr std::array<std::string_view, 3> kLevels{"info", "warning", "error"};
    nb::dict said;
    said["level"] = text(kLevels[static_cast<std::size_t>(value.level)]);
    said["title"] = text(value.title);
    said["text"] = text(value.text);
    return said;
}

nb::object convert(const Note& value) {
    return text(value.text);
}

nb::object convert(const Tag& value) {
    nb::dict said;
    said["tag"] = text(value.tag);
    said["removed"] = value.removed;
    return said;
}

nb::object convert(const Tensor& value) {
    nb::list shape;
    for (const std::int64_t extent : value.shape.extents()) {
        shape.append(extent);
    }
    nb::dict said;
    said["dtype"] = text(to_string(value.dtype));
    said["shape"] = shape;
    said["data"] = blob(value.data);
    return said;
}

nb::object convert(const MetricDefinition& value) {
    constexpr std::array<std::string_view, 5> kSummaries{"last", "min", "max", "mean", "none"};
    constexpr std::array<std::string_view, 3> kGoals{"none", "minimize", "maximize"};
    nb::dict said;
    said["pattern"] = text(value.pattern);
    said["step"] = text(value.options.step);
    said["summary"] = text(kSummaries[static_cast<std::size_t>(value.options.summary)]);
    said["goal"] = text(kGoals[static_cast<std::size_t>(value.options.goal)]);
    said["hidden"] = value.options.hidden;
    return said;
}

nb::object convert(const SummaryValues& value) {
    return from_hparams(value.values);
}

}  // namespace

nb::object from_value(const Value& value) {
    return std::visit([](const auto& one) { return convert(one); }, value);
}

}  // namespace taffrail::python
