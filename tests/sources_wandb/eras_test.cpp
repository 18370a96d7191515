// The same program, recorded by wandb of six years (tests/data/wandb/make.py): it reads the same.
#include "../places.h"
#include "codec/formats/wandb/framing.h"
#include "io/files.h"
#include "sources/wandb/catalogue.h"
#include "sources/wandb/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace taffrail;
using testing::Contains;
using testing::ElementsAre;
using testing::Pair;

class WandbEra : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        const std::string folder = tests::data_folder() + "/wandb/" + GetParam();
        EXPECT_EQ(sources::wandb::depth_of_logs(folder), 0);
        catalogue_ = sources::wandb::open_runs(folder).value();
        ASSERT_EQ(catalogue_->runs().size(), 1u);
        run_ = catalogue_->run(catalogue_->runs()[0].id).value();
    }

    std::shared_ptr<Catalogue> catalogue_;
    std::shared_ptr<RecordedRun> run_;
};

TEST_P(WandbEra, DescribesItsRun) {
    const RunInfo info = run_->info();
    EXPECT_EQ(info.name, "sample");
    EXPECT_EQ(info.project, "eras");
    EXPECT_EQ(info.group, "g");
    EXPECT_EQ(info.job_type, "train");
    EXPECT_EQ(info.notes, "note");
    EXPECT_THAT(info.tags, ElementsAre("a", "b"));
    EXPECT_EQ(info.state, RunState::Failed);
    EXPECT_THAT(info.config, Contains(Pair("lr", Cell(0.5))));
    EXPECT_THAT(info.config, Contains(Pair("opt/name", Cell("adam"))));
    EXPECT_THAT(info.config, Contains(Pair("opt/depth", Cell(std::int64_t{2}))));
    EXPECT_EQ(info.summary.at("best"), Cell(std::int64_t{42}));
    EXPECT_TRUE(run_->damage().empty());
}

TEST_P(WandbEra, HasItsNumbers) {
    const auto loss = run_->points("loss").value();
    ASSERT_EQ(loss.size(), 40u);
    const auto nested = run_->points("nested.deep").value(),
               slash = run_->points("slash/name").value();
    for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_EQ(loss[i].step, static_cast<Step>(i));
        EXPECT_DOUBLE_EQ(loss[i].value, 1.0 / static_cast<double>(i + 1));
        EXPECT_GT(loss[i].time_ns, 1'700'000'000'000'000'000);
        EXPECT_EQ(nested[i].value, static_cast<double>(i));
        EXPECT_TRUE(i == 7 ? std::isnan(slash[i].value)
                           : slash[i].value == 2.0 * static_cast<double>(i));
    }
    EXPECT_EQ(run_->bins("loss", {.width = 10}).value().points, 40u);
}

TEST_P(WandbEra, PutsItsMediaTogether) {
    const auto picture = run_->entries("picture").value();
    ASSERT_EQ(picture.size(), 1u);
    const auto& image = std::get<Image>(*picture[0].value);
    EXPECT_EQ(image.width, 4);
    EXPECT_EQ(image.height, 3);
    EXPECT_THAT(image.captions, ElementsAre("c"));
    EXPECT_EQ(picture[0].step, 40);
    const auto bytes = run_->load(image.images.at(0).ref).value();
    EXPECT_EQ(bytes->size(), image.images[0].ref.size);
    const auto pictures = run_->entries("pictures").value();
    ASSERT_EQ(pictures.size(), 1u);
    EXPECT_EQ(std::get<Image>(*pictures[0].value).images.size(), 2u);
    const auto histogram = std::get<Histogram>(*run_->entries("hist").value().at(0).value);
    EXPECT_THAT(histogram.counts, ElementsAre(1, 2, 3));
    EXPECT_THAT(histogram.edges, ElementsAre(0, 1, 2, 4));
    EXPECT_EQ(std::get<Text>(*run_->entries("text").value().at(0).value).text, "hello");
}

// Our container is theirs: every record framed again gives the file back.
TEST_P(WandbEra, WrittenAgainIsTheSameBytes) {
    const auto found = sources::wandb::discover(tests::data_folder() + "/wandb/" + GetParam());
    const Bytes file = io::read_file(found.at(0).file).value();
    Bytes again(file.begin(), file.begin() + 7);
    formats::wandb::RecordScanner scanner;
    scanner.take(ByteSpan(file).subspan(7), [&](ByteSpan record, std::uint64_t) {
        formats::wandb::append_record(again, 0, record);
    });
    EXPECT_EQ(again, file);
}

TEST_P(WandbEra, HasItsConsole) {
    std::vector<std::string> lines;
    for (const ConsoleLine& line : run_->console(0, 1000)) {
        lines.push_back(line.text);
    }
    EXPECT_THAT(lines, Contains("a line of output"));
}

INSTANTIATE_TEST_SUITE_P(All, WandbEra,
                         testing::Values("0.10.33", "0.13.11", "0.16.6", "0.19.11", "0.28.2",
                                         "0.31.0"));
