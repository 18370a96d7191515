#include <taffrail/summary_writer.h>

#include "write.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace taffrail;

namespace {

std::vector<std::uint8_t> ramp(std::size_t count) {
    std::vector<std::uint8_t> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<std::uint8_t>(i * 7 % 256);
    }
    return values;
}

void write_pictures(SummaryWriter& writer) {
    const auto bytes = ramp(5 * 6 * 8 * 4);
    for (const std::int64_t channels : {1, 3, 4}) {
        writer.add_image("u8/" + std::to_string(channels),
                         {.pixels = TensorView(bytes.data(), DType::U8, {6, 8, channels}),
                          .layout = Layout::Hwc},
                         1);
    }
    std::vector<float> floats(3 * 6 * 8);
    for (std::size_t i = 0; i < floats.size(); ++i) {
        floats[i] = static_cast<float>(i % 256) / 255.0F;
    }
    writer.add_image(
        "float",
        {.pixels = TensorView(floats.data(), DType::F32, {3, 6, 8}), .layout = Layout::Chw}, 1);
    writer.add_images(
        "batch",
        {.pixels = TensorView(bytes.data(), DType::U8, {5, 6, 8, 3}), .layout = Layout::Hwc}, 1);
    writer.add_video("video",
                     {.frames = TensorView(bytes.data(), DType::U8, {4, 6, 8, 3}),
                      .layout = Layout::Hwc,
                      .frames_per_second = 4},
                     1);
    // Three videos of two frames: a grid of two by two with one place black.
    writer.add_video("videos",
                     {.frames = TensorView(bytes.data(), DType::U8, {3, 2, 4, 4, 3}),
                      .layout = Layout::Hwc,
                      .frames_per_second = 2},
                     1);
    const std::array<ImageBox, 1> boxes{ImageBox{.left = 1, .top = 1, .right = 5, .bottom = 4}};
    const std::vector<std::uint8_t> gray(120 * 160 * 3, 90);
    const std::array<ImageBox, 2> named{
        ImageBox{.left = 20, .top = 30, .right = 90, .bottom = 100, .label = "cat 0.97"},
        ImageBox{.left = 100, .top = 2, .right = 150, .bottom = 60, .label = "dog"}};
    writer.add_image_with_boxes(
        "labels",
        {.pixels = TensorView(gray.data(), DType::U8, {120, 160, 3}), .layout = Layout::Hwc}, named,
        1);
    writer.add_image_with_boxes(
        "boxes", {.pixels = TensorView(bytes.data(), DType::U8, {6, 8, 3}), .layout = Layout::Hwc},
        boxes, 1);
}

void write_sound_and_text(SummaryWriter& writer) {
    std::vector<std::int16_t> samples(800);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] = static_cast<std::int16_t>(i * 40);
    }
    writer.add_audio(
        "mono", {.samples = TensorView(samples.data(), DType::I16, {800}), .sample_rate = 8000}, 1);
    writer.add_audio(
        "stereo",
        {.samples = TensorView(samples.data(), DType::I16, {400, 2}), .sample_rate = 8000}, 1);
    writer.add_text("markdown", "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", 1);
    writer.add_text("emoji", "ok \xF0\x9F\x9A\x80", 1);
    writer.add_text("script", "<script>alert(1)</script>", 1);
    writer.add_text("broken", "bad \xFF\xFE bytes", 1);
    writer.add_text("large", std::string(5 << 20, 'x'), 1);
    writer.add_text("list", Table{.columns = {""}, .rows = {{"one"}, {"two"}, {"three"}}}, 1);
    writer.add_text(
        "table", Table{.columns = {"name", "score"}, .rows = {{"a", std::int64_t{1}}, {"b", 2.5}}},
        1);
}

