// The contract of Metric: what update, forward, compute, sync and merge do to the states.
#include <taffrail/aggregation.h>
#include <taffrail/metric.h>

#include "base/diagnostics.h"
#include "metrics/communicator_worlds.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

namespace taffrail::metrics_test {

namespace {

// Sum and count, as a person would write a first metric.
class Total : public Metric {
  public:
    explicit Total(MetricSettings settings = {}) : Metric(settings) {}

    Result<void> update(double value) {
        return apply_update([&] { return change(value); });
    }

    Result<MetricValue> forward(double value) {
        return apply_forward([&] { return change(value); });
    }

  private:
    Result<void> change(double value) {
        state(x_)[0] += value;
        state(c_)[0] += 1;
        return {};
    }

    MetricValue compute_state() const override { return state(x_)[0]; }

    StateId x_ = add_state("x", {0}, StateReduce::Sum);
    StateId c_ = add_state("c", {0}, StateReduce::Sum);
};

class OtherTotal : public Total {};

class Listing : public Metric {
  public:
    explicit Listing(MetricSettings settings = {}) : Metric(settings) {}

    Result<void> update(double value) {
        return apply_update([&]() -> Result<void> {
            state(items_).push_back(value);
            return {};
        });
    }

  private:
    MetricValue compute_state() const override {
        const Values& items = state(items_);
        return MetricValue(items, {static_cast<std::int64_t>(items.size())});
    }

    StateId items_ = add_state("items", {}, StateReduce::Cat);
};

TEST(Metric, Case57SumCalledTwiceGivesBatchValuesAndTotal) {
    reset_diagnostics();
    Total total;
    EXPECT_EQ(total.forward(5).value().number(), 5);
    EXPECT_EQ(total.forward(8).value().number(), 8);
    EXPECT_EQ(total.compute().value().number(), 13);
    std::string said;
    auto before =
        set_diagnostic_handler([&](DiagnosticLevel, std::string_view message) { said = message; });
    total.reset();
    EXPECT_EQ(total.compute().value().number(), 0);
    set_diagnostic_handler(before);
    EXPECT_THAT(said, testing::HasSubstr("before any update"));
}

TEST(Metric, Case58ComputeIsCachedUntilTheNextUpdate) {
    class Counting : public Total {
      public:
        mutable int computed = 0;

      private:
        MetricValue compute_state() const override { return static_cast<double>(++computed); }
    };

    Counting metric;
    ASSERT_TRUE(metric.update(1).ok());
    EXPECT_EQ(metric.compute().value().number(), 1);
    EXPECT_EQ(metric.compute().value().number(), 1);
    ASSERT_TRUE(metric.update(1).ok());
    EXPECT_EQ(metric.compute().value().number(), 2);
}

TEST(Metric, Case60WeightedMeansBroadcast) {
    std::vector<double> values(24);
    std::iota(values.begin(), values.end(), 0);
    const TensorView cube(values.data(), DType::F64, {2, 3, 4});
    const std::vector<double> weights{1, 2};
    MeanMetric mean;
    ASSERT_TRUE(mean.update(cube).ok());
    EXPECT_DOUBLE_EQ(mean.compute().value().number(), 11.5);
    mean.reset();
    ASSERT_TRUE(mean.update(cube, TensorView(weights.data(), DType::F64, {2, 1, 1})).ok());
    EXPECT_DOUBLE_EQ(mean.compute().value().number(), 13.5);
    const auto refused = mean.update(cube, TensorView(weights));
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, testing::HasSubstr("do not broadcast"));

