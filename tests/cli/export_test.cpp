#include "base/sha256.h"
#include "base/strings.h"
#include "cli/fake_catalogue.h"
#include "codec/capture.h"
#include "codec/json.h"
#include "codec/media_probe.h"
#include "codec/parquet/reader.h"
#include "io/files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <set>

namespace taffrail::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ExportTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "taffrail-export-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        run_ = catalogue_->add("one, \"two\"");
        run_->scalar("loss", {1, std::nan(""), INFINITY});
    }

    void TearDown() override { (void)io::remove_tree(folder_); }

    void add(const std::string& key, Value value, Step step = 7) {
        ASSERT_TRUE(encode_media(value).ok());
        Entry entry;
        entry.step = step;
        entry.time_ns = 5;
        entry.value = std::make_shared<const Value>(std::move(value));
        run_->values[key].push_back(entry);
    }

    std::vector<Json> lines(const std::string& text) {
        std::vector<Json> all;
        for (std::string_view line : split(text, '\n')) {
            if (!line.empty()) {
                all.push_back(parse_json(line).value());
            }
        }
        return all;
    }

    const Json& line_of(const std::vector<Json>& all, std::string_view key) {
        for (const Json& line : all) {
            if (line.string_or("key", "") == key) {
                return line;
            }
        }
        return all.at(0);
    }

    std::shared_ptr<FakeCatalogue> catalogue_ = std::make_shared<FakeCatalogue>();
    std::shared_ptr<FakeRun> run_;
    std::string folder_;
};

TEST_F(ExportTest, JsonlLinesAreExactlyTheContract) {
    const Outcome outcome = run_line({"export", "ID0"}, catalogue_);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(
        outcome.out,
        StartsWith(
            R"({"run":"ID0","key":"loss","kind":"scalar","step":0,"time":1700000000000000000,"epoch":null,)"
            R"("samples":null,"phase":null,"rank":0,"writer":"0000000000000000","attempt":0,"value":1})"));
    EXPECT_THAT(outcome.out, HasSubstr(R"("value":"NaN"})"));
    EXPECT_THAT(outcome.out, HasSubstr(R"("value":"Infinity"})"));
}

TEST_F(ExportTest, TextTablesAndHistogramsHaveTheirForms) {
    add("text", Text{"hi", false});
    add("table", Table{{"a", "b"}, {{Cell{std::int64_t{1}}, Cell{}}}});
    add("hist", Histogram{{0, 1, 2}, {3, 4}});
    const auto all = lines(run_line({"export", "ID0"}, catalogue_).out);
    EXPECT_EQ(*line_of(all, "text").find("value")->string(), "hi");
    EXPECT_EQ(line_of(all, "table").find("value")->dump(),
              R"({"columns":["a","b"],"rows":[[1,null]]})");
    EXPECT_EQ(line_of(all, "hist").find("value")->find("edges")->dump(), "[0,1,2]");
    EXPECT_EQ(line_of(all, "hist").find("value")->find("counts")->dump(), "[3,4]");
}

TEST_F(ExportTest, MediaBecomesFilesThatTheirNamesLeadTo) {
    const std::vector<std::uint8_t> pixels(2 * 3 * 4 * 3, 9);
    add("pictures", capture_image({TensorView(pixels.data(), DType::U8, {2, 3, 4, 3})}).value());
    const std::vector<float> floats(3 * 4, 0.5f);
    add("float", capture_image({TensorView(floats.data(), DType::F32, {3, 4})}).value());
    add("mesh", capture_mesh({.vertices = floats}).value());
    add("../evil", capture_tensor(TensorView(floats)).value());
    const auto all = lines(run_line({"export", "ID0", "--media", folder_}, catalogue_).out);
    const auto file_of = [&](const Json& value) {
        return io::read_file(io::join(folder_, value.string_or("file", "?"))).value();
    };

    const Json& pictures = *line_of(all, "pictures").find("value");
    EXPECT_EQ(pictures.find("shape")->dump(), "[3,4,3]");
    EXPECT_EQ(pictures.find("images")->array()->size(), 2u);
    EXPECT_EQ(probe_media(file_of(pictures)).value().width, 4);
    EXPECT_EQ(pictures.string_or("sha256", ""), to_hex(sha256(file_of(pictures))));

    const Json& raw = *line_of(all, "float").find("value");
    EXPECT_THAT(std::string(as_text(file_of(raw))), HasSubstr("'<f4'"));
    EXPECT_EQ(probe_media(io::read_file(io::join(folder_, raw.string_or("preview", ""))).value())
                  .value()
                  .format,
              "png");
    EXPECT_EQ(probe_media(file_of(*line_of(all, "mesh").find("value"))).value().vertices, 4);
    const std::string evil = line_of(all, "../evil").find("value")->string_or("file", "");
    EXPECT_EQ(evil.find(".."), std::string::npos) << evil;
}

