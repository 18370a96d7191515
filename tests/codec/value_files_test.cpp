// Documents back as values, and files as what they are, with their bytes elsewhere.
#include "codec/value_files.h"

#include "codec/capture.h"
#include "codec/histogram_moments.h"
#include "codec/json.h"

#include <gmock/gmock.h>

#include <cmath>

namespace taffrail {
namespace {

using testing::ElementsAre;

TEST(ValueFiles, ATableComesBackWithARowForEachLineAndNoCellTooMuch) {
    const Json document =
        parse_json(R"({"columns": ["a", 2], "data": [[1, "x", 3], [], "no row"]})").value();
    const Table table = table_of_json(document).value();
    EXPECT_THAT(table.columns, ElementsAre("a", "2"));
    ASSERT_EQ(table.rows.size(), 3u);
    EXPECT_THAT(table.rows[0], ElementsAre(Cell(std::int64_t{1}), Cell(std::string("x"))));
    EXPECT_THAT(table.rows[1], ElementsAre(Cell(), Cell()));
    EXPECT_THAT(table.rows[2], ElementsAre(Cell(), Cell()));
    EXPECT_FALSE(table_of_json(parse_json(R"({"data": [[1]]})").value()).ok());
}

TEST(ValueFiles, CellsOfATabSeparatedTableStayInTheirPlace) {
    const Table table{
        .columns = {"a\tb", "c"},
        .rows = {{std::string("x\ny"), Cell()}, {true, std::nan("")}, {0.5, std::int64_t{7}}}};
    EXPECT_EQ(tsv_of(table), "a b\tc\nx y\t\ntrue\tNaN\n0.5\t7\n");
}

TEST(ValueFiles, AHistogramOfATrackersClientHasMomentsOfItsBins) {
    const auto read = [](std::string_view json) {
        return histogram_of_json(parse_json(json).value());
    };
    const auto histogram =
        std::get<Histogram>(read(R"({"values": [3, 1], "bins": [0, 2, 6]})").value());
    EXPECT_THAT(histogram.counts, ElementsAre(3, 1));
    EXPECT_THAT(histogram.edges, ElementsAre(0, 2, 6));
    EXPECT_EQ(histogram.sum, 3 * 1 + 4);
    for (const char* wrong :
         {R"({"values": [3, 1], "bins": [0, 2]})", R"({"values": [], "bins": [0]})",
          R"({"values": [1, 1], "bins": [0, 2, 1]})", "{}"}) {
        EXPECT_FALSE(read(wrong).ok()) << wrong;
    }
}

TEST(ValueFiles, EveryKindOfFileTakesAnotherBlob) {
    constexpr std::string_view kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const auto bytes_of = [](std::string_view text) {
        const ByteSpan bytes = as_bytes(text);
        return Bytes(bytes.begin(), bytes.end());
    };
    Blob elsewhere;
    elsewhere.ref.size = 7;
    Value mesh = value_of_file("triangle.obj", bytes_of(kTriangle), {}).value();
    set_file_blob(mesh, elsewhere);
    EXPECT_EQ(std::get<Mesh>(mesh).data.ref.size, 7u);
    EXPECT_EQ(std::get<Mesh>(mesh).data.bytes, nullptr);
    Value other = value_of_file("notes.unknown", bytes_of("x"), {}).value();
    set_file_blob(other, elsewhere);
    EXPECT_EQ(std::get<Artifact>(other).files.front().data.ref.size, 7u);
    for (Value value : {Value(Image()), Value(Audio()), Value(Video())}) {
        set_file_blob(value, elsewhere);
        const Blob& blob = kind_of(value) == Kind::Image   ? std::get<Image>(value).images.at(0)
                           : kind_of(value) == Kind::Audio ? std::get<Audio>(value).data
                                                           : std::get<Video>(value).data;
        EXPECT_EQ(blob.ref.size, 7u);
    }
}

TEST(HistogramMoments, CountEachValueAsTheMiddleOfItsBin) {
    Histogram histogram;
    histogram.edges = {0, 2, 6};
    histogram.counts = {3, 1};
    set_moments_by_bins(histogram);
    EXPECT_EQ(histogram.min, 0);
    EXPECT_EQ(histogram.max, 6);
    EXPECT_EQ(histogram.sum, 3 * 1 + 4);
    EXPECT_EQ(histogram.sum_squares, 3 * 1 + 16);
}

}  // namespace
}  // namespace taffrail
