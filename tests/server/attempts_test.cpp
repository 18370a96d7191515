// A chart over HTTP shows the points that the run's reader says count, live, sealed and dropped,
// and the whole of its axis.
#include "query/chart/chart.h"
#include "server/workspace.h"
#include "store/attempt_runs.h"
#include "store/sealing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace taffrail::server {
namespace {

using store::AttemptRun;

class ChartAttempts : public ::testing::Test {
  protected:
    ChartAttempts() {
        std::string pattern = "/tmp/taffrail-attempts-XXXXXX";
        root_ = ::mkdtemp(pattern.data());
        folder_ = root_ + "/runs/01SAMPLE-x";
    }

    ~ChartAttempts() override { std::filesystem::remove_all(root_); }

    [[nodiscard]] query::ChartAnswer ask(query::ChartQuery chart) const {
        auto workspace = Workspace::open({{"", folder_}}, std::make_shared<StateStore>("")).value();
        chart.runs = {workspace->runs()->front()->id};
        chart.width = 1000;
        return query::answer_chart(*workspace, chart);
    }

    static std::uint64_t points_of(const query::ChartAnswer& frame, bool current) {
        std::uint64_t points = 0;
        for (const query::ChartSeries& series : frame.series) {
            points += series.current == current ? series.points : 0;
        }
        return points;
    }

    std::string root_, folder_;
};

TEST_F(ChartAttempts, FindingO02_ChartsShowWhatTheReaderSaysCounts) {
    for (unsigned seed = 100; seed < 112; ++seed) {
        SCOPED_TRACE(seed);
        std::filesystem::remove_all(folder_);
        std::mt19937 random(seed);
        AttemptRun run;
        for (unsigned attempt = 0; attempt < 3; ++attempt) {
            store::log_attempt(folder_, run, attempt, random);
        }
        const auto check = [&] {
            for (const std::string key : {"a", "b"}) {
                const auto all = static_cast<std::uint64_t>(std::ranges::count(
                    run.points, key, [](const auto& point) { return point.key; }));
                if (all == 0) {
                    continue;
                }
                SCOPED_TRACE(key);
                const std::uint64_t winners = run.winners(key).size();
                query::ChartQuery chart;
                chart.keys = {key};
                const query::ChartAnswer plain = ask(chart);
                EXPECT_EQ(points_of(plain, true), winners);
                ASSERT_EQ(plain.series.size(), 1u);
                EXPECT_EQ(plain.series[0].total, winners);
                chart.all_attempts = true;
                const query::ChartAnswer both = ask(chart);
                EXPECT_EQ(points_of(both, true), winners);
                EXPECT_EQ(points_of(both, false), all - winners) << "old points can be asked for";
                chart.all_attempts = false;
                std::uint64_t of_ranks = 0;
                for (const std::int32_t rank : {0, 1, 2}) {
                    chart.rank = rank;
                    of_ranks += points_of(ask(chart), true);
                }
                EXPECT_EQ(of_ranks, winners) << "ranks follow the rule before they are told apart";
            }
        };
        check();
        store::seal_finished(folder_).value();
        check();
        store::drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
        check();
        if (HasFailure()) {
            return;
        }
    }
}

TEST_F(ChartAttempts, FindingO06_TheRangeOfAChartHoldsStepsThatGoBack) {
    auto log = store::open_log(folder_, store::sample_identity(1), {}).value();
    tlog::Batch batch;
    batch.keys = {{1, Kind::Scalar, "loss"}};
    const std::vector<std::int64_t> step{5, 9, 1, 8}, time_ns{1000, 1001, 1002, 1003};
    const std::vector<std::uint64_t> seq{1, 2, 3, 4};
    const std::vector<std::uint32_t> key(4, 1), route(4, kAllSinks);
    const std::vector<double> value{1, 2, 3, 4};
    batch.first_seq = 1;
    batch.rows = 4;
    batch.long_rows.push_back({key, {seq, step, time_ns, {}, {}, {}, route}, value});
    log->append(batch).value();
    log->close(RunState::Finished).value();
    query::ChartQuery chart;
    chart.keys = {"loss"};
    const query::ChartAnswer frame = ask(chart);
    ASSERT_EQ(frame.series.size(), 1u);
    EXPECT_EQ(frame.series[0].points, 4u);
    EXPECT_EQ(frame.series[0].x.front(), 1);
    EXPECT_EQ(frame.series[0].x.back(), 9);
    EXPECT_EQ(frame.x.from, 1);
    EXPECT_EQ(frame.x.to, 9);
}

}  // namespace
}  // namespace taffrail::server
