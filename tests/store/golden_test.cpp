// Files written by released versions stay readable for ever. tests/data/golden/v1 was written once
// by this program with TAFFRAIL_WRITE_GOLDEN=<folder> and is never written again: a new format gets
// a folder of its own.
#include "base/sha256.h"
#include "codec/tlog/meta.h"
#include "codec/value_codec.h"
#include "places.h"
#include "store/catalogue.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/meta_edit.h"
#include "store/run_check.h"
#include "store/sample_batch.h"
#include "store/sealing.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>

namespace taffrail::store {
namespace {

const Bytes& large_blob() {
    static const Bytes bytes = [] {
        Bytes content(10000);
        for (std::size_t i = 0; i < content.size(); ++i) {
            content[i] = static_cast<std::byte>(i * 7);
        }
        return content;
    }();
    return bytes;
}

const Bytes kSmallBlob(100, std::byte{42});
constexpr std::uint64_t kSpecialBits[] = {0x7FF0000000000001, 0x8000000000000000, 1,
                                          0xFFF0000000000000};

void write_attempt(const std::string& folder, std::uint64_t writer, std::uint32_t attempt) {
    tlog::FileIdentity identity = sample_identity(writer);
    identity.run_id = "01GOLDEN";
    identity.attempt = attempt;
    identity.start_time_ns = 1'000'000'000 + attempt;
    identity.software = "0.1.0";
    identity.resume_step = attempt == 0 ? INT64_MIN : 30;
    auto log = open_log(folder, identity, {.roll_bytes = 2500}).value();
    tlog::Batch batch = sample_definitions();
    const Bytes summary = tlog::encode_cells({{"best", 0.91}});
    const Bytes environment = tlog::encode_cells({{"host/name", std::string("golden")}});
    batch.meta = {{tlog::MetaType::Project, 1, 10, as_bytes("digits")},
                  {tlog::MetaType::TagAdded, 2, 11, as_bytes("first")},
                  {tlog::MetaType::Summary, 3, 12, summary},
                  {tlog::MetaType::Environment, 4, 13, environment}};
    batch.console = {{1, 20, "hello\nwor"}, {2, 21, "warning\n"}, {1, 22, "ld\n"}};
    batch.gaps = {{0, 5, 30, 31}};
    const Bytes hparams = encode_value(Value(Hparams{{"lr", 3e-4}, {"depth", std::int64_t{4}}}));
    Tensor tensor;
    tensor.dtype = DType::U8;
    tensor.shape = {100, 100};
    tensor.data.ref = {sha256(large_blob()), large_blob().size()};
    const Bytes large = encode_value(Value(tensor));
    tensor.shape = {100};
    tensor.data.ref = {sha256(kSmallBlob), kSmallBlob.size()};
    const Bytes small = encode_value(Value(tensor));
    auto add_value = [&](std::uint32_t key, Kind kind, const Bytes& metadata, const Bytes* blob) {
        tlog::ValueRecord& value = batch.values.emplace_back();
        value.seq = 100 + batch.values.size();
        value.key = key;
        value.kind = kind;
        value.step = 5;
        value.time_ns = 40;
        value.epoch = 0.5;
        value.samples = 640;
        value.phase = Phase::Validate;
        value.metadata = metadata;
        if (blob != nullptr) {
            value.blobs = {log->put_blob(*blob, {sha256(*blob), blob->size()}).value()};
        }
    };
    add_value(5, Kind::Hparams, hparams, nullptr);
    add_value(4, Kind::Tensor, large, &large_blob());
    add_value(4, Kind::Tensor, small, &kSmallBlob);
    log->append(batch).value();
    for (std::uint64_t seq = attempt == 0 ? 0 : 32; seq < 80; seq += 16) {
        log->append(SampleRows(writer, seq, 16).batch()).value();
    }
    if (attempt == 0) {
        std::vector<double> values;
        for (const std::uint64_t bits : kSpecialBits) {
            values.push_back(std::bit_cast<double>(bits));
        }
        const std::vector<std::uint64_t> seq = {200, 201, 202, 203};
        const std::vector<std::int64_t> step = {INT64_MAX, INT64_MIN, -1, 0}, time = {4, 3, 2, 1};
        const std::vector<std::uint32_t> keys = {6, 6, 6, 6};
        tlog::Batch special;
        special.keys = {{6, Kind::Scalar, "special \xF0\x9F\x98\x80\n.."}};
        special.long_rows = {{keys, {seq, step, time, {}, {}, {}, {}}, values}};
        special.first_seq = 200;
        special.rows = 4;
        log->append(special).value();
    }
    log->close(attempt == 0 ? RunState::Failed : RunState::Finished).value();
}

TEST(Golden, WriteOnRequest) {
    const char* target = std::getenv("TAFFRAIL_WRITE_GOLDEN");
    if (target == nullptr) {
        GTEST_SKIP() << "only with TAFFRAIL_WRITE_GOLDEN";
    }
    const std::string folder = make_run_folder(target, "01GOLDEN", "golden").value();
    write_attempt(folder, 0xA11CE, 0);
    write_attempt(folder, 0xB0B, 1);
    add_tag(folder, "edited").value();
}

// The same run, sealed, its logs dropped: what is left are the manifest, the Parquet tables, the
// rest logs and the packs.
TEST(Golden, WriteSealedOnRequest) {
    const char* target = std::getenv("TAFFRAIL_WRITE_GOLDEN_SEALED");
    if (target == nullptr) {
        GTEST_SKIP() << "only with TAFFRAIL_WRITE_GOLDEN_SEALED";
    }
    const std::string folder = make_run_folder(target, "01GOLDEN", "golden").value();
    write_attempt(folder, 0xA11CE, 0);
    write_attempt(folder, 0xB0B, 1);
    add_tag(folder, "edited").value();
    seal_finished(folder).value();
    drop_sealed_logs(folder, std::chrono::nanoseconds(0), INT64_MAX / 2).value();
    ASSERT_TRUE(list_logs(folder).empty());
}

void expect_golden(const std::string& root);

TEST(Golden, Version1ReadsAsItWasWritten) {
    expect_golden(tests::data_folder() + "/golden/v1");
}

TEST(Golden, FindingR18_ASealedRunOfVersion1ReadsAsItWasWritten) {
    const std::string root = tests::data_folder() + "/golden/v1-sealed";
    const std::string folder = find_run_folder(root, "01GOLDEN").value();
    ASSERT_TRUE(list_logs(folder).empty());
    const auto manifest = read_manifest(folder);
    ASSERT_TRUE(manifest);
    EXPECT_TRUE(manifest->unreadable.empty());
    EXPECT_EQ(manifest->number, 1u);
    EXPECT_EQ(manifest->files.size(), 4u);
    EXPECT_EQ(manifest->logs.size(), 2u);
    EXPECT_TRUE(check_run_files(folder).empty());
    expect_golden(root);
}

// Older programs took infinities for extremes and the newest point for the last, whatever it was.
// What such files hold is told by their points.
TEST(Golden, SummariesOfOlderFilesAreThoseOfTheFinitePoints) {
    for (const char* const name : {"/golden/v1-infinities", "/golden/v1-infinities-sealed"}) {
        SCOPED_TRACE(name);
        const auto run =
            open_catalogue(tests::data_folder() + name).value()->run("01INFINITE").value();
        std::map<std::string, SeriesSummary> found;
        for (const KeyInfo& key : run->keys()) {
            found[key.key] = key.scalar;
        }
        ASSERT_EQ(found.size(), 5u);
        const auto expect = [&](const char* key, std::array<std::uint64_t, 4> counts, double min,
                                double max, double last) {
            SCOPED_TRACE(key);
            const SeriesSummary& summary = found[key];
            EXPECT_EQ((std::array{summary.count, summary.nan_count, summary.positive_infinity_count,
                                  summary.negative_infinity_count}),
                      counts);
            EXPECT_EQ(summary.smallest(), min);
            EXPECT_EQ(summary.largest(), max);
            EXPECT_EQ(summary.newest(), last);
        };
        expect("both", {6, 1, 1, 1}, 1, 3, 3);
        expect("diverged", {3, 2, 0, 0}, 0.5, 0.5, 0.5);
        expect("fine", {2, 0, 0, 0}, 4, 5, 5);
        expect("long", {5000, 10, 1, 0}, 0, 24.75, (4989 % 100) / 4.0);
        EXPECT_EQ(found["none"].count, 2u);
        EXPECT_EQ(found["none"].smallest(), std::nullopt);
        EXPECT_EQ(found["none"].newest(), std::nullopt);
        EXPECT_EQ(found["none"].mean(), std::nullopt);
    }
}

void expect_golden(const std::string& root) {
    auto catalogue = open_catalogue(root).value();
    const auto runs = catalogue->runs();
    ASSERT_EQ(runs.size(), 1u);
    const RunInfo& info = runs[0];
    EXPECT_EQ(info.id, "01GOLDEN");
    EXPECT_EQ(info.name, "golden");
    EXPECT_EQ(info.project, "digits");
    EXPECT_EQ(info.state, RunState::Finished);
    EXPECT_EQ(info.attempts, 2u);
    EXPECT_EQ(info.tags, (std::vector<std::string>{"first", "edited"}));
    EXPECT_EQ(info.config, (Hparams{{"lr", 3e-4}, {"depth", std::int64_t{4}}}));
    EXPECT_EQ(info.summary.at("best"), Cell(0.91));

    auto run = catalogue->run("golden").value();
    const auto points = run->points("train/loss").value();
    ASSERT_EQ(points.size(), 60u + 36);
    for (const Point& point : points) {
        EXPECT_EQ(point.value, sample_value(point.writer, 1, point.seq));
        EXPECT_EQ(point.step, static_cast<Step>(point.seq));
        EXPECT_EQ(point.time_ns, 1'000'000'000 + static_cast<std::int64_t>(point.seq) * 1000);
        EXPECT_EQ(point.attempt, point.writer == 0xA11CE ? 0u : 1u);
    }
    EXPECT_EQ(run->bins("train/loss", {.width = 1000}).value().points, 60u - 37 + 36);
    const auto special = run->points("special \xF0\x9F\x98\x80\n..").value();
    ASSERT_EQ(special.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(special[i].value), kSpecialBits[i]);
    }
    const auto entries = run->entries("note").value();
    ASSERT_EQ(entries.size(), 4u);
    EXPECT_EQ(entries[0].epoch, 0.5);
    EXPECT_EQ(entries[0].samples, 640);
    EXPECT_EQ(entries[0].phase, Phase::Validate);
    EXPECT_EQ(*run->load(std::get<Tensor>(*entries[0].value).data.ref).value(), large_blob());
    EXPECT_EQ(*run->load(std::get<Tensor>(*entries[1].value).data.ref).value(), kSmallBlob);
    const auto console = run->console(0, 100);
    ASSERT_EQ(console.size(), 6u);
    EXPECT_EQ(console[0].text, "hello");
    EXPECT_EQ(run->environment(), (Hparams{{"host/name", std::string("golden")}}));
    ASSERT_EQ(run->damage().size(), 2u);  // the gaps
}

}  // namespace
}  // namespace taffrail::store
