#include "codec/value_codec.h"

#include "codec/capture.h"
#include "codec/wire_fields.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace taffrail {
namespace {

using testing::HasSubstr;

Blob blob_named(std::uint8_t first, std::uint64_t size = 0) {
    Blob blob;
    blob.ref.sha256[0] = first;
    blob.ref.sha256[31] = 0xEE;
    blob.ref.size = size != 0 ? size : 1000u + first;
    return blob;
}

/// One filled-in value of every alternative.
std::vector<Value> samples() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Table table{{"a", ""},
                      {{Cell{}, Cell{true}},
                       {Cell{std::int64_t{-5}}, Cell{nan}},
                       {Cell{std::string()}, Cell{-0.0}}}};
    return {
        -0.0,
        Histogram{{-1, 0, 2.5}, {3, 4}, 1, 2, 3, -1, 2.5, 7, 9},
        Image{"png", DType::U16, 640, 480, 3, {blob_named(1), blob_named(2)}, {"", "two"}},
        Audio{"wav", 44100, 2, 1000, blob_named(3), "hum"},
        Video{"mp4", 64, 48, 10, 3, 12.5, blob_named(4), "clip"},
        Mesh{"arrays", 4, 4, true, false, R"({"camera":{}})", blob_named(5)},
        Text{"# title\n\xF0\x9F\x98\x80", true},
        table,
        Figure{R"({"data":[]})", "png", blob_named(6)},
        Graph{{{"a/b", "Conv", {"x", ""}, {-1, 3}, 128, "gpu:0", {{"k", Cell{std::int64_t{3}}}}},
               {"x", "Input", {}, {}, 0, "", {}}}},
        PrCurve{{0, 1}, {2, 0}, {1, 0}, {0, 1}, {0, 2}, {0.5, 1}, {1, 0}},
        Embedding{3, 2, blob_named(7, 24), table, blob_named(8), 16, 17},
        Hparams{{"lr", Cell{1e-3}},
                {"model/depth", Cell{std::int64_t{INT64_MIN}}},
                {"name", Cell{std::string("x")}}},
        Artifact{"model",
                 "weights",
                 "v3",
                 {{"a/b.bin", blob_named(9)}, {"empty", {}}},
                 {{"k", Cell{false}}}},
        Alert{AlertLevel::Error, "title", "text"},
        Note{"note"},
        Tag{"tag", true},
        Tensor{DType::F8E4M3, Shape{2, 1, 5}, blob_named(10, 10)},
        MetricDefinition{"val/*", {"epoch", Summary::Max, Goal::Maximize, true}},
        SummaryValues{{{"best", Cell{0.5}}, {"stopped", Cell{true}}}},
    };
}

// A second encoding of the decoded value must be the same bytes: then nothing was lost on the way.
TEST(ValueCodec, EveryKindSurvivesTheRoundTrip) {
    const auto values = samples();
    ASSERT_EQ(values.size(), std::variant_size_v<Value>);
    for (const Value& value : values) {
        const Bytes bytes = encode_value(value);
        const auto decoded = decode_value(bytes);
        ASSERT_TRUE(decoded.ok()) << decoded.error().message;
        EXPECT_EQ(decoded->index(), value.index());
        EXPECT_EQ(encode_value(*decoded), bytes) << to_string(kind_of(value));
        EXPECT_GT(bytes.size(), 4u);
    }
}

TEST(ValueCodec, FieldsArriveWhereTheyBelong) {
    const auto values = samples();
    const auto again = [&](std::size_t index) {
        return decode_value(encode_value(values[index])).value();
    };
    EXPECT_TRUE(std::signbit(std::get<double>(again(0))));
    const auto histogram = std::get<Histogram>(again(1));
    EXPECT_EQ(histogram.edges, (std::vector<double>{-1, 0, 2.5}));
    EXPECT_EQ(histogram.negative_infinity_count, 3u);
    const auto image = std::get<Image>(again(2));
    EXPECT_EQ(image.images[1].ref.size, 1002u);
    EXPECT_EQ(image.images[1].ref.sha256[31], 0xEE);
    EXPECT_EQ(image.captions, (std::vector<std::string>{"", "two"}));
    EXPECT_EQ(image.dtype, DType::U16);
    const auto table = std::get<Table>(again(7));
    EXPECT_EQ(table.columns, (std::vector<std::string>{"a", ""}));
    EXPECT_EQ(std::get<bool>(table.rows[0][1]), true);
    EXPECT_EQ(std::get<std::string>(table.rows[2][0]), "");
    EXPECT_EQ(std::get<Graph>(again(9)).nodes[0].output_shape, (std::vector<std::int64_t>{-1, 3}));
    EXPECT_EQ(std::get<std::int64_t>(std::get<Hparams>(again(12))[1].second), INT64_MIN);
    EXPECT_EQ(std::get<Artifact>(again(13)).files.size(), 2u);
    EXPECT_EQ(std::get<Tensor>(again(17)).shape, (Shape{2, 1, 5}));
}

// The example of docs/formats/values.md.
TEST(ValueCodec, BytesOfANoteAreAsDocumented) {
    EXPECT_EQ(as_text(encode_value(Note{"hi"})), "\x08\x10\x12\x04\x0A\x02hi");
}

// What a newer version adds must not stop this one.
TEST(ValueCodec, UnknownFieldsAreSkipped) {
    FieldWriter inner;
    inner.always_text(1, "hello");
    inner.always_text(900, "from the future");
    inner.always_real(901, 2.0);
    FieldWriter outer;
    outer.number(1, static_cast<std::uint64_t>(Kind::Note));
    outer.message(2, inner);
    outer.always_number(50, 7);
    EXPECT_EQ(std::get<Note>(decode_value(std::move(outer).take()).value()).text, "hello");
}

TEST(ValueCodec, UnknownKindsAndCutBytesAreErrors) {
    FieldWriter outer;
    outer.number(1, 200);
    EXPECT_THAT(decode_value(std::move(outer).take()).error().message, HasSubstr("kind 200"));
    EXPECT_FALSE(decode_value({}).ok());
    for (const Value& value : samples()) {
        const Bytes bytes = encode_value(value);
        EXPECT_FALSE(decode_value(ByteSpan(bytes).first(bytes.size() - 1)).ok());
    }
}

TEST(ValueCodec, VisitsEveryBlobOnce) {
    std::vector<int> seen;
    for (const Value& value : samples()) {
        for_each_blob(value, [&](const Blob& blob) { seen.push_back(blob.ref.sha256[0]); });
    }
    EXPECT_THAT(seen, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

}  // namespace
}  // namespace taffrail
