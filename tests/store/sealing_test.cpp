// A run looks the same before sealing, after it, and when its logs are gone.
#include "store/sealing.h"

#include "base/sha256.h"
#include "codec/tlog/meta.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "io/local.h"
#include "io/posix_calls.h"
#include "io/temporary_folder.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/run_reader.h"
#include "store/seal_portions.h"
#include "store/sealing_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

namespace taffrail::store {
namespace {

struct View {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string, Step, double>> records;
    std::vector<std::pair<std::string, std::uint64_t>> keys;
    std::vector<double> loss;
    std::uint64_t binned = 0;
    std::size_t entries = 0;
    std::string project;
    RunState state = RunState::Running;
    Hparams config;
};

void expect_same(const View& now, const View& before) {
    EXPECT_EQ(now.records, before.records);
    EXPECT_EQ(now.keys, before.keys);
    EXPECT_EQ(now.loss, before.loss);
    EXPECT_EQ(now.binned, before.binned);
    EXPECT_EQ(now.entries, before.entries);
    EXPECT_EQ(now.project, before.project);
    EXPECT_EQ(now.state, before.state);
    EXPECT_EQ(now.config, before.config);
}

View look(const std::string& folder) {
    View view;
    auto run = RunReader::open(folder).value();
    run->for_each([&](const Record& record) {
           view.records.emplace_back(record.writer, record.seq, std::string(record.key),
                                     record.step, record.kind == Kind::Scalar ? record.scalar : 0);
           return true;
       })
        .value();
    for (const KeyInfo& key : run->keys()) {
        view.keys.emplace_back(key.key, key.count);
    }
    const auto points = run->points("train/loss").value();
    for (const Point& point : points) {
        view.loss.push_back(point.value);
    }
    view.binned = run->bins("train/loss", {.width = 20}).value().points;
    view.entries = run->entries("config").value().size();
    view.project = run->info().project;
    view.state = run->info().state;
    view.config = run->info().config;
    return view;
}

// Media is encoded beside the training: its record may come long after rows logged later.
TEST_F(SealingTest, FindingR08_RecordsComeInLogOrderWhateverTheyWereWrittenIn) {
    auto log = open_log(folder_, sample_identity(1), {.roll_bytes = 3000}).value();
    tlog::Batch late = sample_definitions();
    log->append(late).value();
    const Bytes text = encode_value(Value(Text{"a picture", false}));
    for (std::uint64_t seq = 1; seq <= 100; seq += 20) {
        log->append(SampleRows(1, seq, 19).batch()).value();
        if (seq > 20) {
            tlog::Batch batch;
            tlog::ValueRecord& value = batch.values.emplace_back();
            value.seq = seq - 21;  // the gap behind the rows before the last ones
            value.key = 4;
            value.kind = Kind::Text;
            value.metadata = text;
            value.epoch = std::numeric_limits<double>::quiet_NaN();
            batch.first_seq = value.seq;
            batch.rows = 1;
            log->append(batch).value();
        }
    }
    log->close(RunState::Finished).value();
    const auto sequence = [this] {
        std::vector<std::pair<std::uint64_t, std::string>> order;
        RunReader::open(folder_)
            .value()
            ->for_each([&](const Record& record) {
                order.emplace_back(record.seq, std::string(record.key));
                return true;
            })
            .value();
        return order;
    };
    const auto before = sequence();
    EXPECT_TRUE(std::ranges::is_sorted(before)) << "rows by number, the keys of a row by name";
    EXPECT_EQ(
        std::ranges::count(before, std::string("note"), &decltype(before)::value_type::second), 4);
    seal_finished(folder_).value();
    EXPECT_EQ(sequence(), before);
    drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
    EXPECT_EQ(sequence(), before);
}

TEST_F(SealingTest, NothingChangesForReaders) {
    add(1, 0, 0, 400);
    const View before = look(folder_);
    ASSERT_EQ(before.keys.size(), 4u);
    const auto report = seal_finished(folder_).value();
    EXPECT_GT(report.files.size(), 1u);
    expect_same(look(folder_), before);
    EXPECT_EQ(drop_sealed_logs(folder_).value(), 0u);  // within the grace period
    EXPECT_GT(drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value(), 1000u);
    EXPECT_TRUE(list_logs(folder_).empty());
    expect_same(look(folder_), before);
    EXPECT_EQ(glance_at_run(folder_).info.project, "digits");
    EXPECT_EQ(glance_at_run(folder_).info.state, RunState::Finished);
}

TEST_F(SealingTest, LogsThatAreStillThereGiveTheirOwnOrder) {
    add(1, 0, 0, 400);
    auto order = [this] {
        std::vector<std::string> keys;
        RunReader::open(folder_)
            .value()
            ->for_each([&](const Record& record) { return keys.emplace_back(record.key), true; })
            .value();
        return keys;
    };
    const auto before = order();
    const auto report = seal_finished(folder_).value();
    for (const seal::CoveredLog& log : report.logs) {
        EXPECT_EQ(log.writer, 1u);
        EXPECT_TRUE(
            io::exists(io::join(io::join(folder_, "live"), log_name(log.writer, log.file_number))))
            << log.file_number;
    }
    EXPECT_EQ(order(), before);
}

TEST_F(SealingTest, SealingTwiceDoesNothingMore) {
    add(1, 0, 0, 100);
    seal_finished(folder_).value();
    const auto manifest = read_manifest(folder_);
    ASSERT_TRUE(manifest);
    EXPECT_TRUE(seal_finished(folder_).value().files.empty());
    EXPECT_EQ(read_manifest(folder_)->number, manifest->number);
}

TEST_F(SealingTest, ALaterAttemptJoinsWhatIsSealed) {
    add(1, 0, 0, 100);
    seal_finished(folder_).value();
    drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
    add(2, 1, 60, 40);
    const View live = look(folder_);
    EXPECT_EQ(live.config, (Hparams{{"lr", 1.1}}));
    EXPECT_EQ(live.entries, 2u);
    seal_finished(folder_).value();
    EXPECT_EQ(read_manifest(folder_)->number, 2u);
    expect_same(look(folder_), live);
}

TEST_F(SealingTest, AnOpenReaderTakesUpTheManifest) {
    add(1, 0, 0, 100);
    auto run = RunReader::open(folder_).value();
    const auto points = run->points("lone").value().size();
    seal_finished(folder_).value();
    EXPECT_TRUE(run->refresh().value());
    EXPECT_EQ(run->points("lone").value().size(), points);
    drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
    run->refresh().value();
    EXPECT_EQ(run->points("lone").value().size(), points);
}

TEST_F(SealingTest, ARunningWriterIsNotSealed) {
    auto log = open_log(folder_, sample_identity(1)).value();
    log->append(sample_definitions()).value();
    EXPECT_TRUE(seal_finished(folder_).value().files.empty());
    EXPECT_FALSE(read_manifest(folder_));
}

TEST_F(SealingTest, LogsStayWhileASinkHasACursor) {
    add(1, 0, 0, 100);
    seal_finished(folder_).value();
    io::make_directories(io::join(folder_, "cursors")).value();
    io::write_file_atomically(io::join(folder_, "cursors/csv-1.cursor"), as_bytes("x")).value();
    EXPECT_EQ(drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value(), 0u);
}

TEST_F(SealingTest, LogsStayWhenASealedFileIsMissing) {
    add(1, 0, 0, 100);
    const auto report = seal_finished(folder_).value();
    const View before = look(folder_);
    io::remove(io::join(io::join(folder_, "data"), report.files[0].name)).value();
    EXPECT_FALSE(drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).ok());
    EXPECT_EQ(look(folder_).loss, before.loss);
}

// Sealing in portions: stopped after two of them and gone on with later, the run looks the same at
// every moment.
TEST_F(SealingTest, FindingG12_PortionByPortionTheRunLooksTheSame) {
    add(1, 0, 1, 2001);
    add(2, 0, 1, 401);
    const View before = look(folder_);
    const std::size_t logs = list_logs(folder_).size();
    ASSERT_GT(logs, 6u);
    int portions = 0;
    const auto some = seal_while(folder_, [&] { return portions++ < 2; }, {}, 1).value();
    EXPECT_EQ(some.report.logs.size(), 2u);
    EXPECT_EQ(some.logs_left, logs - 2);
    expect_same(look(folder_), before);
    const auto rest = seal_while(folder_, [] { return true; }, {}, 1).value();
    EXPECT_EQ(rest.report.logs.size(), logs - 2);
    EXPECT_EQ(rest.logs_left, 0u);
    expect_same(look(folder_), before);
    for (const FileName& name : list_logs(folder_)) {
        ASSERT_TRUE(
            io::remove(io::join(io::join(folder_, kLiveFolder), log_name(name.writer, name.number)))
                .ok());
    }
    expect_same(look(folder_), before);
}

/// Lets somebody else work on the run once, right before a file gets its name.
class MeddlingCalls final : public io::PosixCalls {
  public:
    std::string before;  ///< part of the name
    std::function<void()> meddle;

