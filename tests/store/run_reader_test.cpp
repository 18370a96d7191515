// A native run read back: the union of its writers, each row once, exactly as logged.
#include "store/run_reader.h"

#include "base/sha256.h"
#include "codec/tlog/meta.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "store/layout.h"
#include "store/meta_edit.h"
#include "store/sample_batch.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace taffrail::store {
namespace {

class RunReaderTest : public ::testing::Test {
  protected:
    std::unique_ptr<record::LogWriter> begin(std::uint64_t writer, std::uint32_t attempt = 0,
                                             std::int32_t rank = 0, LogOptions options = {}) {
        tlog::FileIdentity identity = sample_identity(writer);
        identity.attempt = attempt;
        identity.rank = rank;
        identity.start_time_ns = 1000 + static_cast<std::int64_t>(writer);
        auto log = open_log(folder_, identity, options).value();
        log->append(sample_definitions()).value();
        return log;
    }

    std::shared_ptr<RunReader> open() { return RunReader::open(folder_).value(); }

    std::string log_url(std::uint64_t writer, std::uint32_t number) {
        return io::join(io::join(folder_, "live"), log_name(writer, number));
    }

    void flip(const std::string& url, std::uint64_t offset) {
        auto file = io::open(url, io::OpenMode::ReadWrite).value();
        Bytes byte(1);
        file->read_at(offset, byte).value();
        byte[0] ^= std::byte{0x10};
        file->write_at(offset, ByteSpan(byte)).value();
    }

