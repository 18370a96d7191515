#include "sources/trackio/values.h"

#include "../test_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

using namespace taffrail;
using namespace taffrail::sources::trackio;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// One grey pixel.
constexpr std::array<unsigned char, 67> kPicture = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
    0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9c, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0x77, 0xcd, 0x72, 0xb6, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

std::string picture() {
    return {kPicture.begin(), kPicture.end()};
}

Result<Value> value(const std::string& json, const std::string& folder = "/nowhere") {
    static model::GatheredBlobs blobs;
    return value_of("key", parse_json(json).value(), folder, blobs);
}

TEST(TrackioValues, TimesAreThoseOfTheirZone) {
    EXPECT_EQ(time_ns_of("1970-01-01T00:00:01+00:00"), 1'000'000'000);
    EXPECT_EQ(time_ns_of("2026-03-01T12:00:00.25+02:00"), 1772359200'250000000);
    EXPECT_EQ(time_ns_of("2026-03-01 12:00:00.123456789-00:30"), 1772368200'123456789);
    EXPECT_EQ(time_ns_of("2026-03-01T12:00:00Z"), 1772366400'000000000);
    for (const char* odd :
         {"", "2026", "2026-13-01T00:00:00", "2026-02-30T00:00:00", "1969-01-01T00:00:00",
          "9999-01-01T00:00:00", "2026-03-01T99:00:00", "1970-01-01T00:00:00+23:00", "now"}) {
        EXPECT_EQ(time_ns_of(odd), 0) << odd;
    }
    EXPECT_EQ(time_ns_of("2026-03-01T12:00:00." + std::string(400, '9')), 1772366400'999999999);
}

TEST(TrackioValues, HistogramsAndTablesAndTexts) {
    const auto histogram = std::get<Histogram>(
        value(R"({"_type": "trackio.histogram", "bins": [0, 1, 3], "values": [4, 2]})").value());
    EXPECT_THAT(histogram.edges, ElementsAre(0.0, 1.0, 3.0));
    EXPECT_THAT(histogram.counts, ElementsAre(4.0, 2.0));
    EXPECT_EQ(histogram.sum, 6.0);
    for (const char* odd :
         {R"({"_type": "trackio.histogram", "bins": [], "values": []})",
          R"({"_type": "trackio.histogram", "bins": [0, 1], "values": [4, 2]})",
          R"({"_type": "trackio.histogram", "bins": [1, 0, 3], "values": [4, 2]})",
          R"({"_type": "trackio.histogram"})", R"({"_type": "trackio.table"})"}) {
        EXPECT_FALSE(value(odd).ok()) << odd;
    }
    const auto table = std::get<Table>(
        value(
            R"({"_type": "trackio.table", "_value": [{"a": 1, "b": "x"}, {"c": {"_type": "trackio.image", "file_path": "p/r/0/i.png"}, "a": null}, 7]})")
            .value());
    EXPECT_THAT(table.columns, ElementsAre("a", "b", "c"));
    EXPECT_EQ(table.rows.size(), 3u);
    EXPECT_EQ(table.rows[0], (std::vector<Cell>{std::int64_t{1}, "x", {}}));
    EXPECT_EQ(table.rows[1][2], Cell("p/r/0/i.png"));
    const auto markdown =
        std::get<Text>(value(R"({"_type": "trackio.markdown", "_value": "**b**"})").value());
    EXPECT_EQ(markdown.text, "**b**");
    EXPECT_FALSE(markdown.plain);
    EXPECT_TRUE(std::get<Text>(value(R"("words")").value()).plain);
    EXPECT_THAT(std::get<Text>(
                    value(R"({"_type": "trackio.trace", "messages": [{"role": "user"}]})").value())
                    .text,
                HasSubstr("\"role\""));
    EXPECT_EQ(kind_of_json(parse_json("[1, 2]").value()), Kind::Text);
}

TEST(TrackioValues, MediaStandInTheirFilesAndNowhereElse) {
    const test::TestFolder folder;
    folder.write("projects/media/p/r/0/i.png", picture());
    folder.write("projects/media/p/r/0/page.html", "<b>x</b>");
    folder.write("projects/media/p/r/0/text.png", "no picture");
    folder.write("secret.png", picture());
    std::filesystem::create_symlink(folder / "secret.png",
                                    folder / "projects/media/p/r/0/link.png");
    const std::string root = folder / "projects";
    const auto media = [&](const std::string& type, const std::string& path) {
        return value(R"({"_type": "trackio.)" + type + R"(", "file_path": ")" + path +
                         R"(", "caption": "c"})",
                     root);
    };
    const auto image = media("image", "p/r/0/i.png");
    ASSERT_TRUE(image.ok()) << image.error().message;
    EXPECT_EQ(std::get<Image>(*image).width, 1);
    EXPECT_THAT(std::get<Image>(*image).captions, ElementsAre("c"));
    EXPECT_TRUE(media("image", "media/p/r/0/i.png").ok());  // as versions before 0.3 say it
    const auto both = value(
        R"([{"_type": "trackio.image", "file_path": "p/r/0/i.png"}, {"_type": "trackio.image", "file_path": "p/r/0/i.png", "caption": "d"}])",
        root);
    ASSERT_TRUE(both.ok()) << both.error().message;
    EXPECT_EQ(std::get<Image>(*both).images.size(), 2u);
    EXPECT_THAT(std::get<Image>(*both).captions, ElementsAre("", "d"));
    const auto page = media("html", "p/r/0/page.html");
    ASSERT_TRUE(page.ok()) << page.error().message;
    EXPECT_EQ(std::get<Artifact>(*page).type, "html-file");
    EXPECT_EQ(std::get<Artifact>(*page).files[0].path, "page.html");
    for (const std::string& path : {std::string("p/r/0/none.png"), std::string("p/r/0/text.png"),
                                    std::string("p/r/0/link.png"), std::string("../../secret.png"),
                                    folder / "secret.png", std::string(), std::string("p")}) {
        EXPECT_FALSE(media("image", path).ok()) << path;
    }
}

TEST(TrackioValues, ArtifactsAreTakenByDigestsAlone) {
    model::GatheredBlobs blobs;
    const test::TestFolder folder;
    for (const char* manifest :
         {"", "{", R"([{"path": "a", "digest": "../../x"}])", R"([{"path": "a"}])"}) {
        EXPECT_FALSE(artifact_of("a", "t", 0, manifest, "", folder.path(), "p", blobs).ok())
            << manifest;
    }
    const std::string absent = R"([{"path": "a", "digest": ")" + std::string(64, '0') + R"("}])";
    EXPECT_FALSE(artifact_of("a", "t", 0, absent, "", folder.path(), "p", blobs).ok());
    EXPECT_TRUE(artifact_of("a", "t", 0, "[]", "no JSON", folder.path(), "p", blobs).ok());
}

}  // namespace