/// A picture of a foreign source: its reference names a place, which differs in the last byte only.
Blob placed(std::uint8_t place, std::size_t size) {
    Blob blob;
    blob.ref.sha256.fill(static_cast<std::uint8_t>('t'));
    blob.ref.sha256[31] = place;
    blob.ref.size = size;
    return blob;
}

TEST_F(ExportTest, PicturesOfAForeignSourceGetTheirOwnFilesAndHashes) {
    run_->run_info.source = "tensorboard";
    Image batch;
    batch.height = batch.width = batch.channels = 1;
    batch.format = "png";
    for (const std::uint8_t place : {std::uint8_t{1}, std::uint8_t{2}}) {
        run_->blobs[place] = {std::byte{place}, std::byte{7}, std::byte{9}};
        batch.images.push_back(placed(place, 3));
    }
    Entry entry;
    entry.value = std::make_shared<const Value>(batch);
    run_->values["samples"].push_back(entry);
    for (const bool with_files : {true, false}) {
        const std::vector<std::string> words{"export", "ID0", "--keys", "samples"};
        auto line = words;
        if (with_files) {
            line.insert(line.end(), {"--media", folder_});
        }
        const auto all = lines(run_line(line, catalogue_).out);
        ASSERT_EQ(all.size(), 1u);
        const Json& images = *all[0].find("value")->find("images");
        std::set<std::string> names;
        for (int i = 0; i < 2; ++i) {
            const Json& image = (*images.array())[static_cast<std::size_t>(i)];
            EXPECT_EQ(image.string_or("sha256", ""), to_hex(sha256(run_->blobs[i + 1])));
            EXPECT_EQ(image.integer_or("size", 0), 3);
            if (with_files) {
                const std::string file = image.string_or("file", "?");
                EXPECT_EQ(io::read_file(io::join(folder_, file)).value(), run_->blobs[i + 1]);
                names.insert(file);
            }
        }
        EXPECT_EQ(names.size(), with_files ? 2u : 0u);
    }
}

// Arrays become .npy and .ply: the hash and the size are those of the file a reader finds.
TEST_F(ExportTest, HashesAreThoseOfTheFilesWritten) {
    const std::vector<float> floats(12, 0.5f);
    add("tensor", capture_tensor(TensorView(floats)).value());
    add("float", capture_image({TensorView(floats.data(), DType::F32, {3, 4})}).value());
    add("mesh", capture_mesh({.vertices = floats}).value());
    const auto all = lines(run_line({"export", "ID0", "--media", folder_}, catalogue_).out);
    for (const char* key : {"tensor", "float", "mesh"}) {
        const Json& value = *line_of(all, key).find("value");
        const Bytes file = io::read_file(io::join(folder_, value.string_or("file", "?"))).value();
        EXPECT_EQ(value.string_or("sha256", ""), to_hex(sha256(file))) << key;
        EXPECT_EQ(value.integer_or("size", 0), static_cast<std::int64_t>(file.size())) << key;
    }
}

TEST_F(ExportTest, FilesOfAnArtifactKeepTheirPathsBesideEmptyOnes) {
    Artifact artifact;
    artifact.name = "model", artifact.version = "v1";
    artifact.files.resize(2);
    artifact.files[0].path = "empty.txt";
    artifact.files[1].path = "weights.bin";
    artifact.files[1].data = placed(3, 2);
    run_->blobs[3] = {std::byte{1}, std::byte{2}};
    Entry entry;
    entry.value = std::make_shared<const Value>(artifact);
    run_->values["model"].push_back(entry);
    const Outcome outcome =
        run_line({"export", "ID0", "--media", folder_, "-k", "model"}, catalogue_);
    EXPECT_THAT(outcome.out, HasSubstr("/v1/weights.bin\""));
}

TEST_F(ExportTest, WithoutAMediaFolderFilesAreNull) {
    const std::vector<float> floats(3, 0.5f);
    add("tensor", capture_tensor(TensorView(floats)).value());
    const auto all = lines(run_line({"export", "ID0"}, catalogue_).out);
    EXPECT_TRUE(line_of(all, "tensor").find("value")->find("file")->is_null());
    EXPECT_EQ(line_of(all, "tensor").find("value")->string_or("sha256", "").size(), 64u);
}