    std::string folder_ = fresh_folder("memory") + "/01SAMPLE-calm-otter";
};

void expect_points(const std::vector<Point>& points, std::uint32_t key, std::uint64_t writer,
                   const std::vector<std::uint64_t>& rows) {
    ASSERT_EQ(points.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(points[i].seq, rows[i]);
        EXPECT_EQ(points[i].step, static_cast<Step>(rows[i]));
        EXPECT_EQ(points[i].value, sample_value(writer, key, rows[i]));
        EXPECT_EQ(points[i].writer, writer);
    }
}

TEST_F(RunReaderTest, ReadsPointsOfWideAndLoneKeys) {
    auto log = begin(1, 0, 0, {.roll_bytes = 1500});
    for (std::uint64_t seq = 0; seq < 40; seq += 8) {
        log->append(SampleRows(1, seq, 8).batch()).value();
    }
    auto run = open();
    std::vector<std::uint64_t> wide, lone;
    for (std::uint64_t seq = 0; seq < 40; ++seq) {
        (seq % 4 == 3 ? lone : wide).push_back(seq);
    }
    expect_points(run->points("train/loss").value(), 1, 1, wide);
    expect_points(run->points("train/acc").value(), 2, 1, wide);
    expect_points(run->points("lone").value(), 3, 1, lone);
}

TEST_F(RunReaderTest, UnknownKeyIsRefusedWithASuggestion) {
    auto log = begin(1);
    log->append(SampleRows(1, 0, 8).batch()).value();
    const auto points = open()->points("train/los");
    ASSERT_FALSE(points.ok());
    EXPECT_NE(points.error().message.find("train/loss"), std::string::npos);
}

TEST_F(RunReaderTest, KeysAreTheSameFromCheckpointsAndFromAllRows) {
    auto log = begin(1, 0, 0, {.roll_bytes = 1500, .checkpoint_bytes = 300});
    for (std::uint64_t seq = 0; seq < 60; seq += 6) {
        log->append(SampleRows(1, seq, 6).batch()).value();
    }
    auto run = open();
    const auto light = run->keys();
    (void)run->points("lone").value();
    const auto full = run->keys();
    ASSERT_EQ(light.size(), 3u);
    ASSERT_EQ(full.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(light[i].key, full[i].key);
        EXPECT_EQ(light[i].count, full[i].count);
        EXPECT_EQ(light[i].scalar.min, full[i].scalar.min);
        EXPECT_EQ(light[i].scalar.max, full[i].scalar.max);
        EXPECT_EQ(light[i].scalar.last, full[i].scalar.last);
        EXPECT_DOUBLE_EQ(light[i].scalar.sum, full[i].scalar.sum);
        EXPECT_EQ(light[i].scalar.first_step, full[i].scalar.first_step);
        EXPECT_EQ(light[i].scalar.last_step, full[i].scalar.last_step);
    }
    EXPECT_EQ(full[0].key, "lone");
    EXPECT_EQ(full[0].count, 15u);
}

TEST_F(RunReaderTest, GrowsOnRefreshWhetherPointsWereAskedForOrNot) {
    auto log = begin(1);
    auto light = open();
    auto full = open();
    EXPECT_FALSE(full->points("lone").ok());
    std::uint64_t revision = full->revision();
    for (std::uint64_t seq = 0; seq < 40; seq += 8) {
        log->append(SampleRows(1, seq, 8).batch()).value();
        EXPECT_TRUE(light->refresh().value());
        EXPECT_TRUE(full->refresh().value());
        EXPECT_GT(full->revision(), revision);
        revision = full->revision();
        EXPECT_EQ(full->points("lone").value().size(), (seq + 8) / 4);
        EXPECT_EQ(light->keys().at(0).count, (seq + 8) / 4);
    }
    EXPECT_FALSE(full->refresh().value());
    EXPECT_EQ(full->revision(), revision);
}

TEST_F(RunReaderTest, HiddenRowsAreNotShown) {
    auto log = begin(1);
    log->append(SampleRows(1, 0, 8).batch()).value();
    log->append(SampleRows(1, 8, 8, 1 | tlog::kHidden).batch()).value();
    log->append(SampleRows(1, 16, 8).batch()).value();
    auto run = open();
    EXPECT_EQ(run->points("lone").value().size(), 4u);
    EXPECT_EQ(run->keys().at(0).count, 4u);
    std::size_t visited = 0;
    run->for_each([&](const Record& record) { return visited += 1, record.seq < 100; }).value();
    EXPECT_EQ(visited, 28u);
}

TEST_F(RunReaderTest, RanksAreOneRun) {
    auto first = begin(1, 0, 0);
    auto second = begin(2, 0, 1);
    first->append(SampleRows(1, 0, 8).batch()).value();
    second->append(SampleRows(2, 0, 8).batch()).value();
    auto run = open();
    const auto points = run->points("lone").value();
    ASSERT_EQ(points.size(), 4u);
    EXPECT_EQ(points[0].rank, 0);
    EXPECT_EQ(points[3].rank, 1);
    EXPECT_EQ(points[3].value, sample_value(2, 3, 7));
    EXPECT_EQ(run->keys().at(0).count, 4u);
    EXPECT_EQ(run->bins("lone", {.width = 10}).value().points, 4u);
}

TEST_F(RunReaderTest, BinsAgreeWithPoints) {
    auto log = begin(1);
    log->append(SampleRows(1, 0, 4000).batch()).value();
    auto run = open();
    const Bins bins = run->bins("train/loss", {.width = 50}).value();
    EXPECT_EQ(bins.points, 3000u);
    std::uint64_t count = 0;
    for (const std::uint64_t n : bins.count) {
        count += n;
    }
    EXPECT_EQ(count, 3000u);
    EXPECT_EQ(run->bins("train/loss", {.axis = Axis::Metric, .metric = "train/acc", .width = 50})
                  .value()
                  .points,
              3000u);
    EXPECT_FALSE(run->bins("train/loss", {.axis = Axis::Metric, .metric = "nothing"}).ok());
    EXPECT_FALSE(run->bins("nothing", {}).ok());
}

TEST_F(RunReaderTest, NewestAttemptWinsFromItsFirstStepOn) {
    auto first = begin(1, 0);
    first->append(SampleRows(1, 0, 100).batch()).value();
    auto second = begin(2, 1);
    second->append(SampleRows(2, 60, 20).batch()).value();
    auto run = open();
    EXPECT_EQ(run->info().attempts, 2u);
    EXPECT_EQ(run->points("lone").value().size(), 25u + 5);
    const Bins winners = run->bins("lone", {.width = 1000}).value();
    EXPECT_EQ(winners.points, 15u + 5);
    ASSERT_TRUE(winners.raw);
    for (std::size_t i = 0; i < winners.x.size(); ++i) {
        const auto step = static_cast<std::uint64_t>(winners.x[i]);
        EXPECT_EQ(winners.last[i], sample_value(step >= 60 ? 2 : 1, 3, step)) << step;
    }
    EXPECT_EQ(run->bins("lone", {.width = 1000, .attempt = 0}).value().points, 25u);
    EXPECT_EQ(run->bins("lone", {.width = 1000, .attempt = 1}).value().points, 5u);
}

TEST_F(RunReaderTest, ValuesAndBlobsComeBack) {
    auto log = begin(1);
    tlog::Batch batch;
    const Bytes large(20000, std::byte{9}), small(50, std::byte{8});
    Tensor tensor;
    tensor.dtype = DType::U8;
    std::vector<Bytes> metadata;
    std::vector<BlobRef> refs;
    for (const Bytes* bytes : {&large, &small}) {
        refs.push_back({sha256(*bytes), bytes->size()});
        tensor.shape = {static_cast<std::int64_t>(bytes->size())};
        tensor.data.ref = refs.back();
        metadata.push_back(encode_value(tensor));
        tlog::ValueRecord& value = batch.values.emplace_back();
        value.seq = 5 - batch.values.size();  // the younger one is written first
        value.key = 4;
        value.kind = Kind::Tensor;
        value.step = 7;
        value.epoch = 0.5;
        value.blobs = {log->put_blob(*bytes, refs.back()).value()};
    }
    batch.values[0].metadata = metadata[0];
    batch.values[1].metadata = metadata[1];
    log->append(batch).value();
    auto run = open();
    const auto entries = run->entries("note").value();
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].seq, 3u);
    EXPECT_EQ(entries[0].step, 7);
    EXPECT_EQ(entries[0].epoch, 0.5);
    EXPECT_EQ(std::get<Tensor>(*entries[0].value).data.ref.sha256, refs[1].sha256);
    EXPECT_EQ(std::get<Tensor>(*entries[0].value).data.bytes, nullptr);
    EXPECT_EQ(*run->load(refs[0]).value(), large);
    EXPECT_EQ(*run->load(refs[1]).value(), small);
    EXPECT_FALSE(run->load({}).ok());
    EXPECT_EQ(run->keys().at(0).count, 2u);
}

