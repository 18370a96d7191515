// A run that goes on while its rolled logs are sealed, and what finish() leaves to `seal`.
#include "run/rolling_seal.h"

#include <taffrail/run.h>
#include <taffrail/sink.h>

#include "base/diagnostics.h"
#include "io/temporary_folder.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/run_reader.h"
#include "store/seal_portions.h"
#include "store/sealing.h"

#include <gtest/gtest.h>

#include <mutex>
#include <string>
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
    ASSERT_GT(store::list_logs(run.folder()).size(), 5u);
    // Until something is sealed, however slow the machine is.
    for (int tries = 0; tries < 6000 && !store::read_manifest(run.folder()); ++tries) {
        std::this_thread::sleep_for(50ms);
    }
    const auto manifest = store::read_manifest(run.folder());
    ASSERT_TRUE(manifest) << step;
    EXPECT_FALSE(manifest->logs.empty());
    EXPECT_EQ(store::RunReader::open(run.folder()).value()->points("loss")->size(),
              static_cast<std::size_t>(step));
    ASSERT_TRUE(run.finish().ok());
    const auto reader = store::RunReader::open(run.folder()).value();
    EXPECT_EQ(reader->points("loss")->size(), static_cast<std::size_t>(step));
    EXPECT_EQ(reader->info().state, RunState::Finished);
    EXPECT_EQ(store::read_manifest(run.folder())->logs.size(),
              store::list_logs(run.folder()).size())
        << "finish() seals the rest";
}

/// A back end that is still busy when the time for finishing is over.
class BusySink final : public Sink {
  public:
    explicit BusySink(std::chrono::milliseconds busy) : busy_(busy) {}

    Result<void> open(const SinkContext&) override { return {}; }

    Result<void> write(std::span<const Record> records, std::size_t& delivered) override {
        delivered = records.size();
        return {};
    }

    Result<void> flush() override { return {}; }

    Result<void> close(RunState) override {
        std::this_thread::sleep_for(busy_);
        return {};
    }

    [[nodiscard]] bool accepts(Kind) const noexcept override { return true; }

  private:
    std::chrono::milliseconds busy_;
};

TEST(RollingSeals, FindingG12_WhatFinishHasNoTimeForIsSaidAndSealGoesOn) {
    const test::TemporaryFolder folder;
    RunOptions options = small_logs(folder);
    options.roll_bytes = 64 << 20;  // nothing rolls: everything is left to finish()
    options.finish_timeout = 2s;
    std::mutex mutex;
    std::string said;
    auto before = set_diagnostic_handler([&](DiagnosticLevel, std::string_view line) {
        const std::lock_guard guard(mutex);
        said.append(line).append("\n");
    });
    std::string run_folder;
    {
        taffrail::Run run = taffrail::Run::open(options).value();
        run_folder = run.folder();
        ASSERT_TRUE(run.add_sink(std::make_unique<BusySink>(2100ms), "busy").ok());
        for (Step step = 0; step < 1000; ++step) {
            run.log("loss", 0.5, step);
        }
        ASSERT_TRUE(run.flush().ok());
        (void)run.finish();
    }
    set_diagnostic_handler(std::move(before));
    EXPECT_NE(said.find("1 of its logs are not sealed within finish_timeout: `taffrail seal " +
                        run_folder + "` goes on"),
              std::string::npos)
        << said;
    EXPECT_FALSE(store::read_manifest(run_folder));
    EXPECT_EQ(store::RunReader::open(run_folder).value()->points("loss")->size(), 1000u);
    EXPECT_EQ(store::seal_finished(run_folder).value().points, 1000u);
    EXPECT_TRUE(store::read_manifest(run_folder));
}

}  // namespace
}  // namespace taffrail
