// kill -9 while a run is sealed and while sealed logs are dropped: whatever is left reads as
// before. 100 trials, 1,000 with TAFFRAIL_FULL.
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "io/temporary_folder.h"
#include "store/sealing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

constexpr int kSeries = 4;
constexpr Step kRows = 6000;
constexpr Step kTexts = 60;

double oracle(int series, Step step) {
    return static_cast<double>(step * 8 + series) * 1.0000001;
}

std::string text_at(Step step) {
    return "text " + std::to_string(step) + std::string(static_cast<std::size_t>(step) * 40, '.');
}

// Every file below a folder, by its path there.
std::map<std::string, Bytes> files_below(const std::string& folder,
                                         const std::string& prefix = {}) {
    std::map<std::string, Bytes> files;
    for (const auto& entry : io::list(io::join(folder, prefix)).value()) {
        const std::string path = prefix.empty() ? entry.name : prefix + '/' + entry.name;
        if (entry.type == io::EntryType::Directory) {
            files.merge(files_below(folder, path));
        } else {
            files[path] = io::read_file(io::join(folder, path)).value();
        }
    }
    return files;
}

class SealKills : public testing::Test {
  protected:
    void SetUp() override {
        RunOptions options;
        options.root = folder_.file("store");
        options.id = "sealed";
        options.roll_bytes = 32 << 10;  // several files
        options.flush_interval = 5ms;
        options.environment = false;
        options.machine_load.reset();
        options.seal_on_finish = false;
        taffrail::Run run = taffrail::Run::open(options).value();
        Row row = run.row("s0", "s1", "s2", "s3");
        for (Step step = 0; step < kRows; ++step) {
            row.log(step, oracle(0, step), oracle(1, step), oracle(2, step), oracle(3, step));
            if (step % (kRows / kTexts) == 0) {
                const Step number = step / (kRows / kTexts);
                run.log_text("text", text_at(number), number);
                (void)run.flush();
            }
        }
        ASSERT_TRUE(run.finish().ok());
        run_folder_ = run.folder();
        before_ = files_below(run_folder_);
        expect_everything();
    }

    void restore() {
        ASSERT_TRUE(io::remove_tree(run_folder_).ok());
        for (const auto& [path, bytes] : before_) {
            const std::string url = io::join(run_folder_, path);
            ASSERT_TRUE(io::make_directories(io::parent(url)).ok());
            ASSERT_TRUE(io::write_file_atomically(url, bytes, false).ok());
        }
    }

    void seal_and_drop() const {
        (void)storage::seal_finished(run_folder_);
        (void)storage::drop_sealed_logs(run_folder_, 0ns);
    }

    void expect_everything() {
        const auto run = read(folder_.file("store")).value()->run("sealed").value();
        for (int series = 0; series < kSeries; ++series) {
            const auto points = run->points("s" + std::to_string(series)).value();
            ASSERT_EQ(static_cast<Step>(points.size()), kRows) << "series " << series;
            for (Step step = 0; step < kRows; ++step) {
                const Point& point = points[static_cast<std::size_t>(step)];
                ASSERT_EQ(point.step, step);
                ASSERT_EQ(point.value, oracle(series, step));
            }
        }
        const auto texts = run->entries("text").value();
        ASSERT_EQ(static_cast<Step>(texts.size()), kTexts);
        for (Step number = 0; number < kTexts; ++number) {
            ASSERT_EQ(std::get<Text>(*texts[static_cast<std::size_t>(number)].value).text,
                      text_at(number));
        }
        ASSERT_TRUE(run->damage().empty()) << run->damage()[0].reason;
    }

    test::TemporaryFolder folder_;
    std::string run_folder_;
    std::map<std::string, Bytes> before_;
    std::mt19937_64 random_{std::random_device{}()};
};

TEST_F(SealKills, ChangeNothingForReaders) {
    const auto start = std::chrono::steady_clock::now();
    seal_and_drop();
    const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - start);
    ASSERT_TRUE(io::list(io::join(run_folder_, "live")).value().empty());
    expect_everything();
    const int trials = std::getenv("TAFFRAIL_FULL") != nullptr ? 1000 : 100;
    int interrupted = 0;
    for (int trial = 0; trial < trials && !HasFatalFailure(); ++trial) {
        SCOPED_TRACE("trial " + std::to_string(trial));
        restore();
        const pid_t child = fork();
        if (child == 0) {
            seal_and_drop();
            _exit(0);
        }
        usleep(std::uniform_int_distribution<useconds_t>(
            0, static_cast<useconds_t>(whole.count() * 3 / 2))(random_));
        kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        interrupted += WIFSIGNALED(status);
        expect_everything();
        // The next one finds the remains, finishes the work, and the logs are gone.
        seal_and_drop();
        expect_everything();
        ASSERT_TRUE(io::list(io::join(run_folder_, "live")).value().empty());
    }
    EXPECT_GT(interrupted, trials / 4);
}

// What a killed sealer wrote under names of its own goes after an hour, not while another may work.
TEST_F(SealKills, LeaveRemainsThatGoAfterAnHour) {
    const std::string data = io::join(run_folder_, "data");
    ASSERT_TRUE(io::make_directories(data).ok());
    const std::string old_one = io::join(data, ".part-0.parquet.77.tmp");
    const std::string new_one = io::join(data, ".part-0.parquet.78.tmp");
    for (const std::string& path : {old_one, new_one}) {
        ASSERT_TRUE(io::write_file_atomically(path, as_bytes("half"), false).ok());
    }
    timespec times[2]{};
    clock_gettime(CLOCK_REALTIME, &times[1]);
    times[1].tv_sec -= 2 * 3600;
    times[0] = times[1];
    ASSERT_EQ(utimensat(AT_FDCWD, old_one.c_str(), times, 0), 0);
    seal_and_drop();
    EXPECT_FALSE(io::exists(old_one));
    EXPECT_TRUE(io::exists(new_one));
    expect_everything();
}

}  // namespace
}  // namespace taffrail