TEST_F(RunReaderTest, DescribesTheRun) {
    auto log = begin(1);
    tlog::Batch batch;
    const Bytes hparams = encode_value(Value(Hparams{{"lr", 3e-4}, {"depth", std::int64_t{4}}}));
    const Bytes later = encode_value(Value(Hparams{{"lr", 1e-3}}));
    for (const Bytes* bytes : {&hparams, &later}) {
        tlog::ValueRecord& value = batch.values.emplace_back();
        value.seq = batch.values.size();
        value.time_ns = static_cast<std::int64_t>(value.seq);
        value.key = 5;
        value.kind = Kind::Hparams;
        value.metadata = *bytes;
    }
    const Bytes summary = tlog::encode_cells({{"best", 0.9}});
    const Bytes environment = tlog::encode_cells({{"git/commit", std::string("abc")}});
    batch.meta = {{tlog::MetaType::Project, 3, 3, as_bytes("digits")},
                  {tlog::MetaType::TagAdded, 4, 4, as_bytes("a")},
                  {tlog::MetaType::Summary, 5, 5, summary},
                  {tlog::MetaType::Environment, 6, 6, environment}};
    batch.console = {{1, 10, "one\ntw"}, {2, 11, "oops\n"}, {1, 12, "o\n"}};
    log->append(batch).value();
    auto run = open();
    RunInfo info = run->info();
    EXPECT_EQ(info.id, "01SAMPLE");
    EXPECT_EQ(info.name, "calm-otter");
    EXPECT_EQ(info.project, "digits");
    EXPECT_EQ(info.tags, std::vector<std::string>{"a"});
    EXPECT_EQ(info.config, (Hparams{{"lr", 1e-3}, {"depth", std::int64_t{4}}}));
    EXPECT_EQ(info.summary.at("best"), Cell(0.9));
    EXPECT_EQ(run->environment(), (Hparams{{"git/commit", std::string("abc")}}));
    const auto lines = run->console(0, 10);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].text, "one");
    EXPECT_EQ(lines[1].text, "two");
    EXPECT_TRUE(lines[2].is_error);
    EXPECT_EQ(run->console(2, 10).size(), 1u);
    EXPECT_TRUE(run->console(9, 1).empty());

    add_tag(folder_, "b").value();
    const ByteSpan name = as_bytes("brave new name");
    edit_meta(folder_, {{tlog::MetaType::Name, {name.begin(), name.end()}}}).value();
    EXPECT_TRUE(run->refresh().value());
    EXPECT_EQ(run->info().name, "brave new name");
    EXPECT_EQ(run->info().tags, (std::vector<std::string>{"a", "b"}));
}

