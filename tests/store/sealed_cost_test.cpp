// What questions about a sealed series read: a few pages, whatever its length.
#include "io/counting_file_system.h"
#include "io/temporary_folder.h"
#include "store/layout.h"
#include "store/run_reader.h"
#include "store/sample_batch.h"
#include "store/sealing.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <vector>

namespace taffrail::store {
namespace {

class SealedCost : public testing::Test {
  protected:
    static constexpr std::size_t kRows = 120'000;

    SealedCost() {
        make_root(root_).value();
        folder_ = make_run_folder(root_, "01LONG", "run").value();
        auto log = open_log(folder_, sample_identity(7)).value();
        log->append(sample_definitions()).value();
        for (std::size_t row = 0; row < kRows; row += 4000) {
            log->append(SampleRows(7, row, 4000).batch()).value();
        }
        log->close(RunState::Finished).value();
        seal_finished(folder_).value();
        drop_sealed_logs(folder_, std::chrono::nanoseconds(0), INT64_MAX).value();
    }

    test::TemporaryFolder temporary_;
    const std::string root_ = temporary_.file("root");
    std::string folder_;
};

// A hover asks where a point stands on every axis; for epochs nobody logged, everything was read.
TEST_F(SealedCost, FindingG09_AbsentEpochsAndSamplesAreKnownWithoutReading) {
    const auto counting = test::CountingFileSystem::install();
    const auto run = RunReader::open("counting://" + folder_).value();
    BinRequest request;
    request.width = 512;
    const Bins steps = run->bins("train/loss", request).value();
    ASSERT_EQ(steps.points, kRows / 4 * 3);
    const std::uint64_t before = counting->bytes;
    for (const Axis axis : {Axis::Epoch, Axis::Samples}) {
        request.axis = axis;
        const Bins bins = run->bins("train/loss", request).value();
        EXPECT_EQ(bins.points, 0u);
        EXPECT_EQ(bins.outside, steps.points) << "points without a place are counted as before";
        EXPECT_EQ(bins.size(), 0u);
    }
    EXPECT_EQ(counting->bytes, before) << "not one byte";
}

TEST_F(SealedCost, FindingG09_LiveSeriesWithoutEpochsKeepNoSortedCopyEither) {
    const std::string folder = make_run_folder(root_, "01LIVE", "run").value();
    auto log = open_log(folder, sample_identity(8)).value();
    log->append(sample_definitions()).value();
    log->append(SampleRows(8, 0, 4000).batch()).value();
    const auto run = RunReader::open(folder).value();
    BinRequest request;
    request.axis = Axis::Epoch;
    const Bins bins = run->bins("train/loss", request).value();
    EXPECT_EQ(bins.points, 0u);
    EXPECT_EQ(bins.outside, 3000u);
}

// Every sealed file kept a descriptor for as long as its run was open.
TEST_F(SealedCost, FindingG07_OpenRunsShareFewDescriptors) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit few = before;
    few.rlim_cur = 64;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    std::vector<std::shared_ptr<RunReader>> open;
    for (int i = 0; i < 100; ++i) {
        auto run = RunReader::open(folder_);
        ASSERT_TRUE(run.ok()) << i << ": " << run.error().message;
        open.push_back(*std::move(run));
    }
    for (const auto& run : open) {
        EXPECT_EQ(run->points("lone").value().size(), kRows / 4);
    }
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST_F(SealedCost, FindingG02_ReadersOfOneRunNeverShareARevision) {
    const auto first = RunReader::open(folder_).value();
    const std::uint64_t revision = first->revision();
    EXPECT_GT(RunReader::open(folder_).value()->revision(), revision + 1000)
        << "what was kept for an earlier reader must not be taken for this one's";
}

}  // namespace
}  // namespace taffrail::store
