// What a reader knows of its keys and blobs: ranges of steps, kinds, definitions, and that asking
// costs no more with a large run.
#include "base/sha256.h"
#include "codec/tlog/meta.h"
#include "codec/value_codec.h"
#include "store/open_log.h"
#include "store/run_check.h"
#include "store/run_reader.h"
#include "store/sample_batch.h"
#include "store/sealing.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace taffrail::store {
namespace {

class KeyFacts : public ::testing::Test {
  protected:
    /// Long rows of one key at these steps.
    void scalars(record::LogWriter& log, std::uint32_t key, const std::vector<Step>& steps) {
        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> time_ns;
        std::vector<std::uint32_t> keys(steps.size(), key), route(steps.size(), kAllSinks);
        std::vector<double> value;
        tlog::Batch batch = definitions();
        batch.first_seq = next_seq_;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            seq.push_back(next_seq_++);
            time_ns.push_back(1'000'000 + static_cast<std::int64_t>(next_seq_));
            value.push_back(static_cast<double>(i));
        }
        batch.rows = static_cast<std::uint32_t>(steps.size());
        batch.long_rows.push_back({keys, {seq, steps, time_ns, {}, {}, {}, route}, value});
        log.append(batch).value();
    }

    void text(record::LogWriter& log, std::uint32_t key, const std::string& words) {
        const Bytes metadata = encode_value(Value(Text{words}));
        tlog::Batch batch = definitions();
        tlog::ValueRecord& value = batch.values.emplace_back();
        value.seq = next_seq_;
        value.key = key;
        value.kind = Kind::Text;
        value.step = 3;
        value.time_ns = 1;
        value.epoch = std::nan("");
        value.metadata = metadata;
        batch.first_seq = next_seq_++;
        batch.rows = 1;
        log.append(batch).value();
    }

    /// A finished run of as many different small pictures.
    std::vector<BlobRef> log_pictures(int count) {
        auto log = open_log(folder_, sample_identity(1), {}).value();
        std::vector<BlobRef> refs;
        for (int i = 0; i < count; ++i) {
            const std::string words = "picture " + std::to_string(i);
            tlog::Batch batch;
            batch.keys = {{9, Kind::Tensor, "image"}};
            tlog::ValueRecord& value = batch.values.emplace_back();
            const BlobRef ref{sha256(as_bytes(words)), words.size()};
            refs.push_back(ref);
            value.seq = next_seq_;
            value.key = 9;
            value.kind = Kind::Tensor;
            value.epoch = std::nan("");
            Tensor tensor;
            tensor.shape = {static_cast<std::int64_t>(words.size())};
            tensor.dtype = DType::U8;
            tensor.data.ref = ref;
            const Bytes metadata = encode_value(Value(tensor));
            value.metadata = metadata;
            value.blobs = {{ref, tlog::BlobPlace::Where::Inline, as_bytes(words), 0, 0}};
            batch.first_seq = next_seq_++;
            batch.rows = 1;
            log->append(batch).value();
        }
        log->close(RunState::Finished).value();
        return refs;
    }

    static tlog::Batch definitions() {
        tlog::Batch batch;
        batch.keys = {{1, Kind::Scalar, "loss"}, {2, Kind::Text, "loss"}, {3, Kind::Scalar, "acc"}};
        return batch;
    }

    void before_and_after_sealing(const std::function<void(RunReader&)>& check) {
        {
            SCOPED_TRACE("live");
            check(*RunReader::open(folder_).value());
        }
        seal_finished(folder_).value();
        {
            SCOPED_TRACE("sealed");
            check(*RunReader::open(folder_).value());
        }
        drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
        SCOPED_TRACE("logs dropped");
        check(*RunReader::open(folder_).value());
    }

    static const KeyInfo* find(const std::vector<KeyInfo>& keys, std::string_view name, Kind kind) {
        const auto found = std::ranges::find_if(
            keys, [&](const KeyInfo& key) { return key.key == name && key.kind == kind; });
        return found == keys.end() ? nullptr : &*found;
    }

    std::string folder_ = fresh_folder("memory") + "/01SAMPLE-x";
    std::uint64_t next_seq_ = 1;
};

// 0…99 and then a last value at step 0; and steps that begin in the middle.
TEST_F(KeyFacts, FindingO06_TheRangeIsTheSmallestAndTheLargestStep) {
    auto log = open_log(folder_, sample_identity(1), {}).value();
    std::vector<Step> back;
    for (Step step = 0; step < 100; ++step) {
        back.push_back(step);
    }
    back.push_back(0);
    scalars(*log, 1, back);
    scalars(*log, 3, {5, 9, 1, 8});
    log->close(RunState::Finished).value();
    before_and_after_sealing([&](RunReader& run) {
        const auto keys = run.keys();
        ASSERT_NE(find(keys, "loss", Kind::Scalar), nullptr);
        EXPECT_EQ(find(keys, "loss", Kind::Scalar)->scalar.first_step, 0);
        EXPECT_EQ(find(keys, "loss", Kind::Scalar)->scalar.last_step, 99);
        EXPECT_EQ(find(keys, "loss", Kind::Scalar)->scalar.last, 100) << "the newest, at step 0";
        EXPECT_EQ(find(keys, "acc", Kind::Scalar)->scalar.first_step, 1);
        EXPECT_EQ(find(keys, "acc", Kind::Scalar)->scalar.last_step, 9);
        EXPECT_EQ(run.bins("acc", {.width = 100}).value().points, 4u);
    });
}

