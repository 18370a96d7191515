// Runs whose folders somebody else made are resumed where they lie, and nowhere else.
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "io/files.h"
#include "io/temporary_folder.h"
#include "record/fake_sink.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace taffrail {
namespace {

using testing::HasSubstr;

class ResumedRuns : public testing::Test {
  protected:
    using Run = taffrail::Run;

    void SetUp() override {
        Run run = Run::open(options(Resume::Never)).value();
        run.log("loss", 1.0, 0);
        ASSERT_TRUE(run.finish().ok());
        run_folder_ = run.folder();
        std::filesystem::create_directories(outside_);
    }

    ~ResumedRuns() override { reset_diagnostics(); }

    RunOptions options(Resume resume) {
        RunOptions made;
        made.root = folder_.file("store");
        made.id = "01THEIRS";
        made.resume = resume;
        made.environment = false;
        made.machine_load.reset();
        return made;
    }

    /// What Must says when `part` of the run leads out of it.
    std::string refusal(const std::string& part) {
        const std::string place = run_folder_ + "/" + part, kept = folder_.file("kept");
        const bool was_there = std::filesystem::exists(place);
        if (was_there) {
            std::filesystem::rename(place, kept);
        }
        std::filesystem::create_directory_symlink(outside_, place);
        const auto resumed = Run::open(options(Resume::Must));
        const std::string said = resumed.ok() ? std::string() : resumed.error().message;
        std::filesystem::remove(place);
        if (was_there) {
            std::filesystem::rename(kept, place);
        }
        return said;
    }

    test::TemporaryFolder folder_;
    std::string outside_ = folder_.file("outside"), run_folder_;
};

TEST_F(ResumedRuns, FindingS01_WriteNothingThroughLinks) {
    for (const char* part : {"live", "meta", "blobs", "data", "ring", "cursors", "profiles"}) {
        EXPECT_THAT(refusal(part), HasSubstr(std::string(part) + " is a link")) << part;
        EXPECT_TRUE(std::filesystem::is_empty(outside_)) << part;
    }
    // People link whole runs into one place to compare them: those are read there.
    const std::string moved = folder_.file("moved");
    std::filesystem::rename(run_folder_, moved);
    std::filesystem::create_directory_symlink(moved, run_folder_);
    const auto resumed = Run::open(options(Resume::Must));
    ASSERT_FALSE(resumed.ok());
    EXPECT_THAT(resumed.error().message, HasSubstr("name the place it leads to"));
    std::filesystem::remove(run_folder_);
    std::filesystem::rename(moved, run_folder_);
    EXPECT_TRUE(Run::open(options(Resume::Must)).ok());
}

TEST_F(ResumedRuns, FindingS15_GiveNoSinkAPlaceThatLeadsOut) {
    SinkInfo info;
    info.name = "strange";
    info.class_name = "StrangeWriter";
    info.make = [](const OptionMap&) -> Result<std::unique_ptr<Sink>> {
        return std::unique_ptr<Sink>(
            std::make_unique<test::FakeSink>(std::make_shared<test::SinkContent>()));
    };
    register_sink(info);
    const std::string place = run_folder_ + "/strange";
    std::filesystem::create_directory_symlink(outside_, place);
    Run run = Run::open(options(Resume::Must)).value();
    for (const char* name : {"strange", "StrangeWriter"}) {
        const auto added = run.add_sink(name, {});
        ASSERT_FALSE(added.ok()) << name;
        EXPECT_THAT(added.error().message, HasSubstr("strange is a link"));
    }
    std::filesystem::remove(place);
    EXPECT_TRUE(run.add_sink("strange", {}).ok());
}

}  // namespace
}  // namespace taffrail