    std::vector<double> five{0, std::nan(""), 2, 3, 4};
    std::vector<double> five_weights{0, 1, 2, 3, 4};
    MeanMetric ignoring(NanPolicy::Action::Ignore);
    ASSERT_TRUE(ignoring.update(TensorView(five), TensorView(five_weights)).ok());
    EXPECT_NEAR(ignoring.compute().value().number(), 3.2222, 1e-4);
    EXPECT_TRUE(std::isnan(five[1]));
}

TEST(Metric, Case61SyncAndUnsyncOnTwoRanks) {
    on_threads(2, [](Communicator& world) {
        Total total;
        total.set_communicator(std::shared_ptr<Communicator>(&world, [](Communicator*) {}));
        for (int value = 0; value < 5; ++value) {
            ASSERT_TRUE(total.update(value).ok());
        }
        ASSERT_TRUE(total.sync().ok());
        EXPECT_EQ(total.find_state("x")->front(), 20);
        EXPECT_EQ(total.find_state("c")->front(), 10);
        const auto again = total.sync();
        ASSERT_FALSE(again.ok());
        EXPECT_THAT(again.error().message, testing::HasSubstr("already synced"));
        const auto fed = total.forward(1);
        ASSERT_FALSE(fed.ok());
        EXPECT_THAT(fed.error().message, testing::HasSubstr("call unsync()"));
        ASSERT_TRUE(total.unsync().ok());
        EXPECT_EQ(total.find_state("x")->front(), 10);
        EXPECT_EQ(total.find_state("c")->front(), 5);
        const auto undone = total.unsync();
        ASSERT_FALSE(undone.ok());
        EXPECT_THAT(undone.error().message, testing::HasSubstr("not synced"));
    });
}

TEST(Metric, Case62ListStatesOfUnevenRanks) {
    on_threads(2, [](Communicator& world) {
        const std::shared_ptr<Communicator> shared(&world, [](Communicator*) {});
        Listing listing;
        listing.set_communicator(shared);
        if (world.rank() == 0) {
            ASSERT_TRUE(listing.update(0).ok());
            ASSERT_TRUE(listing.update(0).ok());
        }
        EXPECT_THAT(listing.compute().value().values, testing::ElementsAre(0, 0));
        Listing local({.sync_on_compute = false});
        local.set_communicator(shared);
        ASSERT_TRUE(local.update(world.rank() + 1).ok());
        EXPECT_THAT(local.compute().value().values, testing::ElementsAre(world.rank() + 1));
    });
}

TEST(Metric, Case63MergeState) {
    Total one;
    Total two;
    ASSERT_TRUE(one.update(1).ok());
    ASSERT_TRUE(two.update(2).ok());
    ASSERT_TRUE(one.merge_state(two).ok());
    EXPECT_EQ(one.compute().value().number(), 3);
    OtherTotal other;
    EXPECT_EQ(one.merge_state(other).error().code, ErrorCode::InvalidArgument);
    Total full({.full_state_update = true});
    EXPECT_EQ(full.merge_state(two).error().code, ErrorCode::Unsupported);
}

TEST(Metric, BatchValueCanBeSyncedOnEveryStep) {
    on_threads(2, [](Communicator& world) {
        Total total({.dist_sync_on_step = true});
        total.set_communicator(std::shared_ptr<Communicator>(&world, [](Communicator*) {}));
        EXPECT_EQ(total.forward(world.rank() + 1).value().number(), 3);
        EXPECT_EQ(total.find_state("x")->front(), world.rank() + 1);
    });
}

TEST(Metric, FullStateAndMergingForwardAgree) {
    Total merging;
    Total full({.full_state_update = true});
    for (double value : {3.0, 4.5, -1.0}) {
        EXPECT_EQ(merging.forward(value).value().number(), full.forward(value).value().number());
    }
    EXPECT_EQ(merging.compute().value().number(), full.compute().value().number());
    EXPECT_EQ(merging.update_count(), full.update_count());
}

TEST(Metric, SaysWhatIsWrongWithItsStates) {
    class Doubled : public Total {
        StateId again_ = add_state("x", {0}, StateReduce::Sum);
    };

    Doubled metric;
    EXPECT_THAT(metric.update(1).error().message, testing::HasSubstr("'x' is declared twice"));
}

TEST(Metric, StatesSurviveSavingAndLoading) {
    Total total;
    ASSERT_TRUE(total.update(4).ok());
    Total loaded;
    ASSERT_TRUE(loaded.load_states(total.save_states()).ok());
    EXPECT_EQ(loaded.compute().value().number(), 4);
    EXPECT_FALSE(loaded.load_states({{1}}).ok());
}

TEST(Aggregator, NanPolicies) {
    const double nan = std::nan("");
    SumMetric refusing(NanPolicy::Action::Error);
    EXPECT_FALSE(refusing.update(nan).ok());
    SumMetric replacing(NanPolicy(7.0));
    ASSERT_TRUE(replacing.update(nan).ok());
    EXPECT_EQ(replacing.compute().value().number(), 7);
    MaxMetric keeping(NanPolicy::Action::Keep);
    ASSERT_TRUE(keeping.update(nan).ok());
    ASSERT_TRUE(keeping.update(1).ok());
    EXPECT_TRUE(std::isnan(keeping.compute().value().number()));
    MinMetric dropping;
    ASSERT_TRUE(dropping.update(nan).ok());
    EXPECT_EQ(dropping.compute().value().number(), std::numeric_limits<double>::infinity());
}

}  // namespace

}  // namespace taffrail::metrics_test
