// Power cuts: the writes and syncs of a whole run are recorded, then replayed up to every point
// with every loss a disk may suffer there. What commit() or finish() promised before that point is
// on each of those disks, and no disk shows a wrong or doubled value.
//
// Every prefix; with TAFFRAIL_FULL every single loss at every prefix, all pairs (about 320,000) and
// 10,000 random sets, else the single losses of every fifth prefix and 2,000 of the others.
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "faults/disk_trace.h"
#include "io/temporary_folder.h"
#include "store/run_reader.h"
#include "store/sealing.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace taffrail {
namespace {

using namespace std::chrono_literals;
using test::TraceUnit;

constexpr Step kRounds = 12, kRowsARound = 20;
constexpr std::uint64_t kBlock = 1024;

double oracle(int series, Step step) {
    return static_cast<double>(step * 4 + series) * 1.0000001;
}

std::string text_of(Step round) {
    return "round " + std::to_string(round) +
           std::string(static_cast<std::size_t>(round) * 300, 'x');
}

std::vector<std::uint8_t> pixels_of(Step round) {
    std::vector<std::uint8_t> pixels(24 * 24);
    std::mt19937 random(static_cast<unsigned>(round));
    for (auto& pixel : pixels) {
        pixel = static_cast<std::uint8_t>(random());
    }
    return pixels;
}

class PowerCuts : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = new test::TemporaryFolder;
        auto calls = io::FaultCalls::instance();
        RunOptions options;
        options.root = "fault://" + folder_->file("store");
        options.id = "cut";
        options.environment = false;
        options.machine_load.reset();
        options.flush_interval = 2ms;
        options.roll_bytes = 4 << 10;
        calls->start_trace();
        std::string run_folder;
        {
            taffrail::Run run = taffrail::Run::open(options).value();
            run_folder = run.folder();
            Row row = run.row("a", "b");
            for (Step round = 0; round < kRounds; ++round) {
                for (Step i = 0; i < kRowsARound; ++i) {
                    const Step step = round * kRowsARound + i;
                    row.log(step, oracle(0, step), oracle(1, step));
                }
                run.log_text("text", text_of(round), round);
                const auto pixels = pixels_of(round);
                run.log_image("image",
                              {TensorView(pixels.data(), DType::U8, {24, 24}), Layout::Hwc}, round);
                // Some rounds are promised, some merely written, so that losses have something to
                // hit.
                if (round % 3 == 2) {
                    ASSERT_TRUE(run.commit().ok());
                    acknowledge(round + 1);
                } else {
                    ASSERT_TRUE(run.flush().ok());
                }
            }
            ASSERT_TRUE(run.finish().ok());
            acknowledge(kRounds);
        }
        ASSERT_GT(store::drop_sealed_logs(run_folder, 0ns).value(), 0u);
        trace_ = new test::DiskTrace(calls->stop_trace(), kBlock);
        run_path_ = run_folder.substr(std::string("fault://").size());
    }

    static void TearDownTestSuite() {
        delete trace_;
        delete folder_;
    }

    void SetUp() override {
        before_ = set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    }

    void TearDown() override {
        set_diagnostic_handler(before_);
        reset_diagnostics();
    }

    // A file of that name in the trace: everything before it was told to be safe.
    static void acknowledge(Step rounds) {
        (void)io::open("fault://" + folder_->file("ack-" + std::to_string(rounds)),
                       io::OpenMode::CreateOrOpen);
    }

    static Step promised(std::size_t count) {
        Step rounds = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string& path = trace_->entries()[i].path;
            if (const std::size_t at = path.rfind("/ack-"); at != std::string::npos) {
                rounds = std::max<Step>(rounds, std::atoll(path.c_str() + at + 5));
            }
        }
        return rounds;
    }

    void check(std::size_t count, const std::vector<TraceUnit>& lost) {
        ++checked_;
        const Step rounds = promised(count);
        static std::uint64_t number = 0;
        const std::string root = "memory://power/" + std::to_string(number++);
        bool any = false;
        for (const auto& [path, bytes] : trace_->disk(count, lost)) {
            if (path.starts_with(run_path_ + "/")) {
                const std::string url = io::join(root, path.substr(run_path_.size() + 1));
                ASSERT_TRUE(io::make_directories(io::parent(url)).ok());
                ASSERT_TRUE(io::write_file_atomically(url, bytes, false).ok());
                any = true;
            }
        }
        if (any) {
            expect_promised(root, rounds);
        } else {
            ASSERT_EQ(rounds, 0);
        }
        (void)io::remove_tree(root);
        if (HasFatalFailure()) {
            std::string what;
            for (const TraceUnit& unit : lost) {
                const io::TraceEntry& entry = trace_->entries()[unit.entry];
                what += "\n  entry " + std::to_string(unit.entry) + " operation " +
                        std::to_string(static_cast<int>(entry.operation)) + " " +
                        entry.path.substr(entry.path.rfind('/')) + " bytes " +
                        std::to_string(unit.begin) + "…" + std::to_string(unit.end);
            }
            ADD_FAILURE() << "after " << count << " of " << trace_->entries().size()
                          << " entries, lost:" << what;
        }
    }

    static void expect_promised(const std::string& folder, Step rounds) {
        const auto opened = store::RunReader::open(folder);
        if (!opened.ok()) {
            ASSERT_EQ(rounds, 0) << opened.error().message;
            return;
        }
        const auto& run = *opened;
        for (int series = 0; series < 2; ++series) {
            const auto points = run->points(series == 0 ? "a" : "b");
            std::set<Step> seen;
            for (const Point& point : points.ok() ? *points : std::vector<Point>()) {
                ASSERT_EQ(point.value, oracle(series, point.step));
                ASSERT_TRUE(seen.insert(point.step).second) << "doubled step " << point.step;
            }
            for (Step step = 0; step < rounds * kRowsARound; ++step) {
                ASSERT_TRUE(seen.contains(step)) << "series " << series << " lacks step " << step;
            }
        }
        const auto entries_of = [&](const char* key) {
            const auto entries = run->entries(key);
            std::map<Step, std::shared_ptr<const Value>> found;
            for (const Entry& entry : entries.ok() ? *entries : std::vector<Entry>()) {
                EXPECT_TRUE(found.emplace(entry.step, entry.value).second) << "doubled " << key;
            }
            return found;
        };
        auto texts = entries_of("text");
        auto images = entries_of("image");
        for (const auto& [round, value] : texts) {
            ASSERT_EQ(std::get<Text>(*value).text, text_of(round));
        }
        for (Step round = 0; round < rounds; ++round) {
            ASSERT_TRUE(texts.contains(round)) << "text of round " << round;
            ASSERT_TRUE(images.contains(round)) << "image of round " << round;
            const auto loaded = run->load(std::get<Image>(*images[round]).images.at(0).ref);
            ASSERT_TRUE(loaded.ok())
                << "image of round " << round << ": " << loaded.error().message;
        }
    }

    static test::TemporaryFolder* folder_;
    static test::DiskTrace* trace_;
    static std::string run_path_;
    DiagnosticHandler before_;
    std::mt19937_64 random_{std::random_device{}()};
    std::size_t checked_ = 0;
    const bool full_ = std::getenv("TAFFRAIL_FULL") != nullptr;
};

