// Values over ranks: exact sums, groups, and ranks that log different names.
#include "metrics/communicator_worlds.h"
#include "metrics/log_fixture.h"

#include <gmock/gmock.h>

#include <cmath>

namespace taffrail::metrics_test {

namespace {

using testing::HasSubstr;

TEST(LogSync, EpochMeanIsWeightedExactlyStepMeanIsPlain) {
    on_threads(2, [](Communicator& world) {
        LogState state = started({.communicator = &world});
        state.begin_batch(Batch(), metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] {
            log(state, "a", world.rank() == 0 ? 2 : 4,
                {.on_step = true,
                 .on_epoch = true,
                 .sync_dist = true,
                 .batch_size = world.rank() == 0 ? 5 : 2});
        });
        state.end_batch();
        EXPECT_EQ(state.callback_metrics().find("a_step"), 3);
        state.end_batches();
        EXPECT_EQ(state.callback_metrics().find("a_epoch"), 18.0 / 7);
        EXPECT_TRUE(state.warnings().empty());
    });
}

TEST(LogSync, GroupsGiveDifferentMeans) {
    on_threads(4, [](Communicator& world) {
        const int low[] = {0, 1};
        const int high[] = {2, 3};
        ASSERT_TRUE(world.group("low", low).ok());
        ASSERT_TRUE(world.group("high", high).ok());
        LogState state = started({.communicator = &world});
        state.begin_batch(Batch(), metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] {
            log(state, "a", world.rank(),
                {.on_step = false,
                 .on_epoch = true,
                 .sync_dist = true,
                 .sync_dist_group = world.rank() < 2 ? "low" : "high",
                 .batch_size = 1});
        });
        state.end_batches();
        EXPECT_EQ(state.callback_metrics().find("a"), world.rank() < 2 ? 0.5 : 2.5);
    });
}

TEST(LogSync, RankZeroOnlyNeverWaits) {
    on_threads(2, [](Communicator& world) {
        LogState state = started({.communicator = &world});
        state.begin_batch(Batch(), metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] {
            if (world.rank() == 0) {
                log(state, "a", 1,
                    {.on_step = true,
                     .on_epoch = true,
                     .sync_dist = true,
                     .batch_size = 1,
                     .rank_zero_only = true});
            }
        });
        state.end_batch();
        state.end_batches();
        EXPECT_EQ(state.callback_metrics().contains("a"), world.rank() == 0);
        EXPECT_FALSE(state.failed());
    });
}

TEST(LogSync, NamesThatDifferBetweenRanksAreTold) {
    on_threads(2, [](Communicator& world) {
        LogState state = started({.communicator = &world});
        state.begin_batch(Batch(), metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] {
            const LogOptions synced{
                .on_step = false, .on_epoch = true, .sync_dist = true, .batch_size = 1};
            log(state, "both", 1, synced);
            log(state, world.rank() == 0 ? "only_zero" : "only_one", 1, synced);
        });
        state.end_batches();
        state.end_epoch();
        ASSERT_TRUE(state.error());
        EXPECT_THAT(state.error()->message, HasSubstr("only_zero"));
        EXPECT_THAT(state.error()->message, HasSubstr("only_one"));
    });
}

TEST(LogSync, AMissingRankIsNamedWithTheValueThatWaits) {
    const auto begin = std::chrono::steady_clock::now();
    on_threads(
        2,
        [](Communicator& world) {
            LogState state = started({.communicator = &world});
            if (world.rank() == 1) {
                return;
            }
            state.begin_batch(Batch(), metrics::kNoLoader);
            in_hook(state, Hook::TrainingStep, [&] { log(state, "loss", 1, {.sync_dist = true}); });
            ASSERT_TRUE(state.error());
            EXPECT_THAT(state.error()->message, HasSubstr("rank 1"));
            EXPECT_THAT(state.error()->message, HasSubstr("'loss'"));
        },
        std::chrono::milliseconds(200));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1200));
}

TEST(LogState, SingleCallsAreKeptBesideRows) {
    KeepRows rows;
    LogState state = started({.output = &rows});
    for (int batch = 0; batch < 3; ++batch) {
        state.begin_batch(Batch(), metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] {
            log(state, "step", batch);
            log(state, "both", batch, {.on_step = true, .on_epoch = true, .batch_size = 1});
            log(state, "epoch_only", batch, {.on_step = false, .on_epoch = true, .batch_size = 1});
        });
        state.end_batch();
    }
    EXPECT_EQ(rows.calls.size(), 9u);
    EXPECT_THAT(rows.keys, testing::ElementsAre("step", "both_step", "epoch_only_step"));
    EXPECT_TRUE(rows.rows.empty());
}

TEST(LogState, SinglePrecisionRoundsAsPyTorchDoesUntilADoubleComes) {
    LogState state = started({.precision = LogPrecision::Single});
    state.begin_batch(Batch(), metrics::kNoLoader);
    const double fine = 0.1;
    in_hook(state, Hook::TrainingStep, [&] {
        log(state, "narrow", fine);
        log(state, "wide", TensorView(&fine, DType::F64, {}));
        log(state, "huge", 1e39);
    });
    EXPECT_EQ(state.callback_metrics().find("narrow"), static_cast<double>(0.1f));
    EXPECT_EQ(state.callback_metrics().find("wide"), 0.1);
    EXPECT_TRUE(std::isinf(*state.callback_metrics().find("huge")));
}

}  // namespace

}  // namespace taffrail::metrics_test