void write_histograms(SummaryWriter& writer) {
    std::vector<double> rising(1000);
    std::iota(rising.begin(), rising.end(), -500.0);
    std::vector<double> falling(rising.rbegin(), rising.rend());
    std::vector<double> odd = rising;
    odd.push_back(std::nan(""));
    odd.push_back(HUGE_VAL);
    writer.add_histogram("rising", TensorView(rising), 1);
    writer.add_histogram("falling", TensorView(falling), 1);
    writer.add_histogram("constant", TensorView(std::vector<double>(10, 3.0)), 1);
    writer.add_histogram("empty", TensorView(std::vector<double>()), 1);
    writer.add_histogram("single", TensorView(std::vector<double>{7.5}), 1);
    writer.add_histogram("odd", TensorView(odd), 1);
    std::vector<float> many(10'000'000);
    for (std::size_t i = 0; i < many.size(); ++i) {
        many[i] = static_cast<float>(i % 1000) - 250.0F;
    }
    writer.add_histogram("many", TensorView(many), 1);
    const std::vector<double> limits{0.0, 1.0, 1.7976931348623157e308}, counts{2, 3, 5};
    writer.add_histogram_raw("raw", -1.0, 4.0, 10, 0, 0, limits, counts, 1);
}

void write_graph(SummaryWriter& writer) {
    Graph graph;
    for (int i = 0; i < 10'000; ++i) {
        GraphNode node;
        node.name = "scope_" + std::to_string(i % 100) + "/inner/node_" + std::to_string(i);
        node.op = i % 2 == 0 ? "MatMul" : "Relu";
        if (i > 0) {
            node.inputs.push_back("scope_" + std::to_string((i - 1) % 100) + "/inner/node_" +
                                  std::to_string(i - 1));
        }
        node.output_shape = {32, i % 7};
        graph.nodes.push_back(std::move(node));
    }
    writer.add_graph(graph);
}

void write_meshes(SummaryWriter& writer) {
    const std::vector<float> vertices{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::vector<std::uint32_t> faces{0, 1, 2, 0, 1, 3};
    const std::vector<std::uint8_t> colors{255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7};
    writer.add_mesh("v", {.vertices = vertices}, 1);
    writer.add_mesh("vc", {.vertices = vertices, .faces = {}, .colors = colors}, 1);
    writer.add_mesh("vfc",
                    {.vertices = vertices,
                     .faces = faces,
                     .colors = colors,
                     .normals = {},
                     .config_json = R"({"camera": {"cls": "PerspectiveCamera", "fov": 75}})"},
                    1);
}

void write_curves(SummaryWriter& writer) {
    std::vector<std::uint8_t> labels;
    std::vector<double> predictions;
    for (int i = 0; i < 200; ++i) {
        labels.push_back(static_cast<std::uint8_t>(i * 37 % 5 < 2));
        predictions.push_back((i * 53 % 101) / 101.0);
    }
    writer.add_pr_curve("curve", labels, predictions, 1, 11);
    for (int i = 0; i < 5; ++i) {
        writer.add_scalar("t_f32", i, i);
        writer.add_scalar("t_f32_shape1", i + 10, i);
        writer.add_scalar("lower", i - 1, i);
        writer.add_scalar("upper", i + 1, i);
    }
    writer.add_custom_scalars_multilinechart({"t_f32", "lower"}, "category", "lines");
    writer.add_custom_scalars_marginchart({"t_f32", "lower", "upper"}, "category", "band");
}

void write_embeddings(SummaryWriter& writer) {
    std::vector<float> vectors(20 * 3);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        vectors[i] = static_cast<float>(i) * 0.37F - 3.0F;
    }
    Table labels;
    labels.columns = {"name", "number"};
    for (int i = 0; i < 20; ++i) {
        labels.rows.push_back({"item " + std::to_string(i), std::int64_t{i}});
    }
    const auto bytes = ramp(20 * 4 * 4 * 3);
    const ImageView thumbnails{.pixels = TensorView(bytes.data(), DType::U8, {20, 4, 4, 3}),
                               .layout = Layout::Hwc};
    writer.add_embedding(TensorView(vectors.data(), DType::F32, {20, 3}), &labels, &thumbnails, 7,
                         "points");
    const std::vector<float> zeros(6, 0.0F);
    writer.add_embedding(TensorView(zeros.data(), DType::F32, {2, 3}), nullptr, nullptr, 0,
                         "zeros");
}

}  // namespace

void write_media(const std::string& root) {
    SummaryWriter writer({.log_dir = root + "/media"});
    write_pictures(writer);
    write_sound_and_text(writer);
    write_histograms(writer);
    write_graph(writer);
    write_meshes(writer);
    write_curves(writer);
    write_embeddings(writer);
}