TEST_F(RunReaderTest, StateFollowsTheWriters) {
    auto log = begin(1);
    auto run = open();
    EXPECT_EQ(run->info().state, RunState::Running);  // a fresh sign of life
    log->close(RunState::Failed).value();
    EXPECT_TRUE(run->refresh().value());
    EXPECT_EQ(run->info().state, RunState::Failed);
    auto resumed = begin(2, 1);
    resumed->close(RunState::Finished).value();
    EXPECT_TRUE(run->refresh().value());
    EXPECT_EQ(run->info().state, RunState::Finished);
}

TEST_F(RunReaderTest, DeadProcessOfThisBootMeansCrashed) {
    tlog::FileIdentity identity = sample_identity(1);
    auto boot = io::open("/proc/sys/kernel/random/boot_id", io::OpenMode::Read).value();
    identity.boot_id.resize(36);
    boot->read_at(0, std::as_writable_bytes(std::span(identity.boot_id))).value();
    identity.process_id = 0x7FFFFFFF;
    identity.process_start = 5;
    identity.world_size = 2;
    auto log = open_log(folder_, identity).value();
    const RunInfo info = open()->info();
    EXPECT_EQ(info.state, RunState::Crashed);
    EXPECT_NE(info.message.find("never wrote: 1"), std::string::npos) << info.message;
}

// A rank that ends first finds the rings of what another one forked, and closes their logs.
TEST_F(RunReaderTest, ForkedChildrenEndAsTheirProcessDoes) {
    auto parent = begin(1);
    tlog::FileIdentity child = sample_identity(2);
    child.forked_from = 1;
    open_log(folder_, child).value()->close(RunState::Crashed).value();
    tlog::FileIdentity silent = sample_identity(3);
    auto boot = io::open("/proc/sys/kernel/random/boot_id", io::OpenMode::Read).value();
    silent.boot_id.resize(36);
    boot->read_at(0, std::as_writable_bytes(std::span(silent.boot_id))).value();
    silent.process_id = 0x7FFFFFFF;
    silent.process_start = 5;
    silent.forked_from = 1;
    auto left = open_log(folder_, silent).value();
    parent->close(RunState::Finished).value();
    EXPECT_EQ(open()->info().state, RunState::Finished);
    EXPECT_EQ(open()->info().message, "");
}

TEST_F(RunReaderTest, DamageIsNamedAndTheRestServed) {
    auto log = begin(1);
    for (std::uint64_t seq = 0; seq < 50; seq += 10) {
        log->append(SampleRows(1, seq, 10).batch()).value();
    }
    log->close(RunState::Finished).value();
    FrameFile file(folder_, log_url(1, 0));
    std::uint64_t victim = 0;
    file.poll(
            [&](const FrameFile::Frame& frame) {
                victim =
                    frame.header.first_seq == 20 && frame.header.rows == 10 ? frame.offset : victim;
                return true;
            },
            [](const tlog::DamagedRange&) {})
        .value();
    flip(log_url(1, 0), victim + 60);
    auto run = open();
    const auto damage = run->damage();
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].offset, victim);
    EXPECT_EQ(damage[0].first_seq, 20u);
    EXPECT_EQ(damage[0].last_seq, 29u);
    std::set<std::uint64_t> rows;
    run->for_each([&](const Record& record) { return rows.insert(record.seq), true; }).value();
    EXPECT_EQ(rows.size(), 40u);
    EXPECT_FALSE(rows.contains(25));
}

TEST_F(RunReaderTest, RowsWhoseDefinitionsAreDamagedAreNamedByALaterCheckpoint) {
    auto log = begin(1);
    log->append(SampleRows(1, 0, 8).batch()).value();
    log->close(RunState::Finished).value();
    FrameFile file(folder_, log_url(1, 0));
    std::vector<std::uint64_t> offsets;
    file.poll([&](const FrameFile::Frame& frame) { return offsets.push_back(frame.offset), true; },
              [](const tlog::DamagedRange&) {})
        .value();
    flip(log_url(1, 0), offsets[2] + 50);  // header, checkpoint, definitions
    auto run = open();
    EXPECT_EQ(run->points("train/loss").value().size(), 6u);
    EXPECT_EQ(run->damage().size(), 1u);
}

TEST_F(RunReaderTest, DamagedFirstFrameCostsNothing) {
    auto log = begin(1, 3, 2);
    log->append(SampleRows(1, 0, 8).batch()).value();
    log->close(RunState::Finished).value();
    flip(log_url(1, 0), 55);
    auto run = open();
    const auto points = run->points("lone").value();
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[0].attempt, 3u);
    EXPECT_EQ(points[0].rank, 2);
}

