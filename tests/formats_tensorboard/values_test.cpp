// Every kind out and in again; the peer tests show that TensorBoard agrees.
#include "codec/formats/tensorboard/decode.h"
#include "codec/formats/tensorboard/encode.h"
#include "codec/formats/tensorboard/hparams.h"
#include "codec/formats/tensorboard/layout.h"
#include "codec/formats/tensorboard/media.h"
#include "codec/formats/tensorboard/mesh.h"
#include "codec/protobuf_wire.h"

#include <gtest/gtest.h>

#include <array>

namespace taffrail::formats::tensorboard {
namespace {

std::optional<Value> round_trip(const EncodedValue& encoded, Kind expected) {
    const Bytes message = encode_summary_value(encoded, true);
    ValueView view;
    EXPECT_TRUE(parse_value(message, view));
    Metadata metadata;
    EXPECT_TRUE(parse_metadata(view.metadata, metadata));
    const auto kind = classify(metadata.plugin, view);
    EXPECT_EQ(kind, expected);
    return kind ? decode_value(*kind, metadata.plugin, metadata.content, view, loaded_blob)
                : std::nullopt;
}

TEST(Values, HistogramKeepsEdgesAndCounts) {
    Histogram histogram;
    histogram.edges = {-1, 0, 2.5};
    histogram.counts = {3, 4};
    const auto read =
        std::get<Histogram>(*round_trip(encode_histogram("h", histogram), Kind::Histogram));
    EXPECT_EQ(read.edges, histogram.edges);
    EXPECT_EQ(read.counts, histogram.counts);
    EXPECT_EQ(read.min, -1);
    EXPECT_EQ(read.max, 2.5);
}

TEST(Values, LegacyHistogramLosesOnlyEmptyOuterBuckets) {
    Bytes body;
    ProtoWriter writer(body);
    writer.fixed64(1, -3.5);
    writer.fixed64(2, 9.5);
    Bytes limits, counts;
    for (double limit : {-4.0, -3.0, 1.0, 10.0, 1.7e308}) {
        append(limits, limit);
    }
    for (double count : {0.0, 2.0, 0.0, 5.0, 0.0}) {
        append(counts, count);
    }
    writer.bytes(6, limits);
    writer.bytes(7, counts);
    ValueView view;
    view.content = ValueContent::Histo;
    view.body = body;
    const auto read =
        std::get<Histogram>(*decode_value(Kind::Histogram, "", "", view, loaded_blob));
    EXPECT_EQ(read.edges, (std::vector<double>{-3.5, -3.0, 1.0, 9.5}));
    EXPECT_EQ(read.counts, (std::vector<double>{2, 0, 5}));
}

TEST(Values, PicturesKeepTheirBytes) {
    const ByteSpan one = as_bytes("\x89PNG one"), two = as_bytes("\x89PNG two");
    const std::array<ByteSpan, 2> pictures{one, two};
    const auto read =
        std::get<Image>(*round_trip(encode_pictures("i", 3, 4, pictures), Kind::Image));
    EXPECT_EQ(read.width, 3);
    EXPECT_EQ(read.height, 4);
    EXPECT_EQ(read.format, "png");
    ASSERT_EQ(read.images.size(), 2u);
    EXPECT_EQ(as_text(*read.images[1].bytes), as_text(two));
}

TEST(Values, AnimatedGifIsVideo) {
    // 1×1 GIF, two frames of 0.25 s each: header, palette of two, then control, descriptor and data
    // per frame.
    std::string gif = "GIF89a";
    gif += std::string("\x01\0\x01\0\x80\0\0", 7) + std::string("\0\0\0\xFF\xFF\xFF", 6);
    for (int frame = 0; frame < 2; ++frame) {
        gif += std::string("\x21\xF9\x04\0\x19\0\0\0", 8) +
               std::string("\x2C\0\0\0\0\x01\0\x01\0\0", 10) + std::string("\x02\x02\x44\x01\0", 5);
    }
    gif += "\x3B";
    const ByteSpan bytes = as_bytes(gif);
    const auto read =
        std::get<Video>(*round_trip(encode_pictures("v", 1, 1, {&bytes, 1}), Kind::Video));
    EXPECT_EQ(read.frames, 2);
    EXPECT_DOUBLE_EQ(read.frames_per_second, 4.0);
}

TEST(Values, TextIsRepairedAndTablesKeepTheirShape) {
    EXPECT_EQ(std::get<Text>(*round_trip(encode_text("t", {.text = "a\xFFz"}), Kind::Text)).text,
              "a\xEF\xBF\xBDz");
    Table table;
    table.columns = {"name", "score"};
    table.rows = {{std::string("x"), 1.5}, {true, std::int64_t{7}}};
    const auto read = std::get<Table>(*round_trip(encode_table("t", table), Kind::Table));
    EXPECT_EQ(read.columns, table.columns);
    ASSERT_EQ(read.rows.size(), 2u);
    EXPECT_EQ(std::get<std::string>(read.rows[0][1]), "1.5");
    EXPECT_EQ(std::get<std::string>(read.rows[1][0]), "true");
}

TEST(Values, TableWithoutNamesGetsNoHeaderHoweverOftenItIsWritten) {
    Table table;
    table.columns = {""};
    table.rows = {{std::string("one")}, {std::string("two")}};
    for (int round = 0; round < 3; ++round) {
        table = std::get<Table>(*round_trip(encode_table("t", table), Kind::Table));
        ASSERT_EQ(table.rows.size(), 2u);
        EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "one");
    }
}

TEST(Values, PrCurveReadsBack) {
    const std::array<std::uint8_t, 4> labels{1, 0, 1, 0};
    const std::array<double, 4> predictions{0.9, 0.8, 0.4, 0.1};
    const PrCurve curve = PrCurve::from_predictions(labels, predictions, 5);
    const auto read = std::get<PrCurve>(*round_trip(encode_pr_curve("p", curve), Kind::PrCurve));
    EXPECT_EQ(read.true_positives, curve.true_positives);
    EXPECT_EQ(read.thresholds, curve.thresholds);
}

TEST(Values, HparamsKeepTypes) {
    const Hparams hparams{{"lr", 0.5},
                          {"layers", std::int64_t{3}},
                          {"bias", true},
                          {"opt", std::string("adam")},
                          {"none", {}}};
    const auto message = decode_hparams(as_bytes(encode_session_start(hparams, "g", 5)));
    ASSERT_TRUE(message);
    EXPECT_EQ(message->part, HparamsPart::SessionStart);
    EXPECT_EQ(message->hparams, hparams);
    EXPECT_EQ(message->group_name, "g");
    const auto end = decode_hparams(as_bytes(encode_session_end(RunState::Failed, 9)));
    EXPECT_EQ(end->part, HparamsPart::SessionEnd);
    EXPECT_EQ(end->state, RunState::Failed);
}

TEST(Values, GraphReadsBack) {
    Graph graph;
    graph.nodes.push_back({.name = "a/w",
                           .op = "Variable",
                           .inputs = {},
                           .output_shape = {-1, 8},
                           .parameters = 64,
                           .device = "/gpu:0",
                           .attributes = {{"kind", std::string("dense")}}});
    graph.nodes.push_back({.name = "a/out",
                           .op = "MatMul",
                           .inputs = {"a/w"},
                           .output_shape = {},
                           .parameters = 0,
                           .device = "",
                           .attributes = {}});
    const auto read = decode_graph(encode_graph(graph));
    ASSERT_TRUE(read);
    ASSERT_EQ(read->nodes.size(), 2u);
    EXPECT_EQ(read->nodes[0].output_shape, (std::vector<std::int64_t>{-1, 8}));
    EXPECT_EQ(read->nodes[0].parameters, 64);
    EXPECT_EQ(read->nodes[1].inputs, graph.nodes[1].inputs);
}

TEST(Values, MeshPartsNameTheirComponents) {
    const std::array<float, 6> vertices{0, 0, 0, 1, 1, 1};
    const std::array<std::uint8_t, 6> colors{1, 2, 3, 4, 5, 6};
    const auto parts = encode_mesh("m", {.vertex_count = 2,
                                         .vertices = vertices,
                                         .faces = {},
                                         .colors = colors,
                                         .config_json = {}});
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].tag, "m_VERTEX");
    EXPECT_EQ(parts[1].tag, "m_COLOR");
    const auto part = decode_mesh_part(as_bytes(parts[1].metadata.content));
    ASSERT_TRUE(part);
    EXPECT_EQ(part->components, 10u);
    EXPECT_EQ(part->name, "m");
    EXPECT_EQ(part->json_config, "{}");
}

TEST(Values, LayoutReadsBackAndPatternsAreExact) {
    EXPECT_EQ(exact_tag_pattern("loss/a.b[0]"), "^loss/a\\.b\\[0\\]$");
    ChartLayout layout{{.title = "c",
                        .charts = {{.title = "lines", .tags = {"^a$", "^b$"}, .margins = {}},
                                   {.title = "band", .tags = {}, .margins = {{"v", "l", "u"}}}},
                        .closed = true}};
    const auto read = decode_layout(encode_layout(layout));
    ASSERT_TRUE(read);
    ASSERT_EQ(read->size(), 1u);
    EXPECT_EQ((*read)[0].charts[0].tags, layout[0].charts[0].tags);
    EXPECT_EQ((*read)[0].charts[1].margins[0].upper, "u");
    EXPECT_TRUE((*read)[0].closed);
}

}  // namespace
}  // namespace taffrail::formats::tensorboard