TEST_F(KeyFacts, FindingO10_KindsOfOneKeyStandSideBySide) {
    auto log = open_log(folder_, sample_identity(1), {}).value();
    scalars(*log, 1, {0, 1, 2});
    text(*log, 2, "it fell");
    scalars(*log, 1, {4, 5});
    log->close(RunState::Finished).value();
    before_and_after_sealing([&](RunReader& run) {
        const auto keys = run.keys();
        ASSERT_EQ(keys.size(), 2u);
        ASSERT_NE(find(keys, "loss", Kind::Scalar), nullptr);
        ASSERT_NE(find(keys, "loss", Kind::Text), nullptr);
        EXPECT_EQ(find(keys, "loss", Kind::Scalar)->count, 5u);
        EXPECT_EQ(find(keys, "loss", Kind::Text)->count, 1u);
        EXPECT_EQ(run.points("loss").value().size(), 5u);
        EXPECT_EQ(run.entries("loss").value().size(), 1u);
    });
}

TEST_F(KeyFacts, FindingR04_DefinitionsComeBackWithTheKeysTheyMean) {
    auto log = open_log(folder_, sample_identity(1), {}).value();
    scalars(*log, 1, {0, 1, 2});
    scalars(*log, 3, {0, 1, 2});
    const Bytes all = tlog::encode_metric_definition("*", {.step = "epoch", .hidden = true});
    const Bytes loss = tlog::encode_metric_definition(
        "loss", {.step = "", .summary = Summary::Min, .goal = Goal::Minimize});
    tlog::Batch batch;
    // The pattern is the newer one; the whole name holds all the same.
    batch.meta = {{tlog::MetaType::MetricDefinition, 7, 7, loss},
                  {tlog::MetaType::MetricDefinition, 8, 8, all}};
    log->append(batch).value();
    log->close(RunState::Finished).value();
    before_and_after_sealing([&](RunReader& run) {
        const auto keys = run.keys();
        const KeyInfo* const defined = find(keys, "loss", Kind::Scalar);
        ASSERT_NE(defined, nullptr);
        ASSERT_NE(defined->definition, nullptr);
        EXPECT_EQ(defined->definition->summary, Summary::Min);
        EXPECT_EQ(defined->definition->goal, Goal::Minimize);
        EXPECT_FALSE(defined->definition->hidden);
        EXPECT_EQ(model::summary_of(*defined), 0.0);
        EXPECT_EQ(model::best_of(*defined), 0.0);
        const KeyInfo* const other = find(keys, "acc", Kind::Scalar);
        ASSERT_NE(other->definition, nullptr);
        EXPECT_TRUE(other->definition->hidden);
        EXPECT_EQ(other->definition->step, "epoch");
        EXPECT_EQ(model::summary_of(*other), 2.0) << "the last one where nothing else is said";
    });
}

TEST_F(KeyFacts, FindingG16_PointsOfALongSeriesComeInPieces) {
    auto log = open_log(folder_, sample_identity(1), {}).value();
    constexpr Step kPoints = 300'000;
    for (Step first = 0; first < kPoints; first += 50'000) {
        std::vector<Step> steps(50'000);
        std::iota(steps.begin(), steps.end(), first);
        scalars(*log, 1, steps);
    }
    log->close(RunState::Finished).value();
    before_and_after_sealing([&](RunReader& run) {
        std::size_t largest = 0;
        Step next = 0;
        run.visit_points("loss", Attempts::Winning,
                         [&](std::span<const Point> some) -> Result<void> {
                             largest = std::max(largest, some.size());
                             for (const Point& point : some) {
                                 EXPECT_EQ(point.step, next++);
                             }
                             return {};
                         })
            .value();
        EXPECT_EQ(next, kPoints);
        EXPECT_LE(largest, 65'536u) << "memory would grow with the series";
    });
}

/// Processor time of this process.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Every value had been collected and sorted anew for each blob that was asked for.
TEST_F(KeyFacts, FindingG10_BlobsOfASealedRunAreFoundByAnIndex) {
    const std::vector<BlobRef> refs = log_pictures(500);
    before_and_after_sealing([&](RunReader& run) {
        for (std::size_t i = 0; i < refs.size(); ++i) {
            const auto bytes = run.load(refs[i]);
            ASSERT_TRUE(bytes.ok());
            EXPECT_EQ(as_text(**bytes), "picture " + std::to_string(i));
        }
        EXPECT_FALSE(run.load(BlobRef{sha256(as_bytes("no picture")), 10}).ok());
    });
    const auto manifest = read_manifest(folder_);
    const auto sealed = seal::SealedRun::open(folder_, manifest->files);
    EXPECT_EQ(sealed->values("image").size(), refs.size());
    ASSERT_TRUE(sealed->find_blob(refs[7]));
    EXPECT_EQ(sealed->find_blob(refs[7])->place->ref.sha256, refs[7].sha256);
}

// A picture costs what it costs among few: twenty times as many took twenty times as long, each.
TEST_F(KeyFacts, FindingG10_VerifyingAndLoadingCostsEachPictureTheSame) {
    const auto costs_of_one = [&](int count) {
        folder_ = fresh_folder("memory") + "/01SAMPLE-x";
        next_seq_ = 1;
        const std::vector<BlobRef> refs = log_pictures(count);
        seal_finished(folder_).value();
        drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
        double least = 1e9;
        for (int attempt = 0; attempt < 3; ++attempt) {
            const double start = cpu_seconds();
            EXPECT_TRUE(check_run_files(folder_).empty());
            const auto run = RunReader::open(folder_).value();
            for (const BlobRef& ref : refs) {
                EXPECT_TRUE(run->load(ref).ok());
            }
            least = std::min(least, cpu_seconds() - start);
        }
        return least / count;
    };
    const double among_few = costs_of_one(300);
    EXPECT_LT(costs_of_one(6000), among_few * 6);
}

}  // namespace
}  // namespace taffrail::store
