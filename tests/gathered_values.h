// Every kind of value once, for the round trips of trackers.
#pragma once

#include "codec/capture.h"
#include "record_builder.h"

#include <string>
#include <vector>

namespace taffrail::test {

inline Value encoded(Result<Value> value) {
    Value made = std::move(value).value();
    encode_media(made).value();
    return made;
}

/// Keys are the names of the kinds.
inline void add_every_kind(Records& to, Step step) {
    const std::vector<std::uint8_t> pixels(2 * 4 * 5 * 3, 7);
    const std::vector<float> numbers{1, 2, 3, 4};
    ImageView image;
    image.pixels = TensorView(pixels.data(), DType::U8, {4, 5, 3});
    to.value("image", step, encoded(capture_image(image, {.caption = "one"})));
    image.pixels = TensorView(pixels.data(), DType::U8, {2, 4, 5, 3});
    to.value("folder/images", step, encoded(capture_image(image)));
    AudioView audio;
    audio.samples = TensorView(numbers);
    audio.sample_rate = 8000;
    to.value("audio", step, encoded(capture_audio(audio)));
    const std::vector<float> vertices{0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::vector<std::uint32_t> faces{0, 1, 2};
    MeshView mesh;
    mesh.vertices = vertices;
    mesh.faces = faces;
    to.value("mesh", step, encoded(capture_mesh(mesh)));
    to.value("text", step, Text{.text = "hello", .plain = false});
    to.value("table", step,
             Table{.columns = {"a", "b"},
                   .rows = {{std::int64_t{1}, std::string("x, \"y\"")}, {2.5, Cell()}}});
    to.value("figure", step, encoded(capture_figure(R"({"data":[],"layout":{}})")));
    to.value("graph", step,
             Graph{.nodes = {{.name = "in", .op = "Input"},
                             {.name = "out", .op = "Dense", .inputs = {"in"}}}});
    to.value("histogram", step, encoded(capture_histogram(TensorView(numbers))));
    to.value("pr_curve", step,
             PrCurve{.thresholds = {0, 1},
                     .true_positives = {1, 0},
                     .false_positives = {1, 0},
                     .true_negatives = {0, 1},
                     .false_negatives = {0, 1},
                     .precision = {0.5, 0},
                     .recall = {1, 0}});
    to.value("tensor", step, encoded(capture_tensor(TensorView(numbers))));
    to.value("embedding", step,
             encoded(capture_embedding(TensorView(numbers.data(), DType::F32, {2, 2}))));
    Artifact artifact{.name = "model", .type = "file", .version = "v0"};
    artifact.files = {{"weights.bin", make_blob(Bytes(7, std::byte{5}))}};
    to.value("model", step, artifact);
    to.value("alerts", step, Alert{.level = AlertLevel::Warning, .title = "T", .text = "text"});
    to.value("x", step, Tag{.tag = "late", .removed = false});
    to.value("x", step, Note{.text = "hello"});
    to.value("x", step, SummaryValues{.values = {{"best", std::int64_t{42}}}});
    to.value("x", step, Hparams{{"more", std::int64_t{2}}});
    to.value("x", step,
             MetricDefinition{
                 .pattern = "val/*",
                 .options = {.step = "epoch", .summary = Summary::Min, .goal = Goal::Minimize}});
}

}  // namespace taffrail::test
