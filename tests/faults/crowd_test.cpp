// Many of everything: writers, keys, threads, forks; and copies taken while a run is written. Every
// value is f(who, number). TAFFRAIL_FULL starts 100,000 threads instead of 20,000.
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "faults/bare_options.h"
#include "io/temporary_folder.h"
#include "record/fake_sink.h"
#include "store/run_reader.h"
#include "store/sealing.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

double oracle(std::int64_t who, Step step) {
    return static_cast<double>(who * 100'000 + step) * 1.0000001;
}

class Crowds : public testing::Test {
  protected:
    using Run = taffrail::Run;

    RunOptions options() const {
        RunOptions made = test::bare_options(folder_.file("store"), "crowd");
        made.ring_bytes = 64 << 10;
        return made;
    }

    std::shared_ptr<RecordedRun> reader() const {
        return read(folder_.file("store")).value()->run("crowd").value();
    }

    test::TemporaryFolder folder_;
};

TEST_F(Crowds, TwoHundredAndFiftySixWritersShareARun) {
    constexpr int kWriters = 256;
    constexpr Step kRows = 40;
    std::vector<pid_t> children;
    for (int rank = 0; rank < kWriters; ++rank) {
        const pid_t child = fork();
        if (child == 0) {
            setenv("TAFFRAIL_RUN_ID", "crowd", 1);
            RunOptions joined = options();
            joined.id.clear();
            joined.rank = rank;
            joined.world_size = kWriters;
            joined.seal_on_finish = false;
            Run run = init(joined);
            for (Step step = 0; step < kRows; ++step) {
                run.log("loss", oracle(rank, step), step);
            }
            _exit(run.active() && run.finish().ok() ? 0 : 1);
        }
        ASSERT_GT(child, 0);
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
    const auto check = [&] {
        const auto points = reader()->points("loss").value();
        ASSERT_EQ(points.size(), std::size_t{kWriters} * kRows);
        std::set<std::pair<std::int32_t, Step>> seen;
        std::set<std::uint64_t> writers;
        for (const Point& point : points) {
            ASSERT_EQ(point.value, oracle(point.rank, point.step));
            ASSERT_TRUE(seen.emplace(point.rank, point.step).second);
            writers.insert(point.writer);
        }
        EXPECT_EQ(writers.size(), std::size_t{kWriters});
        EXPECT_EQ(reader()->info().attempts, 1u);
    };
    const auto runs = io::list(folder_.file("store/runs")).value();
    ASSERT_EQ(runs.size(), 1u) << "all of them met";
    check();
    const std::string run_folder = folder_.file("store/runs/" + runs[0].name);
    ASSERT_TRUE(store::seal_finished(run_folder).ok());
    ASSERT_GT(store::drop_sealed_logs(run_folder, 0ns).value(), 0u);
    check();
}

TEST_F(Crowds, AHundredThousandKeysComeBack) {
    constexpr int kKeys = 100'000;
    Run run = Run::open(options()).value();
    for (int i = 0; i < kKeys; ++i) {
        run.log("key/" + std::to_string(i), oracle(i, 0), i);
    }
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(run.stats().gaps, 0u);
    const auto back = reader();
    ASSERT_EQ(back->keys().size(), std::size_t{kKeys});
    std::size_t seen = 0;
    ASSERT_TRUE(back->for_each([&](const Record& record) {
                        const int number = std::atoi(std::string(record.key.substr(4)).c_str());
                        seen += record.scalar == oracle(number, 0) && record.step == number;
                        return true;
                    })
                    .ok());
    EXPECT_EQ(seen, std::size_t{kKeys});
    EXPECT_EQ(back->points("key/77777").value().at(0).value, oracle(77777, 0));
}

TEST_F(Crowds, ShortThreadsLoseNothingAndReuseTheirRings) {
    const int threads = std::getenv("TAFFRAIL_FULL") != nullptr ? 100'000 : 20'000;
    Run run = Run::open(options()).value();
    Scalar x = run.scalar("x");
    std::size_t most_rings = 0;
    for (int first = 0; first < threads; first += 8) {
        std::vector<std::thread> some;
        for (int number = first; number < first + 8; ++number) {
            some.emplace_back([&x, number] {
                x.log(oracle(1, number), number);
                x.log(oracle(2, number), number);
            });
        }
        for (auto& thread : some) {
            thread.join();
        }
        if (first % 64 == 56) {
            // However slow the collector is, now it has emptied what these 64 threads left.
            ASSERT_TRUE(run.flush().ok());
        }
        if (first % 8000 == 0) {
            most_rings =
                std::max(most_rings, io::list(io::join(run.folder(), "ring")).value().size());
        }
    }
    ASSERT_TRUE(run.finish().ok());
    EXPECT_LE(most_rings, 80u);
    std::map<Step, int> seen;
    for (const Point& point : reader()->points("x").value()) {
        ++seen[point.step];
        ASSERT_TRUE(point.value == oracle(1, point.step) || point.value == oracle(2, point.step));
    }
    ASSERT_EQ(static_cast<int>(seen.size()), threads);
    for (const auto& [step, count] : seen) {
        ASSERT_EQ(count, 2) << step;
    }
}

// A child writes its own log; the sinks of the process that opened the run receive that too.
TEST_F(Crowds, ForksLogOnBothSidesAndEachIsKept) {
    auto content = std::make_shared<test::SinkContent>();
    Run run = Run::open(options()).value();
    ASSERT_TRUE(run.add_sink(std::make_unique<test::FakeSink>(content), "fake").ok());
    Scalar x = run.scalar("x");
    x.log(oracle(0, 0), 0);
    constexpr int kChildren = 4;
    constexpr Step kRows = 2000;
    std::vector<pid_t> children;
    for (int number = 1; number <= kChildren; ++number) {
        const pid_t child = fork();
        if (child == 0) {
            for (Step step = 0; step < kRows; ++step) {
                x.log(oracle(number, step), step);
            }
            run.log("child/" + std::to_string(number), number, 0);
            run.log_text("child/text", std::string(20'000, 'c'), number);
            if (number % 2 == 0) {
                _exit(run.finish().ok() ? 0 : 1);
            }
            _exit(0);  // leaves its rings: the parent's end, or the next reader, has to find them
        }
        children.push_back(child);
        for (Step step = (number - 1) * kRows + 1; step <= number * kRows; ++step) {
            x.log(oracle(0, step), step);
        }
    }
    for (const pid_t child : children) {
        int status = 1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
    ASSERT_TRUE(run.finish().ok());
    const auto back = reader();
    EXPECT_EQ(back->info().state, RunState::Finished);
    EXPECT_FALSE(io::exists(io::join(run.folder(), "ring")));
    std::map<std::uint64_t, std::set<double>> by_writer;
    for (const Point& point : back->points("x").value()) {
        ASSERT_TRUE(by_writer[point.writer].insert(point.value).second) << "doubled";
    }
    ASSERT_EQ(by_writer.size(), kChildren + 1u);
    std::set<double> all;
    for (auto& [writer, values] : by_writer) {
        all.merge(values);
    }
    std::set<double> expected;
    for (Step step = 0; step <= kChildren * kRows; ++step) {
        expected.insert(oracle(0, step));
    }
    for (int number = 1; number <= kChildren; ++number) {
        for (Step step = 0; step < kRows; ++step) {
            expected.insert(oracle(number, step));
        }
        EXPECT_EQ(back->points("child/" + std::to_string(number)).value().size(), 1u);
    }
    EXPECT_EQ(all.size(), expected.size());
    EXPECT_TRUE(all == expected);
    EXPECT_EQ(back->entries("child/text").value().size(), std::size_t{kChildren});
    // The sink has the same, once each, and what one process logged in its order.
    std::map<std::uint64_t, std::vector<double>> taken;
    std::map<std::string, int> others;
    for (std::size_t i = 0; i < content->keys.size(); ++i) {
        if (content->keys[i] == "x") {
            taken[content->writers[i]].push_back(content->values[i]);
        } else {
            ++others[content->keys[i]];
        }
    }
    ASSERT_EQ(taken.size(), kChildren + 1u);
    std::multiset<double> all_taken;
    for (const auto& [writer, values] : taken) {
        EXPECT_TRUE(std::ranges::is_sorted(values)) << writer;
        all_taken.insert(values.begin(), values.end());
    }
    EXPECT_TRUE(std::ranges::equal(all_taken, expected));
    EXPECT_EQ(others["child/text"], kChildren);
    for (int number = 1; number <= kChildren; ++number) {
        EXPECT_EQ(others["child/" + std::to_string(number)], 1);
    }
}

void copy_tree(const std::string& from, const std::string& to) {
    ASSERT_TRUE(io::make_directories(to).ok());
    const auto entries = io::list(from);
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (entry.type == io::EntryType::Directory) {
            copy_tree(io::join(from, entry.name), io::join(to, entry.name));
        } else if (const auto bytes = io::read_file(io::join(from, entry.name)); bytes.ok()) {
            ASSERT_TRUE(io::write_file_atomically(io::join(to, entry.name), *bytes, false).ok());
        }
    }
}

// A copy is not taken in one moment, so an early file may be older than a late one. What is in it
// is right, and what lies between two files is named.
TEST_F(Crowds, CopiesTakenWhileLiveAreRightAndNameWhatTheyLack) {
    RunOptions rolling = options();
    rolling.roll_bytes = 16 << 10;
    Run run = Run::open(rolling).value();
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        Row row = run.row("a", "b");
        for (Step step = 0; !stop && step < 400'000; ++step) {
            row.log(step, oracle(1, step), oracle(2, step));
            if (step % 256 == 255) {
                std::this_thread::sleep_for(500us);
            }
        }
    });
    for (int number = 0; number < 20 && !HasFailure(); ++number) {
        (void)run.flush();
        const std::string copy = folder_.file("copy-" + std::to_string(number));
        copy_tree(run.folder(), copy);
        const auto back = store::RunReader::open(copy).value();
        Step missing = 0, named = 0;
        for (const char* key : {"a", "b"}) {
            const auto points = back->points(key);  // unknown while nothing was logged
            Step next = 0;
            for (const Point& point : points.ok() ? *points : std::vector<Point>()) {
                EXPECT_EQ(point.value, oracle(*key == 'a' ? 1 : 2, point.step)) << key;
                EXPECT_GE(point.step, next) << key;
                missing += point.step - next;
                next = point.step + 1;
            }
        }
        for (const Damage& damage : back->damage()) {
            named += static_cast<Step>(damage.last_seq - damage.first_seq) + 1;
        }
        EXPECT_EQ(missing, 2 * named) << "rows of two values";
        (void)io::remove_tree(copy);
    }
    stop = true;
    writer.join();
    ASSERT_TRUE(run.finish().ok());
}

}  // namespace
}  // namespace taffrail
