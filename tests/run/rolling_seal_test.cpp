// A run that goes on while its rolled logs are sealed, and what finish() leaves to `seal`.
#include "run/rolling_seal.h"

#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "io/temporary_folder.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/run_reader.h"
#include "store/seal_portions.h"

#include <gtest/gtest.h>

#include <thread>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

RunOptions small_logs(const test::TemporaryFolder& folder) {
    RunOptions options;
    options.root = folder.file("store");
    options.environment = false;
    options.machine_load.reset();
    options.roll_bytes = 64 << 10;
    return options;
}

TEST(RollingSeals, FindingG12_HappenWhileTheRunGoesOn) {
    const test::TemporaryFolder folder;
    taffrail::Run run = taffrail::Run::open(small_logs(folder)).value();
    Scalar loss = run.scalar("loss");
    Step step = 0;
    std::uint64_t random = 1;
    for (int part = 0; part < 20; ++part) {
        for (int i = 0; i < 20'000; ++i) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            loss.log(static_cast<double>(random >> 11), step++);
        }
        ASSERT_TRUE(run.flush().ok());
    }
    ASSERT_GT(storage::list_logs(run.folder()).size(), 5u);
    // Until something is sealed, however slow the machine is.
    for (int tries = 0; tries < 6000 && !storage::read_manifest(run.folder()); ++tries) {
        std::this_thread::sleep_for(50ms);
    }
    const auto manifest = storage::read_manifest(run.folder());
    ASSERT_TRUE(manifest) << step;
    EXPECT_FALSE(manifest->logs.empty());
    EXPECT_EQ(storage::RunReader::open(run.folder()).value()->points("loss")->size(),
              static_cast<std::size_t>(step));
    ASSERT_TRUE(run.finish().ok());
    const auto reader = storage::RunReader::open(run.folder()).value();
    EXPECT_EQ(reader->points("loss")->size(), static_cast<std::size_t>(step));
    EXPECT_EQ(reader->info().state, RunState::Finished);
    EXPECT_EQ(storage::read_manifest(run.folder())->logs.size(),
              storage::list_logs(run.folder()).size())
        << "finish() seals the rest";
}

}  // namespace
}  // namespace taffrail
