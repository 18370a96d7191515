// The misuse table: each mistake by its kind, its code, and a message that names the call site and
// the cure.
#include <taffrail/aggregation.h>

#include "metrics/communicator_worlds.h"
#include "metrics/log_fixture.h"

#include <gmock/gmock.h>

namespace taffrail::metrics_test {

namespace {

using testing::AllOf;
using testing::HasSubstr;

// Runs `work` in a train batch and returns the mistake.
Misuse mistake(const std::function<void(LogState&)>& work, Hook hook = Hook::TrainingStep,
               Loop loop = Loop::Train) {
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
    expect(
        mistake([](LogState& state) { log(state, "a", 1, {.on_step = false, .on_epoch = false}); }),
        "E1", MisuseKind::Configuration, "set one of them");
}

TEST(MisuseTable, E02HookThatMayNotLog) {
    expect(mistake([](LogState& state) { log(state, "a", 1); }, Hook::OnTrainEnd), "E2",
           MisuseKind::Configuration, "not allowed inside on_train_end");
}

TEST(MisuseTable, E03UnknownHook) {
    LogState state = started();
    const Hook before = state.enter_unknown("my_hook");
    log(state, "a", 1);
    state.leave(before);
    expect(state.misuse().value(), "E3", MisuseKind::Runtime, "'my_hook'");
}

TEST(MisuseTable, E04LevelThatTheHookDoesNotHave) {
    expect(
        mistake([](LogState& state) { log(state, "a", 1, {.on_step = true}); }, Hook::OnTrainStart),
        "E4", MisuseKind::Configuration, "on_step = true is not allowed inside on_train_start");
    expect(mistake([](LogState& state) { log(state, "a", 1, {.on_epoch = false}); },
                   Hook::OnTestEpochEnd),
           "E4", MisuseKind::Configuration,
           "on_epoch = false is not allowed inside on_test_epoch_end");
}

TEST(MisuseTable, E05Case29ValuesThatAreNoNumbers) {
    for (const char* type : {"nothing", "text", "list", "tuple", "map", "nested map"}) {
        expect(mistake([&](LogState& state) { log(state, "a", LogValue::unsupported(type)); }),
               "E5", MisuseKind::BadValue, std::string("log(\"a\") got a value of type ") + type);
    }
}

TEST(MisuseTable, E06Case29TensorOfSeveralElements) {
    const float two[] = {1, 2};
    expect(mistake([&](LogState& state) { log(state, "a", TensorView(two, DType::F32, {2})); }),
           "E6", MisuseKind::BadValue, "log its mean");
}

TEST(MisuseTable, E07Case29LoaderInTheName) {
    expect(mistake([](LogState& state) { log(state, "foo/dataloader_idx_0", 1); }), "E7",
           MisuseKind::Configuration, "add_dataloader_idx = false");
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
    LogState state =
        started({.is_registered = [](const Metric&) { return false; },
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
    expect(mistake([](LogState& state) { log(state, "a", 1); }, Hook::PredictStep, Loop::None),
           "E13", MisuseKind::Configuration, "predict loop");
}

TEST(MisuseTable, E14OutsideOfHooks) {
    LogState state = started();
    log(state, "a", 1);
    expect(state.misuse().value(), "E14", MisuseKind::Configuration,
           "outside of the trainer's hooks");
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
    in_hook(state, Hook::TrainingStep,
            [&] { log(state, "pair", metric, {.on_step = false, .on_epoch = true}); });
    EXPECT_FALSE(state.failed());
    state.end_batches();
    state.end_epoch();
    ASSERT_TRUE(state.misuse());
    EXPECT_EQ(state.misuse()->code, "E15");
    EXPECT_EQ(state.misuse()->kind, MisuseKind::BadValue);
    EXPECT_THAT(state.misuse()->message, AllOf(HasSubstr("\"pair\""), HasSubstr("misuse_test.cpp:"),
                                               HasSubstr("a name of its own")));
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

// Runs `work` in three train batches of a state with these settings; what was said, and as which
// codes.
struct Said {
    std::vector<std::string> messages;
    std::vector<std::string> codes;
};

Said warnings(LogSettings settings, const Batch& batch,
              const std::function<void(LogState&)>& work) {
    Said said;
    reset_diagnostics();
    LogState state = started(std::move(settings));
    set_diagnostic_handler(
        [&](DiagnosticLevel, std::string_view text) { said.messages.emplace_back(text); });
    for (int round = 0; round < 3; ++round) {
        state.begin_batch(batch, metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] { work(state); });
        state.end_batch();
    }
    state.end_batches();
    state.end_epoch();
    set_diagnostic_handler(nullptr);
    EXPECT_FALSE(state.failed());
    said.codes.assign(state.warnings().begin(), state.warnings().end());
    return said;
}

// Said once although it happened three times, with the call site and the cure.
void expect(const Said& said, std::string_view code, std::string_view cure) {
    EXPECT_THAT(said.codes, testing::ElementsAre(code));
    EXPECT_THAT(said.messages,
                testing::ElementsAre(AllOf(HasSubstr(cure), HasSubstr("misuse_test.cpp:"))));
}

TEST(WarningTable, W2BareModeIgnoresCalls) {
    expect(warnings({.bare = true}, Batch(), [](LogState& state) { log(state, "a", 1); }), "W2",
           "leave barebones out");
}

TEST(WarningTable, W3LoggerWantedButNoneThere) {
    expect(warnings({.has_sink = false}, Batch(),
                    [](LogState& state) { log(state, "a", 1, {.logger = true}); }),
           "W3", "give it one or leave the option out");
}

TEST(WarningTable, W4WholeNumberOfATensor) {
    const std::int32_t whole = 3;
    expect(warnings({}, Batch(),
                    [&](LogState& state) { log(state, "a", TensorView(&whole, DType::I32, {})); }),
           "W4", "Convert it yourself");
}

TEST(WarningTable, W5PartsOfTheBatchDiffer) {
    const Batch ambiguous(std::pair(std::vector<float>(2), std::vector<float>(3)));
    expect(warnings({}, ambiguous, [](LogState& state) { log(state, "a", 1, {.on_epoch = true}); }),
           "W5", "Pass batch_size");
}

TEST(WarningTable, W6EpochValueOfOneRankAlone) {
    on_threads(2, [](Communicator& world) {
        if (world.rank() == 0) {  // the handler of diagnostics is one for all threads
            expect(warnings({.communicator = &world}, Batch(),
                            [](LogState& state) {
                                log(state, "a", 1, {.on_epoch = true, .batch_size = 1});
                            }),
                   "W6", "pass sync_dist = true");
        }
    });
}

TEST(WarningTable, W9MetricComputedBeforeAnyUpdate) {
    SumMetric metric;
    const Said said = warnings({}, Batch(), [&](LogState& state) {
        log(state, "a", metric, {.on_step = false, .on_epoch = true});
    });
    EXPECT_THAT(said.codes, testing::ElementsAre("W9"));
    ASSERT_FALSE(said.messages.empty());
    EXPECT_THAT(said.messages.front(), AllOf(HasSubstr("feed it with update() or forward()"),
                                             HasSubstr("misuse_test.cpp:")));
}

}  // namespace

}  // namespace taffrail::metrics_test