TEST_F(RunReaderTest, ACopiedFileDoublesNothing) {
    auto log = begin(1);
    for (std::uint64_t seq = 0; seq < 30; seq += 10) {
        log->append(SampleRows(1, seq, 10).batch()).value();
    }
    const Bytes bytes = io::read_file(log_url(1, 0)).value();
    io::write_file_atomically(log_url(1, 9), bytes).value();
    auto run = open();
    EXPECT_EQ(run->points("lone").value().size(), 7u);
    EXPECT_EQ(run->keys().at(0).count, 7u);
}

// A copy takes one file after the other while the writer goes on: the first is older than the
// second.
TEST_F(RunReaderTest, FilesCopiedAtDifferentMomentsNameTheRowsBetweenThem) {
    auto log = begin(1, 0, 0, {.roll_bytes = 3000});
    log->append(SampleRows(1, 0, 10).batch()).value();
    const Bytes early = io::read_file(log_url(1, 0)).value();
    std::uint64_t next = 10;
    for (; list_logs(folder_).size() < 2 || next % 100 != 0; next += 10) {
        log->append(SampleRows(1, next, 10).batch()).value();
    }
    log->close(RunState::Finished).value();
    EXPECT_TRUE(open()->damage().empty());
    io::write_file_atomically(log_url(1, 0), early).value();
    auto run = open();
    const auto points = run->points("lone").value();
    ASSERT_GT(points.size(), 3u);
    const auto damage = run->damage();
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].first_seq, 10u);
    for (const Point& point : points) {
        EXPECT_TRUE(point.seq < 10 || point.seq > damage[0].last_seq) << point.seq;
    }
    std::uint64_t first_behind = UINT64_MAX;
    ASSERT_TRUE(run->for_each([&](const Record& record) {
                       first_behind =
                           record.seq >= 10 ? std::min(first_behind, record.seq) : first_behind;
                       return true;
                   })
                    .ok());
    EXPECT_EQ(first_behind, damage[0].last_seq + 1);
}

TEST_F(RunReaderTest, ConsoleLinesOfSeveralWritersComeInTheirOrderWhileTheyGrow) {
    auto first = begin(1), second = begin(2, 0, 1);
    const auto print = [](record::LogWriter& log, std::int64_t time, std::string_view text) {
        tlog::Batch batch;
        batch.console = {{1, time, text}};
        log.append(batch).value();
    };
    print(*first, 10, "a\nb");
    print(*second, 20, "c\n");
    auto run = open();
    const auto texts = [&](std::size_t from, std::size_t count) {
        std::string all;
        for (const ConsoleLine& line : run->console(from, count)) {
            all += line.text + "|";
        }
        return all;
    };
    EXPECT_EQ(texts(0, 100), "a|b|c|");
    print(*first, 30, "b\nd\n");
    print(*second, 15, "late\n");
    ASSERT_TRUE(run->refresh().value());
    EXPECT_EQ(texts(0, 100), "a|bb|late|c|d|");
    EXPECT_EQ(texts(1, 2), "bb|late|");
    EXPECT_EQ(texts(5, 2), "");
}

TEST_F(RunReaderTest, SpecialValuesSurviveBitForBit) {
    auto log = begin(1);
    const std::vector<double> values = {std::bit_cast<double>(0x7FF0000000000001ull), -0.0, 5e-324,
                                        -std::numeric_limits<double>::infinity()};
    const std::vector<std::uint64_t> seq = {0, 1, 2, 3};
    const std::vector<std::int64_t> step = {INT64_MAX, INT64_MIN, 0, -1}, time = {4, 3, 2, 1};
    const std::vector<std::uint32_t> keys = {3, 3, 3, 3};
    tlog::Batch batch;
    batch.long_rows = {{keys, {seq, step, time, {}, {}, {}, {}}, values}};
    batch.rows = 4;
    log->append(batch).value();
    const auto points = open()->points("lone").value();
    ASSERT_EQ(points.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(points[i].value),
                  std::bit_cast<std::uint64_t>(values[i]));
        EXPECT_EQ(points[i].step, step[i]);
        EXPECT_EQ(points[i].time_ns, time[i]);
    }
}

TEST_F(RunReaderTest, NotARunFolder) {
    const auto opened = RunReader::open("memory://nowhere/x");
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace taffrail::store