TEST_F(ExportTest, CsvComesTidyAndWide) {
    run_->scalar("a,b", {5});
    const std::string head = "ID0,\"one, \"\"two\"\"\",";
    EXPECT_THAT(run_line({"export", "ID0", "--format", "csv"}, catalogue_).out,
                StartsWith("run,name,key,step,time,epoch,samples,phase,rank,attempt,value\n" +
                           head + "\"a,b\",0,1700000000000000000,,,,0,0,5\n"));
    EXPECT_EQ(run_line({"export", "ID0", "--format", "csv", "--wide"}, catalogue_).out,
              "run,name,step,rank,attempt,\"a,b\",loss\n" + head + "0,0,0,5,1\n" + head +
                  "1,0,0,,NaN\n" + head + "2,0,0,,Infinity\n");
    EXPECT_EQ(
        run_line({"export", "ID0", "--format", "csv", "--wide", "--keys", "lo*"}, catalogue_).out,
        "run,name,step,rank,attempt,loss\n" + head + "0,0,0,1\n" + head + "1,0,0,NaN\n" + head +
            "2,0,0,Infinity\n");
}

// A spreadsheet would run them.
TEST_F(ExportTest, CellsOfCsvAreNoFormulas) {
    run_->run_info.name = "=cmd()";
    run_->scalar("@sum", {-5});
    const std::string out =
        run_line({"export", "ID0", "--format", "csv", "--keys", "@sum"}, catalogue_).out;
    EXPECT_THAT(out, HasSubstr("\nID0,'=cmd(),'@sum,0,1700000000000000000,,,,0,0,-5\n"));
}

// Ranks, attempts and steps logged twice are all points; none may take the place of another.
TEST_F(ExportTest, WideCsvKeepsEveryPoint) {
    run_->run_info.name = "r";
    run_->series.clear();
    const auto add_point = [&](const std::string& key, Step step, std::int32_t rank,
                               std::uint32_t attempt, double value) {
        Point point;
        point.step = step, point.rank = rank, point.attempt = attempt, point.value = value;
        run_->series[key].push_back(point);
    };
    for (const std::int32_t rank : {0, 1}) {
        add_point("loss", 0, rank, 0, 1 + rank);
        add_point("loss", 1, rank, 0, 3 + rank);
    }
    add_point("loss", 1, 0, 1, 7);
    add_point("loss", 1, 0, 1, 8);
    add_point("loss", 1, 0, 1, 9);
    add_point("other", 1, 0, 1, 5);
    EXPECT_EQ(run_line({"export", "ID0", "--format", "csv", "--wide"}, catalogue_).out,
              "run,name,step,rank,attempt,loss,other\n"
              "ID0,r,0,0,0,1,\nID0,r,0,1,0,2,\n"
              "ID0,r,1,0,0,3,\nID0,r,1,0,1,7,5\nID0,r,1,0,1,8,\nID0,r,1,0,1,9,\n"
              "ID0,r,1,1,0,4,\n");
}

// Above the size that is put together in memory the lines are the same, process by process.
TEST_F(ExportTest, FindingG16_WideCsvOfALargeRunHasTheSameLines) {
    run_->run_info.name = "r";
    run_->series.clear();
    run_->values.clear();
    constexpr Step kSteps = 70'000;
    for (const std::int32_t rank : {0, 1}) {
        for (Step step = 0; step < kSteps; ++step) {
            Point point;
            point.step = step, point.rank = rank, point.value = static_cast<double>(step % 97);
            run_->series["a"].push_back(point);
            point.value += 0.5;
            if (step % 10 == 0) {
                run_->series["b"].push_back(point);
            }
        }
    }
    const std::string out =
        run_line({"export", "ID0", "--format", "csv", "--wide", "--keys", "b"}, catalogue_).out;
    EXPECT_EQ(std::ranges::count(out, '\n'), 1 + 2 * kSteps / 10);
    for (Step step = 0; step < kSteps; ++step) {
        Point point;
        point.step = step, point.rank = 0, point.value = 1;
        run_->series["c"].push_back(point);
    }
    const std::string large =
        run_line({"export", "ID0", "--format", "csv", "--wide"}, catalogue_).out;
    EXPECT_EQ(std::ranges::count(large, '\n'), 1 + 2 * kSteps);
    EXPECT_THAT(large, StartsWith("run,name,step,rank,attempt,a,b,c\nID0,r,0,0,0,0,0.5,1\n"
                                  "ID0,r,1,0,0,1,,1\n"));
    EXPECT_THAT(large, HasSubstr("\nID0,r,69999,0,0,62,,1\nID0,r,0,1,0,0,0.5,\n"));
}

