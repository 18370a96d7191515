#include "transfer/redelivery.h"

#include "io/files.h"
#include "io/temporary_folder.h"
#include "transfer/run_writer.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

namespace taffrail::transfer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RedeliveryTest : public testing::Test {
  protected:
    RedeliveryTest() {
        run_.info.id = "01RUN", run_.info.name = "run", run_.info.start_time_ns = 1'000'000'000;
        const auto writer = RunWriter::create(folder_.file("store"), run_.info).value();
        run_.folder = writer->folder();
        writer->scalar("loss", Point{.time_ns = 1'000'000'000, .value = 0.5}).value();
        writer->finish(RunState::Finished).value();
    }

    void note(std::string name, std::string type, OptionMap options = {}) {
        note_sink(run_.folder, {.name = std::move(name),
                                .type = std::move(type),
                                .mask = 1,
                                .options = std::move(options)})
            .value();
    }

    std::vector<std::string> names(std::string_view wanted) {
        std::vector<std::string> found;
        for (const Destination& destination : destinations(run_, wanted)) {
            found.push_back(destination.sink.name);
        }
        return found;
    }

    test::TemporaryFolder folder_;
    StoredRun run_;
};

TEST_F(RedeliveryTest, DestinationsAreMeantByNameOrType) {
    note("csv", "csv"), note("csv-2", "csv"), note("mine", "");
    EXPECT_THAT(names(""), testing::UnorderedElementsAre("csv", "csv-2", "mine"));
    EXPECT_THAT(names("csv"), testing::UnorderedElementsAre("csv", "csv-2"));
    EXPECT_THAT(names("csv-2"), ElementsAre("csv-2"));
    EXPECT_THAT(names("cvs"), testing::IsEmpty());
}

TEST_F(RedeliveryTest, WhatCannotBeDeliveredSaysWhyAndStopsNobody) {
    note("mine", "");
    note("table", "csv", {{"log_dir", folder_.file("table")}});
    std::vector<Delivered> told;
    std::size_t adopted = 0;
    const auto complete = redeliver(
        run_, "", [&](const Adopted&) { ++adopted; },
        [&](const Delivered& one) { told.push_back(one); });
    EXPECT_FALSE(complete.value());
    EXPECT_EQ(adopted, 1u);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].sink, "mine");
    EXPECT_THAT(told[0].problem, HasSubstr("made by the program itself"));
    EXPECT_EQ(told[1].sink, "table");
    EXPECT_EQ(told[1].problem, "");
    EXPECT_TRUE(redeliver(run_, "table", [](const Adopted&) {}, [](const Delivered&) {}).value());
}

// The folder may be anybody's: its author could lead a sink to any folder of whoever syncs it.
TEST_F(RedeliveryTest, FindingS15_NothingIsWrittenThroughALinkInASinksUsualPlace) {
    note("csv", "CSVLogger");
    const std::string outside = folder_.file("outside");
    std::filesystem::create_directories(outside);
    std::filesystem::create_directory_symlink(outside, run_.folder + "/csv");
    std::vector<Delivered> told;
    const auto deliver = [&] {
        told.clear();
        return redeliver(
                   run_, "", [](const Adopted&) {},
                   [&](const Delivered& one) { told.push_back(one); })
            .value();
    };
    EXPECT_FALSE(deliver());
    ASSERT_EQ(told.size(), 1u);
    EXPECT_THAT(told[0].problem, HasSubstr("csv is a link"));
    EXPECT_TRUE(std::filesystem::is_empty(outside));

    std::filesystem::remove(run_.folder + "/csv");
    std::filesystem::create_directories(run_.folder + "/csv");
    std::filesystem::create_symlink(outside + "/made", run_.folder + "/csv/metrics.csv");
    EXPECT_FALSE(deliver());
    EXPECT_THAT(told[0].problem, HasSubstr("metrics.csv is a link"));
    EXPECT_TRUE(std::filesystem::is_empty(outside));

    std::filesystem::remove(run_.folder + "/csv/metrics.csv");
    EXPECT_TRUE(deliver()) << told[0].problem;
}

// What sinks keep beside their cursors comes with the folder too. A pipe there would be waited for
// for ever, /dev/zero read until memory ends.
TEST_F(RedeliveryTest, FindingS12_WhatSinksKeepIsReadLikeAnyFileOfARun) {
    const std::string cursors = run_.folder + "/cursors";
    const auto remove_all = [&](std::string_view ending) {
        std::string last;
        for (const io::DirectoryEntry& entry : io::list(cursors).value()) {
            if (entry.name.ends_with(ending)) {
                last = io::join(cursors, entry.name);
                std::filesystem::remove(last);
            }
        }
        return last;
    };
    for (const std::string type : {"tensorboard", "wandb", "comet"}) {
        OptionMap options = {{"log_dir", folder_.file("logs")}};
        if (type == "wandb") {
            options.emplace_back("mode", "offline");
        }
        ASSERT_TRUE(add_destination(run_, type, options).ok()) << type;
        const auto deliver = [&] {
            return redeliver(run_, type, [](const Adopted&) {}, [](const Delivered&) {}).value();
        };
        ASSERT_TRUE(deliver()) << type;
        const std::string kept = remove_all(".state");
        ASSERT_NE(kept, "") << type;
        for (const bool is_pipe : {true, false}) {
            remove_all(".state"), remove_all(".cursor"), remove_all(".closed");
            if (is_pipe) {
                ASSERT_EQ(mkfifo(kept.c_str(), 0600), 0);
            } else {
                std::filesystem::create_symlink("/dev/zero", kept);
            }
            EXPECT_TRUE(deliver()) << type;
            EXPECT_EQ(std::filesystem::symlink_status(kept).type(),
                      std::filesystem::file_type::regular)
                << type << ": it keeps its own again";
        }
        remove_all(".state"), remove_all(".cursor"), remove_all(".closed");
        remove_all(".attached"), remove_all(".sink");
    }
}

TEST_F(RedeliveryTest, SecretsAreNotNoted) {
    note("csv", "csv", {{"api_key", "hunter2hunter2"}, {"log_dir", "/x"}});
    const auto noted = noted_sinks(run_.folder);
    ASSERT_EQ(noted.size(), 1u);
    EXPECT_EQ(noted[0].options, (OptionMap{{"log_dir", "/x"}}));
}

}  // namespace
}  // namespace taffrail::transfer
