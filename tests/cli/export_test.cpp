#include "base/sha256.h"
#include "base/strings.h"
#include "cli/export/exporters.h"
#include "cli/fake_catalogue.h"
#include "codec/capture.h"
#include "codec/json.h"
#include "codec/media_probe.h"
#include "codec/parquet/reader.h"
#include "io/files.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>

namespace taffrail::cli {
namespace {

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

TEST_F(ExportTest, WithoutAMediaFolderFilesAreNull) {
    const std::vector<float> floats(3, 0.5f);
    add("tensor", capture_tensor(TensorView(floats)).value());
    const auto all = lines(run_line({"export", "ID0"}, catalogue_).out);
    EXPECT_TRUE(line_of(all, "tensor").find("value")->find("file")->is_null());
    EXPECT_EQ(line_of(all, "tensor").find("value")->string_or("sha256", "").size(), 64u);
}

TEST_F(ExportTest, CsvComesTidyAndWide) {
    run_->scalar("a,b", {5});
    EXPECT_THAT(run_line({"export", "ID0", "--format", "csv"}, catalogue_).out,
                StartsWith("run,key,step,time,epoch,samples,phase,rank,attempt,value\nID0,\"a,b\","
                           "0,1700000000000000000,,,,0,0,5\n"));
    EXPECT_EQ(run_line({"export", "ID0", "--format", "csv", "--wide"}, catalogue_).out,
              "run,step,\"a,b\",loss\nID0,0,5,1\nID0,1,,NaN\nID0,2,,Infinity\n");
    EXPECT_EQ(
        run_line({"export", "ID0", "--format", "csv", "--wide", "--keys", "lo*"}, catalogue_).out,
        "run,step,loss\nID0,0,1\nID0,1,NaN\nID0,2,Infinity\n");
}

TEST_F(ExportTest, FilesAreWrittenWhereAsked) {
    const std::string path = io::join(folder_, "deep/out.csv");
    EXPECT_EQ(run_line({"export", "ID0", "--format", "csv", "-o", path}, catalogue_).code, 0);
    EXPECT_THAT(io::read_text(path).value(), HasSubstr("ID0,loss,2"));
    const std::string parquet_path = io::join(folder_, "out.parquet");
    EXPECT_EQ(
        run_line({"export", "ID0", "--format", "parquet", "-o", parquet_path}, catalogue_).code, 0);
    EXPECT_THAT(io::read_text(parquet_path).value(), StartsWith("PAR1"));
    EXPECT_EQ(run_line({"export", "ID0", "--format", "media"}, catalogue_).code, 1);
    EXPECT_EQ(run_line({"export", "ID0", "--format", "xls"}, catalogue_).code, 2);
}

}  // namespace
}  // namespace taffrail::cli
