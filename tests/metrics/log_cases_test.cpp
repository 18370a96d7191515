// The numbered cases that need no loop: values, weights, batch sizes, hooks.
#include <taffrail/aggregation.h>
#include <taffrail/throughput.h>

#include "metrics/communicator_worlds.h"
#include "metrics/log_fixture.h"

#include <gmock/gmock.h>

#include <cmath>

namespace taffrail::metrics_test {

namespace {

const LogOptions kEpoch{.on_step = false, .on_epoch = true};

// What one epoch of training-step calls comes to.
std::optional<double> epoch_value(LogState& state, const std::string& name) {
    state.end_batches();
    return state.callback_metrics().find(name);
}

TEST(LogCases, Case23EpochValuesOfRanksWithoutSync) {
    on_threads(2, [](Communicator& world) {
        LogState state = started({.communicator = &world});
        SumMetric metric;
        metric.set_communicator(std::shared_ptr<Communicator>(&world, [](Communicator*) {}));
        const Batch batch(std::vector<float>(4));
        state.begin_batch(batch, metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] {
            if (world.rank() == 0) {
                log(state, "local", 0.5, kEpoch);
            }
            ASSERT_TRUE(metric.update(world.rank() + 1).ok());
            log(state, "object", metric, kEpoch);
        });
        EXPECT_EQ(epoch_value(state, "local"),
                  world.rank() == 0 ? std::optional(0.5) : std::nullopt);
        EXPECT_EQ(epoch_value(state, "object"), 3);
        EXPECT_EQ(state.warnings(),
                  world.rank() == 0 ? std::vector<std::string>{"W6"} : std::vector<std::string>{});
    });
}

TEST(LogCases, Case23MetricObjectNeedsNoSyncFlag) {
    on_threads(2, [](Communicator& world) {
        LogState state = started({.communicator = &world});
        SumMetric metric;
        metric.set_communicator(std::shared_ptr<Communicator>(&world, [](Communicator*) {}));
        state.begin_batch(Batch(), metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] {
            ASSERT_TRUE(metric.update(world.rank() + 1).ok());
            log(state, "object", metric, kEpoch);
        });
        EXPECT_EQ(epoch_value(state, "object"), 3);
        EXPECT_TRUE(state.warnings().empty());
    });
}

template <typename T>
BatchVisitor visited(const T& batch) {
    BatchVisitor visitor;
    visit_batch(visitor, batch);
    return visitor;
}

struct Pictures {
    TensorView x, y;
};

}  // namespace

}  // namespace taffrail::metrics_test

// A type of the program's own says how it is visited.
template <>
struct taffrail::BatchTraits<taffrail::metrics_test::Pictures> {
    static void visit(BatchVisitor& visitor, const taffrail::metrics_test::Pictures& pictures) {
        visit_batch(visitor, pictures.x);
        visit_batch(visitor, pictures.y);
    }
};

namespace taffrail::metrics_test {

namespace {

const TensorView kEleven(nullptr, DType::F32, {11, 7});
const TensorView kScalar(nullptr, DType::F32, {});
const TensorView kFour(nullptr, DType::F32, {4});
const TensorView kTen(nullptr, DType::F32, {10});

void expect_size(const BatchVisitor& visitor, std::int64_t size, bool ambiguous) {
    EXPECT_EQ(visitor.size(), size);
    EXPECT_EQ(visitor.ambiguous(), ambiguous);
}

TEST(LogCases, Case25BatchSizeIsFound) {
    expect_size(visited(kEleven), 11, false);
    expect_size(visited(std::map<std::string, TensorView>{{"x", kEleven}, {"y", kEleven}}), 11,
                false);
    expect_size(visited(std::vector<TensorView>{kEleven, kEleven}), 11, false);
    expect_size(visited(Pictures{kEleven, kEleven}), 11, false);
    expect_size(visited(std::map<std::string, std::vector<std::pair<TensorView, TensorView>>>{
                    {"a", {{kEleven, kEleven}}}}),
                11, false);
    expect_size(visited(std::vector<float>(11)), 11, false);
    expect_size(visited(kScalar), 1, false);
}

TEST(LogCases, Case26AmbiguousBatchesTakeTheFirstSize) {
    expect_size(visited(std::vector<TensorView>{kScalar, kScalar, kFour}), 1, true);
    expect_size(visited(std::pair(std::vector<TensorView>{kTen}, std::vector<TensorView>{kEleven})),
                10, true);
    expect_size(visited(std::pair(kTen, std::string("text"))), 10, true);
}

// A list that holds itself.
struct Knot {
    std::vector<std::shared_ptr<Knot>> parts;
};

}  // namespace

}  // namespace taffrail::metrics_test

