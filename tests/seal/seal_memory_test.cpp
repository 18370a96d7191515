// What sealing takes in memory: it follows a bound, not the length of the logs.
#include "io/temporary_folder.h"
#include "seal/log_maker.h"
#include "seal/seal.h"
#include "seal/sealed_reader.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace taffrail::seal {
namespace {

using testing::LogMaker;

std::vector<std::string> keys_of(std::size_t count) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < count; ++i) {
        keys.push_back("layer/" + std::to_string(i));
    }
    return keys;
}

std::string make_log(const std::string& folder, std::size_t keys, std::size_t rows_each) {
    io::make_directories(folder + "/live").value();
    tlog::FileIdentity identity;
    identity.run_id = "run";
    identity.writer = 7;
    LogMaker log(identity);
    log.set_recording(false);
    const std::size_t rows = keys * rows_each, portion = 32'000 / keys * keys;
    for (std::size_t done = 0; done < rows; done += portion) {
        log.lone(keys_of(keys), std::min(portion, rows - done), [](std::size_t key, Step step) {
            return std::sin(static_cast<double>(step) + static_cast<double>(key));
        });
    }
    log.end();
    const std::string path = folder + "/live/0000000000000007-00000.tlog";
    log.save(path);
    return path;
}

/// Kilobytes that sealing adds to the peak of a process.
long added_by_sealing(const std::string& folder, const std::string& log) {
    malloc_trim(0);  // what making the log left behind would be used again, and not be seen
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        // The peak of a forked process starts with what it inherits.
        rusage before{}, after{};
        getrusage(RUSAGE_SELF, &before);
        const bool sealed = seal_run(folder, std::span(&log, 1)).ok();
        getrusage(RUSAGE_SELF, &after);
        const long added = sealed ? after.ru_maxrss - before.ru_maxrss : -1;
        (void)!::write(ends[1], &added, sizeof added);
        _exit(0);
    }
    long added = -1;
    EXPECT_EQ(::read(ends[0], &added, sizeof added), static_cast<ssize_t>(sizeof added));
    waitpid(child, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    return added;
}

// The sealed file was read whole to publish it: eight to nine bytes a point.
TEST(SealingMemory, FindingG13_FiveTimesThePointsTakeNoMoreMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps memory of its own; the other builds measure it";
#endif
    const test::TemporaryFolder folder;
    const auto added = [&](const std::string& name, std::size_t points) {
        const std::string log = make_log(folder.file(name), 1, points);
        return added_by_sealing(folder.file(name), log);
    };
    const long few = added("few", 500'000), many = added("many", 3'000'000);
    EXPECT_GE(few, 0);
    EXPECT_LE(many, few + (12 << 10)) << "its file has 18 MB more";
}

// Many series of many points, each of which had a row group of its own in memory.
TEST(SealingMemory, FindingG13_StaysBelow64MegabytesForManyLongSeries) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps memory of its own; the other builds measure it";
#endif
    const test::TemporaryFolder folder;
    const std::string log = make_log(folder.file("run"), 40, 34'000);
    const long added = added_by_sealing(folder.file("run"), log);
    EXPECT_GE(added, 0);
    EXPECT_LE(added, 64 << 10);
}

// Very many series that are each too short for a table of their own.
TEST(SealingMemory, FindingG13_StaysBelow64MegabytesForManyShortSeries) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps memory of its own; the other builds measure it";
#endif
    const test::TemporaryFolder folder;
    const std::string run = folder.file("run");
    const std::string log = make_log(run, 1000, 600);
    EXPECT_LE(added_by_sealing(run, log), 64 << 10);
    const auto report = seal_run(run, std::span(&log, 1)).value();
    EXPECT_EQ(report.points, 600'000u);
    const auto sealed = SealedRun::open(run, report.files);
    std::vector<double> values;
    for (const Point& point : sealed->points("layer/17").value()) {
        values.push_back(point.value);
    }
    EXPECT_EQ(values.size(), 600u) << "a series in several long tables is whole";
    EXPECT_EQ(sealed->keys().size(), 1000u);
}

}  // namespace
}  // namespace taffrail::seal
