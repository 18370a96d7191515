// Tables, histograms and graphs as JSON, and back; files as what they are.
#include "base/try.h"
#include "codec/capture.h"
#include "codec/histogram_moments.h"
#include "codec/json_cells.h"
#include "codec/json_writer.h"
#include "codec/media_probe.h"
#include "codec/value_files.h"

#include <algorithm>
#include <cmath>

namespace taffrail {
namespace {

void put_numbers(JsonWriter& json, std::string_view name, const std::vector<double>& numbers) {
    json.key(name).begin_array();
    for (const double number : numbers) {
        json.value(number);
    }
    json.end_array();
}

const Json::Array& items_of(const Json& json, std::string_view name) {
    static const Json::Array none;
    const Json* found = json.find(name);
    return found != nullptr && found->array() != nullptr ? *found->array() : none;
}

/// Texts of numbers that JSON lacks are numbers.
double number_in(const Json& json) {
    if (const auto* text = json.string()) {
        return *text == "Infinity" ? HUGE_VAL : *text == "-Infinity" ? -HUGE_VAL : std::nan("");
    }
    return json.number().value_or(0);
}

std::vector<double> numbers_in(const Json& json, std::string_view name) {
    std::vector<double> numbers;
    for (const Json& item : items_of(json, name)) {
        numbers.push_back(number_in(item));
    }
    return numbers;
}

Result<Value> curve_in(const Json& json) {
    TAFFRAIL_ASSIGN(const Table table, table_of_json(json));
    PrCurve curve;
    std::vector<double>* const columns[] = {
        &curve.thresholds,      &curve.precision,      &curve.recall,         &curve.true_positives,
        &curve.false_positives, &curve.true_negatives, &curve.false_negatives};
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < std::size(columns); ++i) {
            const Cell cell = i < row.size() ? row[i] : Cell();
            const auto* whole = std::get_if<std::int64_t>(&cell);
            const auto* number = std::get_if<double>(&cell);
            columns[i]->push_back(number != nullptr  ? *number
                                  : whole != nullptr ? static_cast<double>(*whole)
                                                     : 0);
        }
    }
    return Value(std::move(curve));
}

Result<Value> histogram_in(const Json& json) {
    Histogram histogram;
    histogram.edges = numbers_in(json, "edges");
    histogram.counts = numbers_in(json, "counts");
    if (histogram.counts.empty() || histogram.edges.size() != histogram.counts.size() + 1) {
        return Error{ErrorCode::Corrupt, "a histogram whose edges and counts do not fit"};
    }
    const auto whole = [&](std::string_view name) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, json.integer_or(name, 0)));
    };
    histogram.nan_count = whole("nan_count");
    histogram.positive_infinity_count = whole("positive_infinity_count");
    histogram.negative_infinity_count = whole("negative_infinity_count");
    histogram.min = json.number_or("min", histogram.edges.front());
    histogram.max = json.number_or("max", histogram.edges.back());
    histogram.sum = json.number_or("sum", 0);
    histogram.sum_squares = json.number_or("sum_squares", 0);
    return Value(std::move(histogram));
}

Result<Value> graph_in(const Json& json) {
    Graph graph;
    for (const Json& node : items_of(json, "nodes")) {
        GraphNode& made = graph.nodes.emplace_back();
        made.name = node.string_or("name", "");
        made.op = node.string_or("op", "");
        made.device = node.string_or("device", "");
        made.parameters = node.integer_or("parameters", 0);
        for (const Json& input : items_of(node, "inputs")) {
            made.inputs.push_back(input.string() != nullptr ? *input.string() : std::string());
        }
        for (const Json& extent : items_of(node, "output_shape")) {
            made.output_shape.push_back(extent.integer().value_or(0));
        }
        if (const Json* all = node.find("attributes"); all != nullptr && all->object() != nullptr) {
            for (const auto& [name, value] : *all->object()) {
                made.attributes.emplace_back(name, cell_of(value));
            }
        }
    }
    return Value(std::move(graph));
}

}  // namespace

std::string table_json(const Table& table, void (*put)(JsonWriter&, const Cell&)) {
    JsonWriter json;
    json.begin_object().key("columns").begin_array();
    for (const std::string& column : table.columns) {
        json.value(column);
    }
    json.end_array().key("data").begin_array();
    for (const std::vector<Cell>& row : table.rows) {
        json.begin_array();
        for (const Cell& cell : row) {
            put != nullptr ? put(json, cell) : void(json.value(cell));
        }
        json.end_array();
    }
    json.end_array().end_object();
    return std::move(json).take();
}