// A key that was first a number and then a picture or a word.
TEST_F(ExportTest, FindingO10_NumbersOfAKeyOfSeveralKindsAreAllInTheTable) {
    add("loss", Text{"it fell"}, 3);
    add("loss", Histogram::from_values(std::vector<double>{1, 2}, 2), 4);
    const std::string tidy = run_line({"export", "ID0", "--format", "csv"}, catalogue_).out;
    EXPECT_EQ(std::ranges::count(tidy, '\n'), 4) << tidy;
    EXPECT_THAT(tidy, AllOf(HasSubstr(",loss,0,"), HasSubstr(",loss,1,"), HasSubstr(",loss,2,")));
    const std::string wide =
        run_line({"export", "ID0", "--format", "csv", "--wide"}, catalogue_).out;
    EXPECT_THAT(wide, StartsWith("run,name,step,rank,attempt,loss\nID0,"));
    EXPECT_EQ(std::ranges::count(wide, '\n'), 4) << wide;
    const std::string jsonl = run_line({"export", "ID0", "--format", "jsonl"}, catalogue_).out;
    EXPECT_EQ(std::ranges::count(jsonl, '\n'), 5) << jsonl;
}

// What could not be read is not in the file: it is said, and scripts can tell.
TEST_F(ExportTest, FindingO04_DamageIsSaidAndTheExportFails) {
    run_->damages.push_back({"logs/events.1", 120, 33, 0, 0, "a record fails its checksum"});
    const Outcome outcome = run_line({"export", "ID0", "--format", "csv"}, catalogue_);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.out, HasSubstr(",loss,2,")) << "what is whole is written";
    EXPECT_THAT(outcome.errors, HasSubstr("logs/events.1 at byte 120"));
    EXPECT_THAT(outcome.errors, HasSubstr("a record fails its checksum"));
    run_->damages.clear();
    EXPECT_EQ(run_line({"export", "ID0", "--format", "csv"}, catalogue_).code, 0);
}

TEST_F(ExportTest, FilesAreWrittenWhereAsked) {
    const std::string path = io::join(folder_, "deep/out.csv");
    EXPECT_EQ(run_line({"export", "ID0", "--format", "csv", "-o", path}, catalogue_).code, 0);
    EXPECT_THAT(io::read_text(path).value(), HasSubstr(",loss,2,"));
    const std::string parquet_path = io::join(folder_, "out.parquet");
    EXPECT_EQ(
        run_line({"export", "ID0", "--format", "parquet", "-o", parquet_path}, catalogue_).code, 0);
    EXPECT_THAT(io::read_text(parquet_path).value(), StartsWith("PAR1"));
}

TEST_F(ExportTest, LinesThatMakeNoSenseAreWrongUsage) {
    EXPECT_EQ(run_line({"export", "ID0", "--format", "xls"}, catalogue_).code, 2);
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
        {{"--format", "media"}, "--media DIR"},
        {{"--format", "tensorboard"}, "-o DIR"},
        {{"--format", "jsonl", "--wide"}, "--format csv"},
        {{"--format", "parquet", "--wide"}, "--format csv"},
        {{"--format", "csv", "--media", "m"}, "--media"}};
    for (const auto& [words, remedy] : wrong) {
        std::vector<std::string> line{"export", "ID0"};
        line.insert(line.end(), words.begin(), words.end());
        const Outcome outcome = run_line(line, catalogue_);
        EXPECT_EQ(outcome.code, 2) << remedy;
        EXPECT_THAT(outcome.errors, HasSubstr(remedy));
        EXPECT_EQ(outcome.out, "");
    }
}

TEST_F(ExportTest, APatternThatMatchesNothingIsSaid) {
    add("text", Text{"hi", false});
    const Outcome none = run_line({"export", "ID0", "-k", "los"}, catalogue_);
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.errors, HasSubstr("'los'; did you mean 'loss'?"));
    EXPECT_EQ(run_line({"export", "ID0", "-k", "text", "-t", "csv"}, catalogue_).code, 1);
    EXPECT_EQ(run_line({"export", "ID0", "-k", "text"}, catalogue_).code, 0);
}

}  // namespace
}  // namespace taffrail::cli