template <>
struct taffrail::BatchTraits<taffrail::metrics_test::Knot> {
    static void visit(BatchVisitor& visitor, const taffrail::metrics_test::Knot& knot) {
        visit_batch(visitor, knot.parts);
    }
};

namespace taffrail::metrics_test {

namespace {

TEST(LogCases, Case27BatchesWithoutASize) {
    struct Foreign {};

    EXPECT_FALSE(visited(std::string("text")).size());
    EXPECT_FALSE(visited(std::vector<std::string>{"a", "b"}).size());
    EXPECT_FALSE(visited(Foreign{}).size());
    EXPECT_FALSE(visited(std::vector<TensorView>{}).size());
    auto knot = std::make_shared<Knot>();
    knot->parts.push_back(knot);
    EXPECT_TRUE(visited(*knot).endless());
    for (const Batch& batch : {Batch(std::string("text")), Batch(*knot)}) {
        LogState state = started();
        state.begin_batch(batch, metrics::kNoLoader);
        in_hook(state, Hook::TrainingStep, [&] { log(state, "a", 1, kEpoch); });
        ASSERT_TRUE(state.misuse());
        EXPECT_EQ(state.misuse()->code, "E12");
        EXPECT_EQ(state.misuse()->kind, MisuseKind::Configuration);
        EXPECT_THAT(state.misuse()->message, testing::HasSubstr("pass batch_size"));
    }
    knot->parts.clear();
}

TEST(LogCases, Case28WeightsOnlyCountInEpochMeans) {
    LogState state = started();
    const Batch text(std::string("no size to find"));
    state.begin_batch(text, metrics::kNoLoader);
    in_hook(state, Hook::TrainingStep, [&] {
        log(state, "mean", 7, {.on_step = false, .on_epoch = true, .batch_size = 10});
        log(state, "mean", 1, {.on_step = false, .on_epoch = true, .batch_size = 2});
        log(state, "step", 7, {.on_step = true, .on_epoch = false});
        log(state, "sum", 7, {.on_step = true, .on_epoch = true, .reduce_fx = Reduce::Sum});
    });
    ASSERT_FALSE(state.failed());
    EXPECT_EQ(epoch_value(state, "mean"), 72.0 / 12);
    EXPECT_EQ(epoch_value(state, "sum"), 7);
    EXPECT_FALSE(epoch_value(state, "step"));
}

TEST(LogCases, Case30OneElementTensorOfAnyShape) {
    LogState state = started();
    const float value = 1.2f;
    state.begin_batch(Batch(), metrics::kNoLoader);
    in_hook(state, Hook::TrainingStep,
            [&] { log(state, "a", TensorView(&value, DType::F32, {1, 1})); });
    EXPECT_EQ(state.callback_metrics().find("a"), static_cast<double>(1.2f));
}

TEST(LogCases, Case32WholeNumberThenWeightedFloat) {
    LogState state = started();
    state.begin_batch(Batch(), metrics::kNoLoader);
    const std::int64_t two = 2;
    in_hook(state, Hook::TrainingStep, [&] {
        log(state, "a", TensorView(&two, DType::I64, {}),
            {.on_step = false, .on_epoch = true, .batch_size = 3});
        log(state, "a", 4.0, {.on_step = false, .on_epoch = true, .batch_size = 5});
        log(state, "plain", 2, {.on_step = false, .on_epoch = true, .batch_size = 3});
    });
    EXPECT_EQ(epoch_value(state, "a"), 3.25);
    EXPECT_EQ(state.warnings(), std::vector<std::string>{"W4"});
}

TEST(LogCases, Case33SingleValuesOfMinAndMax) {
    LogState state = started();
    state.begin_batch(Batch(), metrics::kNoLoader);
    in_hook(state, Hook::TrainingStep, [&] {
        log(state, "max", -2, {.on_step = false, .on_epoch = true, .reduce_fx = Reduce::Max});
        log(state, "min", 2, {.on_step = false, .on_epoch = true, .reduce_fx = Reduce::Min});
        log(state, "broken", std::nan(""),
            {.on_step = false, .on_epoch = true, .reduce_fx = Reduce::Max});
    });
    EXPECT_EQ(epoch_value(state, "max"), -2);
    EXPECT_EQ(epoch_value(state, "min"), 2);
    EXPECT_TRUE(std::isnan(*epoch_value(state, "broken")));
}

TEST(LogCases, Case38EveryHookOfTheTable) {
    using metrics::HookRule;
    std::map<HookRule, int> counts;
    for (const metrics::HookInfo& info : metrics::all_hooks()) {
        ++counts[info.rule];
        LogState state = started();
        state.begin_batch(Batch(), metrics::kNoLoader);
        const Hook hook = metrics::find_hook(info.name);
        ASSERT_NE(hook, Hook::Unknown);
        in_hook(state, hook, [&] { log(state, "a", 1, {.batch_size = 1}); });
        if (info.rule == HookRule::Refused) {
            ASSERT_TRUE(state.misuse()) << info.name;
            EXPECT_EQ(state.misuse()->code, "E2");
            EXPECT_THAT(state.misuse()->message, testing::HasSubstr(info.name));
            continue;
        }
        ASSERT_FALSE(state.failed()) << info.name;
        // A step value shows while batches run, an epoch value after them.
        EXPECT_EQ(state.callback_metrics().contains("a"), info.rule == HookRule::Train)
            << info.name;
        EXPECT_EQ(epoch_value(state, "a").has_value(), true) << info.name;
    }
    EXPECT_EQ(counts[HookRule::Train], 12);
    EXPECT_EQ(counts[HookRule::Evaluation], 6);
    EXPECT_EQ(counts[HookRule::EpochOnly], 9);
    EXPECT_EQ(counts[HookRule::Refused], 38);
    for (const char* name : {"foo", "predict_dataloader"}) {
        LogState state = started();
        const Hook before = state.enter_unknown(name);
        log(state, "a", 1);
        state.leave(before);
        ASSERT_TRUE(state.misuse());
        EXPECT_EQ(state.misuse()->code, "E3");
        EXPECT_EQ(state.misuse()->kind, MisuseKind::Runtime);
        EXPECT_THAT(state.misuse()->message, testing::HasSubstr(name));
    }
}

TEST(LogCases, Case55ThroughputOverAWindow) {
    Throughput throughput({.window = 2});
    ASSERT_TRUE(throughput.update({.seconds = 2, .batches = 1, .samples = 2, .items = 4}).ok());
    EXPECT_EQ(throughput.compute().size(), 4u);
    ASSERT_TRUE(throughput.update({.seconds = 2.5, .batches = 2, .samples = 4, .items = 8}).ok());
    std::map<std::string, double> rates;
    for (const auto& [name, value] : throughput.compute()) {
        rates[name] = value;
    }
    EXPECT_EQ(rates.at("device/batches_per_sec"), 2);
    EXPECT_EQ(rates.at("device/samples_per_sec"), 4);
    EXPECT_EQ(rates.at("device/items_per_sec"), 8);
    EXPECT_FALSE(rates.contains("batches_per_sec"));
    const auto refused = throughput.update({.seconds = 2.5, .batches = 3, .samples = 6});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, testing::HasSubstr("must rise"));
}

TEST(LogCases, Case56FlopsAndUtilisation) {
    for (const auto& [peak, expected] : {std::pair(50.0, 0.2), std::pair(100.0, 0.1)}) {
        Throughput throughput({.window = 2, .peak_flops = peak});
        ASSERT_TRUE(
            throughput.update({.seconds = 1, .batches = 1, .samples = 1, .flops = 10}).ok());
        ASSERT_TRUE(
            throughput.update({.seconds = 2, .batches = 2, .samples = 2, .flops = 10}).ok());
        std::map<std::string, double> rates;
        for (const auto& [name, value] : throughput.compute()) {
            rates[name] = value;
        }
        EXPECT_EQ(rates.at("device/flops_per_sec"), 10);
        EXPECT_EQ(rates.at("device/mfu"), expected);
    }
}

}  // namespace

}  // namespace taffrail::metrics_test
