// Charts on the command line: --plot on a terminal, --format svg, png and html into files.
#include "cli/fake_catalogue.h"
#include "codec/png.h"
#include "io/files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

namespace taffrail::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ChartCommands : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "taffrail-charts-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        for (const char* name : {"newest", "middle", "oldest<b>\x1b[31m"}) {
            auto run = catalogue_->add(name);
            std::vector<double> falling;
            for (int i = 0; i < 200; ++i) {
                falling.push_back(std::exp(-i / 50.0) +
                                  static_cast<double>(catalogue_->all.size()));
            }
            run->scalar("val/loss", falling);
            run->scalar("lr", {1e-3, 1e-3, 1e-4});
        }
    }

    void TearDown() override { (void)io::remove_tree(folder_); }

    std::string read(const std::string& name) const {
        const auto bytes = io::read_file(folder_ + "/" + name);
        return bytes.ok() ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())
                          : std::string();
    }

    std::string folder_;
    std::shared_ptr<FakeCatalogue> catalogue_ = std::make_shared<FakeCatalogue>();
};

TEST_F(ChartCommands, ShowLsAndComparePlotAMetricInTheColoursOfThePage) {
    const Looks looks{.color = true, .utf8 = true, .width = 80};
    const std::vector<std::string> show{"show", "newest", "--plot", "val/loss"},
        list{"ls", "--plot", "val/loss"}, compare{"compare", "newest", "middle", "--plot", "v*"};
    // The newest of three is the third of its project: dark slots 2, 1 and 0.
    const std::string third = "\x1b[38;2;9;255;178m", second = "\x1b[38;2;243;13;54m",
                      first = "\x1b[38;2;150;152;255m";
    const Outcome one = run_line(show, catalogue_, looks);
    EXPECT_EQ(one.code, 0) << one.errors;
    EXPECT_THAT(one.out, AllOf(HasSubstr("val/loss"), HasSubstr(third), Not(HasSubstr(second))));
    EXPECT_THAT(run_line(list, catalogue_, looks).out,
                AllOf(HasSubstr(third), HasSubstr(second), HasSubstr(first)));
    EXPECT_THAT(run_line(compare, catalogue_, looks).out,
                AllOf(HasSubstr(third), HasSubstr(second), Not(HasSubstr(first))));
    // A name moves no cursor, and without colours there is no escape at all.
    EXPECT_THAT(run_line(list, catalogue_, {.utf8 = false}).out, Not(HasSubstr("\x1b")));
}

TEST_F(ChartCommands, OfTwoRunsWithOneColourTheNewerIsGrey) {
    for (int i = 0; i < 20; ++i) {
        catalogue_->add("older" + std::to_string(i))->scalar("val/loss", {2.0, 1.0});
    }
    // The newest of twenty-three has the place 22, and the colour of the place 2.
    const std::vector<std::string> drawn{"export",   "newest", "older17", "older16",
                                         "--format", "svg",    "--keys",  "val/*"};
    const Outcome outcome = run_line(drawn, catalogue_);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    for (const char* color : {"#11a17d", "#8d6200", "#59616b"}) {
        EXPECT_THAT(outcome.out, HasSubstr(std::string("stroke=\"") + color));
    }
    const std::vector<std::string> alone{"export", "newest", "--format", "svg", "--keys", "val/*"};
    EXPECT_THAT(run_line(alone, catalogue_).out, HasSubstr("stroke=\"#11a17d"));
}

TEST_F(ChartCommands, AMetricThatIsNotThereIsAnErrorWithTheNearestName) {
    const Outcome outcome = run_line({"show", "newest", "--plot", "val/los"}, catalogue_);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, AllOf(HasSubstr("val/los"), HasSubstr("val/loss")));
}

TEST_F(ChartCommands, SvgHasALineForEachRunAndNothingOfANameButText) {
    const Outcome outcome = run_line({"export", "--format", "svg", "--keys", "val/*"}, catalogue_);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    for (const char* color : {"#095ec3", "#f25873", "#11a17d"}) {
        EXPECT_THAT(outcome.out, HasSubstr(std::string("stroke=\"") + color));
    }
    EXPECT_THAT(outcome.out, AllOf(Not(HasSubstr("<b>")), Not(HasSubstr("\x1b"))));
}

TEST_F(ChartCommands, SingleValuesAreBarsBestFirst) {
    for (const auto& [name, loss, score] :
         {std::tuple{"good", 0.25, 0.75}, std::tuple{"bad", 0.5, 0.5}}) {
        auto run = catalogue_->add(name);
        run->scalar("test/loss", {loss});
        run->scalar("test/score", {score});
    }
    const auto order_of = [&](const char* key) {
        const std::string out = run_line({"compare", "bad", "good", "--plot", key}, catalogue_).out;
        const std::string chart = out.substr(out.rfind(std::string(" ") + key));
        return chart.find("good") < chart.find("bad");
    };
    EXPECT_TRUE(order_of("test/loss")) << "the smaller loss";
    EXPECT_TRUE(order_of("test/score")) << "the larger score";
    const Outcome svg = run_line({"export", "--format", "svg", "--keys", "test/*"}, catalogue_);
    EXPECT_THAT(svg.out, AllOf(HasSubstr("0.2500"), HasSubstr("<rect"), Not(HasSubstr(">step<"))));
}

TEST_F(ChartCommands, PngIsAPictureOfItsOwnSize) {
    const Outcome outcome =
        run_line({"export", "--format", "png", "--dark", "-o", folder_ + "/a.png"}, catalogue_);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    const std::string file = read("a.png");
    const auto pixels = decode_png(as_bytes(file));
    ASSERT_TRUE(pixels.ok());
    EXPECT_EQ(pixels->width, 2240U);  // two charts beside each other
    EXPECT_EQ(pixels->data[0], std::byte{0x14});
}

TEST_F(ChartCommands, WhatMakesNoSenseTogetherIsRefused) {
    EXPECT_EQ(run_line({"export", "--format", "png"}, catalogue_).code, 2);
    EXPECT_EQ(run_line({"export", "--format", "html"}, catalogue_).code, 2);
    EXPECT_EQ(run_line({"export", "--format", "csv", "--dark"}, catalogue_).code, 2);
    EXPECT_EQ(run_line({"export", "--format", "svg", "--keys", "nothing"}, catalogue_).code, 1);
}

TEST_F(ChartCommands, APageHoldsItsDataAndNamesCannotEndIt) {
    auto evil = catalogue_->add("</script><script>alert(1)</script>");
    evil->scalar("val/loss", {1, 2, 3});
    evil->definitions["val/loss"] =
        std::make_shared<MetricOptions>(MetricOptions{.goal = Goal::Maximize});
    const Outcome outcome =
        run_line({"export", "--format", "html", "-o", folder_ + "/a.html"}, catalogue_);
    if (outcome.errors.find("no page inside") != std::string::npos ||
        outcome.errors.find("has no dashboard") != std::string::npos) {
        GTEST_SKIP() << "a build without the page";
    }
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const std::string page = read("a.html");
    EXPECT_THAT(page, AllOf(HasSubstr("id=\"frames\">"), HasSubstr("middle"),
                            HasSubstr(R"("goals":{"val/loss":"maximize"})"),
                            Not(HasSubstr("<script>alert")), Not(HasSubstr("https://"))));
    EXPECT_LT(page.size(), 200'000U);
}

}  // namespace
}  // namespace taffrail::cli
