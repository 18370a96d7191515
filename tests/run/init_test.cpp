// What opening a run asks the disk, counted: replaces readdir, so it stands alone.
#include <taffrail/run.h>

#include "io/temporary_folder.h"

#include <dirent.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace {

std::atomic<std::uint64_t> entries_read{0};

}  // namespace

extern "C" dirent* readdir(DIR* folder) {
    static const auto real = reinterpret_cast<dirent* (*)(DIR*)>(dlsym(RTLD_NEXT, "readdir"));
    entries_read.fetch_add(1);
    return real(folder);
}

namespace taffrail {
namespace {

std::uint64_t entries_read_by_init(const test::TemporaryFolder& folder, const std::string& root) {
    RunOptions options;
    options.root = folder.file(root);
    options.environment = false;
    options.machine_load.reset();
    options.seal_on_finish = false;
    const std::uint64_t before = entries_read.load();
    Run run = Run::open(options).value();
    const std::uint64_t read = entries_read.load() - before;
    EXPECT_TRUE(run.finish().ok());
    return read;
}

TEST(Init, FindingG15_IsFlatInTheNumberOfRuns) {
    const test::TemporaryFolder folder;
    (void)entries_read_by_init(folder, "store");
    const std::uint64_t before = entries_read.load();
    ASSERT_TRUE(io::list(folder.file("store/runs")).ok());
    ASSERT_GT(entries_read.load(), before) << "what is read is counted";
    const std::uint64_t few = entries_read_by_init(folder, "store");
    for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE(
            io::make_directories(folder.file("store/runs/x" + std::to_string(i) + "-other/live"))
                .ok());
    }
    EXPECT_EQ(entries_read_by_init(folder, "store"), few);
}

}  // namespace
}  // namespace taffrail