test::TemporaryFolder* PowerCuts::folder_ = nullptr;
test::DiskTrace* PowerCuts::trace_ = nullptr;
std::string PowerCuts::run_path_;

TEST_F(PowerCuts, KeepPromisesAtEveryPrefix) {
    for (std::size_t count = 0; count <= trace_->entries().size() && !HasFailure(); ++count) {
        check(count, {});
        check(count, trace_->unsafe(count));
    }
    EXPECT_GE(checked_, 200u);
}

TEST_F(PowerCuts, KeepPromisesWithEverySingleLoss) {
    const std::size_t stride = full_ ? 1 : 5;
    for (std::size_t count = random_() % stride; count <= trace_->entries().size() && !HasFailure();
         count += stride) {
        const auto units = trace_->unsafe(count);
        for (std::size_t i = 0; i < units.size() && !HasFailure(); ++i) {
            check(count, {units[i]});
        }
    }
    EXPECT_GE(checked_, 500u);
}

TEST_F(PowerCuts, KeepPromisesWithPairsOfLosses) {
    std::vector<std::pair<std::size_t, std::pair<TraceUnit, TraceUnit>>> all;
    for (std::size_t count = 0; count <= trace_->entries().size(); ++count) {
        const auto units = trace_->unsafe(count);
        for (std::size_t i = 0; i < units.size(); ++i) {
            for (std::size_t j = i + 1; j < units.size(); ++j) {
                all.push_back({count, {units[i], units[j]}});
            }
        }
    }
    std::shuffle(all.begin(), all.end(), random_);
    RecordProperty("pairs", std::to_string(all.size()));
    all.resize(std::min<std::size_t>(all.size(), full_ ? SIZE_MAX : 2000));
    for (std::size_t i = 0; i < all.size() && !HasFailure(); ++i) {
        check(all[i].first, {all[i].second.first, all[i].second.second});
    }
    EXPECT_GE(checked_, 1000u);
}

TEST_F(PowerCuts, KeepPromisesWithRandomLosses) {
    for (int trial = 0; trial < (full_ ? 10'000 : 2000) && !HasFailure(); ++trial) {
        const std::size_t count = random_() % (trace_->entries().size() + 1);
        auto units = trace_->unsafe(count);
        std::shuffle(units.begin(), units.end(), random_);
        units.resize(units.empty() ? 0 : random_() % (units.size() + 1));
        check(count, units);
    }
}

}  // namespace
}  // namespace taffrail