    int rename(const char* from, const char* to) override {
        reached(to);
        return PosixCalls::rename(from, to);
    }

    int rename_new(const char* from, const char* to) override {
        reached(to);
        return PosixCalls::rename_new(from, to);
    }

  private:
    void reached(const char* to) {
        if (meddle && std::strstr(to, before.c_str()) != nullptr) {
            std::exchange(meddle, nullptr)();
        }
    }
};

// Ranks end at the same moment, and each seals what ended before: some logs are sealed twice at the
// same time, not always together with the same others.
TEST_F(SealingTest, SealersAtTheSameTimeCountEachRowOnce) {
    const auto calls = std::make_shared<MeddlingCalls>();
    io::register_file_system("meddling", io::make_local_file_system(calls));
    for (const char* before : {"/data/rest-", "/data/long-", "/data/values-", "/manifest-"}) {
        SCOPED_TRACE(before);
        const test::TemporaryFolder temporary;
        folder_ = temporary.file("01SAMPLE-x");
        add(1, 0, 1, 401);
        add(2, 0, 1, 401);
        View together;
        bool meddled = false;
        calls->before = before;
        calls->meddle = [&] {
            meddled = true;
            add(3, 0, 1, 401);
            together = look(folder_);
            EXPECT_FALSE(seal_finished(folder_).value().files.empty());
        };
        ASSERT_TRUE(seal_finished("meddling://" + folder_).ok());
        ASSERT_TRUE(meddled);
        expect_same(look(folder_), together);
        const Manifest manifest = read_manifest(folder_).value();
        EXPECT_EQ(io::list(io::join(folder_, kDataFolder)).value().size(), manifest.files.size())
            << "what lost the race is gone";
        EXPECT_EQ(manifest.logs.size(), list_logs(folder_).size());
        for (const FileName& name : list_logs(folder_)) {
            ASSERT_TRUE(io::remove(io::join(io::join(folder_, kLiveFolder),
                                            log_name(name.writer, name.number)))
                            .ok());
        }
        expect_same(look(folder_), together);
    }
}

// The other way round: who comes second has fewer logs, and those that are left are sealed.
TEST_F(SealingTest, ALogThatAnotherSealerTookIsLeftOutOfTheRest) {
    const auto calls = std::make_shared<MeddlingCalls>();
    io::register_file_system("meddling", io::make_local_file_system(calls));
    const test::TemporaryFolder temporary;
    folder_ = temporary.file("01SAMPLE-x");
    add(1, 0, 1, 401);
    add(2, 0, 1, 401);
    const View before = look(folder_);
    calls->before = "/manifest-";
    calls->meddle = [&] {
        int portions = 0;
        const auto one = seal_while(folder_, [&] { return portions++ < 1; }, {}, 1).value();
        EXPECT_EQ(one.report.logs.size(), 1u);
    };
    const auto rest = seal_finished("meddling://" + folder_).value();
    EXPECT_EQ(rest.logs.size(), list_logs(folder_).size() - 1);
    expect_same(look(folder_), before);
    EXPECT_EQ(read_manifest(folder_)->logs.size(), list_logs(folder_).size());
}

// The last log of a living writer stays out; the others are sealed under it while it goes on.
TEST_F(SealingTest, FindingG12_RolledLogsAreSealedWhileTheirWriterGoesOn) {
    tlog::FileIdentity identity = sample_identity(7);
    auto log = open_log(folder_, identity, {.roll_bytes = 3000}).value();
    tlog::Batch first = sample_definitions();
    const Bytes hparams = encode_value(Value(Hparams{{"lr", 0.1}}));
    tlog::ValueRecord& value = first.values.emplace_back();
    value.seq = 1;
    value.key = 5;
    value.kind = Kind::Hparams;
    value.metadata = hparams;
    value.epoch = std::numeric_limits<double>::quiet_NaN();
    first.first_seq = first.rows = 1;
    log->append(first).value();
    std::uint64_t seq = 2;
    const auto append = [&](int batches) {
        for (int i = 0; i < batches; ++i, seq += 20) {
            log->append(SampleRows(7, seq, 20).batch()).value();
        }
    };
    append(100);
    const std::size_t rolled = list_logs(folder_).size() - 1;
    ASSERT_GT(rolled, 1u);
    const View before = look(folder_);
    const auto go_on = [] { return true; };
    EXPECT_EQ(seal_rolled(folder_, "id", 7, go_on)->report.logs.size(), rolled);
    expect_same(look(folder_), before);
    EXPECT_TRUE(seal_rolled(folder_, "id", 7, go_on)->report.logs.empty()) << "once is enough";
    auto reader = RunReader::open(folder_).value();
    append(100);
    ASSERT_TRUE(reader->refresh().ok());
    EXPECT_GT(seal_rolled(folder_, "id", 7, go_on)->report.logs.size(), 0u);
    ASSERT_TRUE(reader->refresh().ok());
    EXPECT_EQ(reader->points("train/loss")->size(), look(folder_).loss.size())
        << "a reader that was there all the time sees the same";
    log->close(RunState::Finished).value();
    const View closed = look(folder_);
    EXPECT_EQ(closed.state, RunState::Finished);
    ASSERT_TRUE(seal_finished(folder_).ok());
    expect_same(look(folder_), closed);
    EXPECT_EQ(closed.loss.size(), 3000u);  // every fourth row is of another key
}

}  // namespace
}  // namespace taffrail::store
