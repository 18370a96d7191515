// The misuse table: each mistake by its kind, its code, and a message that names the call site and the cure.
#include <gtest/gtest.h>

#include <taffrail/aggregation.h>

#include "metrics/communicator_worlds.h"
#include "metrics/log_fixture.h"

namespace taffrail::metrics_test {

namespace {

using testing::AllOf;
using testing::HasSubstr;

// Runs `work` in a train batch and returns the mistake.
Misuse mistake(const std::function<void(LogState&)>& work, Hook hook = Hook::TrainingStep, Loop loop = Loop::Train) {
    LogState state = started({}, loop);
    state.begin_batch(Batch(std::vector<float>(2)), metrics::kNoLoader);
    in_hook(state, hook, [&] { work(state); });
    EXPECT_TRUE(state.misuse());
    return state.misuse().value_or(Misuse{});
}

void expect(const Misuse& misuse, std::string_view code, MisuseKind kind, std::string_view cure) {
    EXPECT_EQ(misuse.code, code);
    EXPECT_EQ(misuse.kind, kind);
    EXPECT_THAT(misuse.message, AllOf(HasSubstr(cure), HasSubstr("misuse_test.cpp:")));
}

TEST(MisuseTable, E01BothLevelsOff) {
    expect(mistake([](LogState& state) { log(state, "a", 1, {.on_step = false, .on_epoch = false}); }), "E1",
           MisuseKind::Configuration, "set one of them");
}

TEST(MisuseTable, E02HookThatMayNotLog) {
    expect(mistake([](LogState& state) { log(state, "a", 1); }, Hook::OnTrainEnd), "E2", MisuseKind::Configuration,
           "not allowed inside on_train_end");
}

TEST(MisuseTable, E03UnknownHook) {
    LogState state = started();
    const Hook before = state.enter_unknown("my_hook");
    log(state, "a", 1);
    state.leave(before);
    expect(state.misuse().value(), "E3", MisuseKind::Runtime, "'my_hook'");
}

TEST(MisuseTable, E04LevelThatTheHookDoesNotHave) {
    expect(mistake([](LogState& state) { log(state, "a", 1, {.on_step = true}); }, Hook::OnTrainStart), "E4",
           MisuseKind::Configuration, "on_step = true is not allowed inside on_train_start");
    expect(mistake([](LogState& state) { log(state, "a", 1, {.on_epoch = false}); }, Hook::OnTestEpochEnd), "E4",
           MisuseKind::Configuration, "on_epoch = false is not allowed inside on_test_epoch_end");
}

TEST(MisuseTable, E05Case29ValuesThatAreNoNumbers) {
    for (const char* type : {"nothing", "text", "list", "tuple", "map", "nested map"}) {
        expect(mistake([&](LogState& state) { log(state, "a", LogValue::unsupported(type)); }), "E5",
               MisuseKind::BadValue, std::string("log(\"a\") got a value of type ") + type);
    }
}

TEST(MisuseTable, E06Case29TensorOfSeveralElements) {
    const float two[] = {1, 2};
    expect(mistake([&](LogState& state) { log(state, "a", TensorView(two, DType::F32, {2})); }), "E6",
           MisuseKind::BadValue, "log its mean");
}

TEST(MisuseTable, E07Case29LoaderInTheName) {
    expect(mistake([](LogState& state) { log(state, "foo/dataloader_idx_0", 1); }), "E7", MisuseKind::Configuration,
           "add_dataloader_idx = false");
}

TEST(MisuseTable, E08Case29SameSlotOtherOptions) {
    const Misuse misuse = mistake([](LogState& state) {
        log(state, "a", 1);
        log(state, "a", 1, {.prog_bar = true});
    });
    expect(misuse, "E8", MisuseKind::Configuration, "in prog_bar");
    // Both call sites are named.
    EXPECT_THAT(misuse.message, HasSubstr("the first such call at misuse_test.cpp:"));
    SumMetric metric;
    expect(mistake([&](LogState& state) {
               log(state, "a", 1);
               log(state, "a", metric);
           }),
           "E8", MisuseKind::Configuration, "the Metric object");
    expect(mistake([&](LogState& state) {
               log(state, "a", 1, {.reduce_fx = Reduce::Sum});
               log(state, "a", 1, {.reduce_fx = Reduce::Max});
           }),
           "E8", MisuseKind::Configuration, "reduce_fx");
}

TEST(MisuseTable, E08WeightMayChangeFromCallToCall) {
    LogState state = started();
    state.begin_batch(Batch(), metrics::kNoLoader);
    in_hook(state, Hook::TrainingStep, [&] {
        log(state, "a", 1, {.on_epoch = true, .batch_size = 1});
        log(state, "a", 1, {.on_epoch = true, .batch_size = 9});
    });
    EXPECT_FALSE(state.failed());
}

TEST(MisuseTable, E09Case29UnknownReduction) {
    expect(mistake([](LogState& state) { log(state, "a", 1, {.reduce_fx = "argmax"}); }), "E9",
           MisuseKind::Configuration, "only mean, sum, min and max");
}

TEST(MisuseTable, E10MetricThatIsNotRegistered) {
    LogState state = started({.is_registered = [](const Metric&) { return false; },
                              .registered_names = [] { return std::vector<std::string>{"accuracy"}; }});
    SumMetric metric;
    in_hook(state, Hook::TrainingStep, [&] { log(state, "a", metric); });
    expect(state.misuse().value(), "E10", MisuseKind::Configuration, "register_metric()");
    EXPECT_THAT(state.misuse()->message, HasSubstr("registered: accuracy"));
}

TEST(MisuseTable, E11IteratorStepWithoutBatchSize) {
    LogState state = started();
    state.begin_batch(Batch(), metrics::kNoLoader, true);
    in_hook(state, Hook::TrainingStep, [&] { log(state, "fine", 1, {.batch_size = 4}); });
    EXPECT_FALSE(state.failed());
    in_hook(state, Hook::TrainingStep, [&] { log(state, "a", 1); });
    expect(state.misuse().value(), "E11", MisuseKind::Configuration, "needs batch_size");
}

TEST(MisuseTable, E12BatchSizeNotFound) {
    LogState state = started();
    const Batch text(std::string("text"));
    state.begin_batch(text, metrics::kNoLoader);
    in_hook(state, Hook::TrainingStep, [&] { log(state, "a", 1, {.on_epoch = true}); });
    expect(state.misuse().value(), "E12", MisuseKind::Configuration, "pass batch_size");
}

TEST(MisuseTable, E13PredictLoopComesBeforeTheHook) {
    expect(mistake([](LogState& state) { log(state, "a", 1); }, Hook::PredictStep, Loop::None), "E13",
           MisuseKind::Configuration, "predict loop");
}

TEST(MisuseTable, E14OutsideOfHooks) {
    LogState state = started();
    log(state, "a", 1);
    expect(state.misuse().value(), "E14", MisuseKind::Configuration, "outside of the trainer's hooks");
}

class TwoNumbers final : public Metric {
  public:
    Result<MetricValue> forward() {
        return apply_forward([] { return Result<void>(); });
    }

