// A training goes on, and is recorded, where the system gives the library no more threads.
#include <taffrail/run.h>

#include "store/run_reader.h"
#include "test_files.h"
#include "without_threads.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace taffrail {
namespace {

RunOptions options_in(const std::string& folder) {
    RunOptions options;
    options.root = folder + "/store";
    return options;
}

int log_pictures(const std::string& folder) {
    Run run = init(options_in(folder));
    test::forbid_threads();
    const std::array<std::uint8_t, 12> pixels{};
    for (int step = 0; step < 20; ++step) {
        run.log("loss", 0.5 * step, step);
        run.log_image("picture", {TensorView(pixels.data(), DType::U8, {2, 2, 3}), Layout::Hwc},
                      step);
    }
    return run.finish().ok() && run.stats().errors == 0 ? 0 : 1;
}

TEST(FewThreads, ValuesAreKeptWhereTheirEncoderFindsNoThread) {
    const test::TestFolder folder;
    ASSERT_EQ(test::as_a_user(folder.path(), [&] { return log_pictures(folder.path()); }), 0);
    const std::filesystem::directory_iterator runs(folder / "store/runs");
    const auto run = store::RunReader::open(runs->path().string()).value();
    EXPECT_EQ(run->points("loss").value().size(), 20u);
    EXPECT_EQ(run->entries("picture").value().size(), 20u);
    EXPECT_EQ(run->info().state, RunState::Finished);
}

int log_without_any(const std::string& folder) {
    test::forbid_threads();
    Run run = init(options_in(folder));
    run.log("loss", 1.0, 0);
    static_cast<void>(run.finish());
    return run.active() ? 1 : 0;
}

TEST(FewThreads, WithoutAnyTheProgramGoesOnUnrecorded) {
    const test::TestFolder folder;
    EXPECT_EQ(test::as_a_user(folder.path(), [&] { return log_without_any(folder.path()); }), 0);
}

}  // namespace
}  // namespace taffrail
