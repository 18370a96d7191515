// What our reader sees in a logdir, as JSON: dump FOLDER; dump --blob FOLDER RUN KEY ENTRY writes a
// blob to stdout; dump --export FOLDER RUN TO writes the run out again.
#include "base/sha256.h"
#include "codec/json_writer.h"
#include "sinks/tensorboard/sink.h"
#include "sources/tensorboard/catalogue.h"

#include <cstdio>
#include <string>

using namespace taffrail;

namespace {

void write_numbers(JsonWriter& json, std::string_view name, const std::vector<double>& numbers) {
    json.key(name).begin_array();
    for (double number : numbers) {
        json.value(number);
    }
    json.end_array();
}

/// SHA-256 of a blob's bytes, as the reader gives them.
std::string digest(const RecordedRun& run, const Blob& blob) {
    const auto bytes = run.load(blob.ref);
    return bytes.ok() ? to_hex(sha256(**bytes)) : bytes.error().message;
}

void write_entry(JsonWriter& json, const RecordedRun& run, const Entry& entry) {
    json.begin_object().member("step", entry.step);
    if (const auto* histogram = std::get_if<Histogram>(entry.value.get())) {
        write_numbers(json, "edges", histogram->edges);
        write_numbers(json, "counts", histogram->counts);
    } else if (const auto* text = std::get_if<Text>(entry.value.get())) {
        json.member("text", text->text);
    } else if (const auto* table = std::get_if<Table>(entry.value.get())) {
        json.key("columns").begin_array();
        for (const std::string& column : table->columns) {
            json.value(column);
        }
        json.end_array().key("rows").begin_array();
        for (const auto& row : table->rows) {
            json.begin_array();
            for (const Cell& cell : row) {
                const auto* words = std::get_if<std::string>(&cell);
                json.value(words != nullptr ? std::string_view(*words) : "not text");
            }
            json.end_array();
        }
        json.end_array();
    } else if (const auto* image = std::get_if<Image>(entry.value.get())) {
        json.member("format", image->format).key("sha256").begin_array();
        for (const Blob& blob : image->images) {
            json.value(digest(run, blob));
        }
        json.end_array();
    } else if (const auto* video = std::get_if<Video>(entry.value.get())) {
        json.member("format", video->format)
            .member("frames", video->frames)
            .member("sha256", digest(run, video->data));
    } else if (const auto* audio = std::get_if<Audio>(entry.value.get())) {
        json.member("rate", static_cast<std::int64_t>(audio->sample_rate))
            .member("frames", audio->frames)
            .member("sha256", digest(run, audio->data));
    } else if (const auto* graph = std::get_if<Graph>(entry.value.get())) {
        json.key("nodes").begin_object();
        for (const GraphNode& node : graph->nodes) {
            json.key(node.name).begin_array();
            for (const std::string& input : node.inputs) {
                json.value(input);
            }
            json.end_array();
        }
        json.end_object();
    } else if (const auto* mesh = std::get_if<Mesh>(entry.value.get())) {
        json.member("vertices", mesh->vertices)
            .member("faces", mesh->faces)
            .member("colors", mesh->has_colors)
            .member("sha256", digest(run, mesh->data));
    } else if (const auto* embedding = std::get_if<Embedding>(entry.value.get())) {
        json.member("count", embedding->count)
            .member("dimensions", embedding->dimensions)
            .member("sha256", digest(run, embedding->vectors));
    } else if (const auto* curve = std::get_if<PrCurve>(entry.value.get())) {
        write_numbers(json, "true_positives", curve->true_positives);
        write_numbers(json, "false_positives", curve->false_positives);
        write_numbers(json, "true_negatives", curve->true_negatives);
        write_numbers(json, "false_negatives", curve->false_negatives);
        write_numbers(json, "precision", curve->precision);
        write_numbers(json, "recall", curve->recall);
    } else if (const auto* tensor = std::get_if<Tensor>(entry.value.get())) {
        json.member("sha256", digest(run, tensor->data));
    }
    json.end_object();
}

void write_run(JsonWriter& json, const RecordedRun& run) {
    json.begin_object().key("keys").begin_object();
    for (const KeyInfo& key : run.keys()) {
        json.key(key.key + " " + std::string(to_string(key.kind))).begin_array();
        if (key.kind == Kind::Scalar) {
            const auto points = run.points(key.key).value();
            for (const Point& point : points) {
                json.begin_array()
                    .value(point.step)
                    .value(point.value)
                    .value(static_cast<double>(point.time_ns) / 1e9);
                json.value(static_cast<std::int64_t>(point.attempt)).end_array();
            }
        } else {
            const auto entries = run.entries(key.key).value();
            for (const Entry& entry : entries) {
                if (kind_of(*entry.value) == key.kind) {
                    write_entry(json, run, entry);
                }
            }
        }
        json.end_array();
    }
    json.end_object().key("config").begin_object();
    const RunInfo info = run.info();
    for (const auto& [name, cell] : info.config) {
        json.key(name);
        if (const auto* truth = std::get_if<bool>(&cell)) {
            json.value(*truth);
        } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
            json.value(*whole);
        } else if (const auto* number = std::get_if<double>(&cell)) {
            json.value(*number);
        } else if (const auto* text = std::get_if<std::string>(&cell)) {
            json.value(*text);
        } else {
            json.null();
        }
    }
    json.end_object()
        .member("state", to_string(info.state))
        .member("message", info.message)
        .key("damage")
        .begin_array();
    for (const Damage& damage : run.damage()) {
        json.begin_object().member("offset", static_cast<std::int64_t>(damage.offset));
        json.member("length", static_cast<std::int64_t>(damage.length))
            .member("reason", damage.reason)
            .end_object();
    }
    json.end_array().end_object();
}

int fail(const std::string& message) {
    std::fprintf(stderr, "dump: %s\n", message.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string command = argc > 1 ? argv[1] : "";
    const bool special = command == "--blob" || command == "--export";
    if (argc < 2 || (special && argc < 5)) {
        return fail("usage: dump FOLDER | --blob FOLDER RUN KEY ENTRY | --export FOLDER RUN TO");
    }
    auto catalogue = sources::tensorboard::open_logdir(argv[special ? 2 : 1]);
    if (!catalogue.ok()) {
        return fail(catalogue.error().message);
    }
    if (command == "--export") {
        const auto done =
            sinks::tensorboard::export_to_logdir(*(*catalogue)->run(argv[3]).value(), argv[4]);
        return done.ok() ? 0 : fail(done.error().message);
    }
    if (command == "--blob") {
        const auto run = (*catalogue)->run(argv[3]).value();
        const auto entries = run->entries(argv[4]).value();
        const Value& value =
            *entries.at(static_cast<std::size_t>(argc > 5 ? std::stoi(argv[5]) : 0)).value;
        const auto* image = std::get_if<Image>(&value);
        const auto* audio = std::get_if<Audio>(&value);
        const auto* mesh = std::get_if<Mesh>(&value);
        const Blob blob = image != nullptr   ? image->images.at(0)
                          : audio != nullptr ? audio->data
                                             : mesh->data;
        const auto bytes = run->load(blob.ref).value();
        std::fwrite(bytes->data(), 1, bytes->size(), stdout);
        return 0;
    }
    JsonWriter json;
    json.begin_object();
    for (const RunInfo& info : (*catalogue)->runs()) {
        json.key(info.id);
        write_run(json, *(*catalogue)->run(info.id).value());
    }
    json.end_object();
    const std::string text = std::move(json).take();
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
}