  private:
    MetricValue compute_state() const override { return MetricValue({1, 2}, {2}); }
};

TEST(MisuseTable, E15Case37MetricOfTwoNumbers) {
    LogState state = started();
    TwoNumbers metric;
    state.begin_batch(Batch(), metrics::kNoLoader);
    in_hook(state, Hook::TrainingStep, [&] { log(state, "pair", metric, {.on_step = false, .on_epoch = true}); });
    EXPECT_FALSE(state.failed());
    state.end_batches();
    state.end_epoch();
    ASSERT_TRUE(state.misuse());
    EXPECT_EQ(state.misuse()->code, "E15");
    EXPECT_EQ(state.misuse()->kind, MisuseKind::BadValue);
    EXPECT_THAT(state.misuse()->message, HasSubstr("\"pair\""));
}

TEST(MisuseTable, TheFirstMistakeCountsAndNothingIsRecordedAfterIt) {
    KeepRows rows;
    LogState state = started({.output = &rows});
    state.begin_batch(Batch(), metrics::kNoLoader);
    in_hook(state, Hook::TrainingStep, [&] {
        log(state, "a", LogValue::unsupported("text"));
        log(state, "b", 1, {.reduce_fx = "argmax"});
    });
    state.end_batch();
    state.write_train_step();
    EXPECT_EQ(state.misuse()->code, "E5");
    EXPECT_TRUE(rows.rows.empty());
    EXPECT_TRUE(rows.calls.empty());
}

TEST(MisuseTable, UnknownGroupIsAnErrorNotTheWorld) {
    on_threads(2, [](Communicator& world) {
        LogState state = started({.communicator = &world});
        state.begin_batch(Batch(), metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep,
                [&] { log(state, "a", 1, {.sync_dist = true, .sync_dist_group = "nobody"}); });
        ASSERT_TRUE(state.misuse());
        EXPECT_THAT(state.misuse()->message, HasSubstr("no group 'nobody'"));
    });
}

TEST(Warnings, EachIsGivenOncePerName) {
    int said = 0;
    reset_diagnostics();
    LogState state = started({.has_sink = false});
    set_diagnostic_handler([&](DiagnosticLevel, std::string_view) { ++said; });
    const std::int32_t whole = 3;
    for (int batch = 0; batch < 3; ++batch) {
        const Batch ambiguous(std::pair(std::vector<float>(2), std::vector<float>(3)));
        state.begin_batch(ambiguous, metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] {
            log(state, "a", TensorView(&whole, DType::I32, {}), {.logger = true, .on_epoch = true});
        });
        state.end_batch();
    }
    EXPECT_THAT(state.warnings(), testing::ElementsAre("W3", "W5", "W4"));
    EXPECT_EQ(said, 3);
    LogState bare = started({.bare = true});
    in_hook(bare, Hook::TrainingStep, [&] { log(bare, "a", 1); });
    EXPECT_THAT(bare.warnings(), testing::ElementsAre("W2"));
}

}  // namespace

}  // namespace taffrail::metrics_test
