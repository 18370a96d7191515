#include "sinks/wandb/tables.h"

#include "base/strings.h"
#include "codec/json_writer.h"
#include "codec/value_files.h"

#include <cmath>

namespace taffrail::sinks::wandb {
namespace {

void put_number(JsonWriter& json, double value) {
    if (std::isfinite(value)) {
        json.value(value);
    } else {
        json.raw(format_double(value));  // the bare words are numbers there
    }
}

void put_cell(JsonWriter& json, const Cell& cell) {
    if (const auto* number = std::get_if<double>(&cell)) {
        put_number(json, *number);
    } else {
        json.value(cell);
    }
}

}  // namespace

std::string table_document(const Table& table) {
    return table_json(table, put_cell);
}

std::string histogram_document(const Histogram& histogram) {
    constexpr std::size_t kMostBins = 512;
    const std::size_t join = (histogram.counts.size() + kMostBins - 1) / kMostBins;
    JsonWriter json;
    json.begin_object().member("_type", "histogram").key("values").begin_array();
    for (std::size_t i = 0; i < histogram.counts.size(); i += join) {
        double sum = 0;
        for (std::size_t j = i; j < std::min(i + join, histogram.counts.size()); ++j) {
            sum += histogram.counts[j];
        }
        put_number(json, sum);
    }
    json.end_array().key("bins").begin_array();
    for (std::size_t i = 0; i + 1 < histogram.edges.size(); i += join) {
        put_number(json, histogram.edges[i]);
    }
    if (!histogram.edges.empty()) {
        put_number(json, histogram.edges.back());
    }
    json.end_array().end_object();
    return std::move(json).take();
}

std::string graph_document(const Graph& graph) {
    JsonWriter json;
    json.begin_object().member("format", "keras").key("nodes").begin_array();
    for (const GraphNode& node : graph.nodes) {
        json.begin_object().member("name", node.name).member("id", node.name);
        json.member("class_name", node.op).member("num_parameters", node.parameters);
        json.key("output_shape").begin_array();
        for (const std::int64_t extent : node.output_shape) {
            json.value(extent);
        }
        json.end_array().end_object();
    }
    json.end_array().key("edges").begin_array();
    for (const GraphNode& node : graph.nodes) {
        for (const std::string& input : node.inputs) {
            json.begin_array().value(input).value(node.name).end_array();
        }
    }
    json.end_array().end_object();
    return std::move(json).take();
}

}  // namespace taffrail::sinks::wandb