std::string histogram_json(const Histogram& histogram) {
    JsonWriter json;
    json.begin_object();
    put_numbers(json, "edges", histogram.edges);
    put_numbers(json, "counts", histogram.counts);
    json.member("nan_count", histogram.nan_count);
    json.member("positive_infinity_count", histogram.positive_infinity_count);
    json.member("negative_infinity_count", histogram.negative_infinity_count);
    json.member("min", histogram.min).member("max", histogram.max);
    json.member("sum", histogram.sum).member("sum_squares", histogram.sum_squares).end_object();
    return std::move(json).take();
}

std::string graph_json(const Graph& graph) {
    JsonWriter json;
    json.begin_object().key("nodes").begin_array();
    for (const GraphNode& node : graph.nodes) {
        json.begin_object().member("name", node.name).member("op", node.op);
        json.key("inputs").begin_array();
        for (const std::string& input : node.inputs) {
            json.value(input);
        }
        json.end_array().key("output_shape").begin_array();
        for (const std::int64_t extent : node.output_shape) {
            json.value(extent);
        }
        json.end_array().member("parameters", node.parameters).member("device", node.device);
        json.key("attributes").begin_object();
        for (const auto& [name, cell] : node.attributes) {
            json.member(name, cell);
        }
        json.end_object().end_object();
    }
    json.end_array().end_object();
    return std::move(json).take();
}

Result<Value> value_of_document(Kind kind, std::string_view text) {
    if (kind == Kind::Text) {
        return Value(Text{.text = std::string(text), .plain = false});
    }
    if (kind == Kind::Figure) {
        return capture_figure(text);
    }
    TAFFRAIL_ASSIGN(const Json json, parse_json(text));
    if (kind == Kind::Table) {
        TAFFRAIL_ASSIGN(Table table, table_of_json(json));
        return Value(std::move(table));
    }
    return kind == Kind::PrCurve     ? curve_in(json)
           : kind == Kind::Histogram ? histogram_in(json)
           : kind == Kind::Graph
               ? graph_in(json)
               : Result<Value>(Error{ErrorCode::Unsupported, "this kind is no document"});
}

Result<Table> table_of_json(const Json& json) {
    Table table;
    for (const Json& column : items_of(json, "columns")) {
        table.columns.push_back(column.string() != nullptr ? *column.string() : column.dump());
    }
    for (const Json& row : items_of(json, "data")) {
        auto& cells = table.rows.emplace_back(table.columns.size());
        const auto* items = row.array();
        for (std::size_t i = 0; items != nullptr && i < std::min(items->size(), cells.size());
             ++i) {
            cells[i] = cell_of((*items)[i]);
        }
    }
    if (table.columns.empty()) {
        return Error{ErrorCode::Corrupt, "a table without columns"};
    }
    return table;
}

Result<Value> value_of_file(std::string_view name, Bytes bytes, std::string_view caption) {
    const auto info = probe_media(bytes, name);
    const std::string_view family = info.ok() ? info->family : std::string_view();
    const std::string path(name), words(caption);
    Result<Value> made = family == "image"   ? capture_image_file(bytes, path, {.caption = words})
                         : family == "audio" ? capture_audio_file(bytes, path, {.caption = words})
                         : family == "video" ? capture_video_file(bytes, path, {.caption = words})
                         : family == "mesh"
                             ? capture_mesh_file(bytes, path)
                             : Result<Value>(Error{ErrorCode::Unsupported, "a file"});
    if (!made.ok()) {
        Artifact artifact{.name = path, .type = "file"};
        artifact.files = {{path.substr(path.rfind('/') + 1), make_blob(std::move(bytes))}};
        made = Value(std::move(artifact));
    }
    return made;
}

Result<Value> histogram_of_json(const Json& document) {
    Histogram histogram;
    histogram.counts = numbers_in(document, "values");
    histogram.edges = numbers_in(document, "bins");
    if (histogram.counts.empty() || histogram.edges.size() != histogram.counts.size() + 1 ||
        !std::ranges::is_sorted(histogram.edges)) {
        return Error{ErrorCode::Corrupt, "a histogram whose bins and counts do not fit"};
    }
    set_moments_by_bins(histogram);
    return Value(std::move(histogram));
}

void set_file_blob(Value& value, Blob blob) {
    if (auto* image = std::get_if<Image>(&value)) {
        image->images = {std::move(blob)};
    } else if (auto* audio = std::get_if<Audio>(&value)) {
        audio->data = std::move(blob);
    } else if (auto* video = std::get_if<Video>(&value)) {
        video->data = std::move(blob);
    } else if (auto* mesh = std::get_if<Mesh>(&value)) {
        mesh->data = std::move(blob);
    } else if (auto* artifact = std::get_if<Artifact>(&value)) {
        artifact->files.front().data = std::move(blob);
    }
}

}  // namespace taffrail
