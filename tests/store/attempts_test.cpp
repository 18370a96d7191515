// One answer to which points count, whatever the run is stored as and whoever asks.
#include "model/attempts.h"

#include "model/axes.h"
#include "model/read_all.h"
#include "store/attempt_runs.h"
#include "store/run_reader.h"
#include "store/sealing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace taffrail::store {
namespace {

using Row = AttemptRun::Row;

void expect_winners(const std::string& folder, const AttemptRun& run, const std::string& when) {
    SCOPED_TRACE(when);
    const auto reader = RunReader::open(folder).value();
    for (const std::string key : {"a", "b"}) {
        SCOPED_TRACE(key);
        const bool is_there = std::ranges::any_of(
            run.points, [&](const LoggedPoint& point) { return point.key == key; });
        const auto points = reader->points(key);
        ASSERT_EQ(points.ok(), is_there);
        const std::vector<KeyInfo> keys = reader->keys();
        const auto info = std::ranges::find(keys, key, &KeyInfo::key);
        const std::vector<Row> winners = run.winners(key);
        ASSERT_EQ(info != keys.end(), is_there) << "a key stays one when all of it is superseded";
        if (!is_there) {
            continue;
        }
        const auto sum = [](const auto& rows) {
            double total = 0;
            for (const auto& row : rows) {
                total += std::get<3>(row);
            }
            return total;
        };
        std::vector<Row> found;
        const std::vector<bool> lost = reader->superseded(*points);
        for (std::size_t i = 0; i < points->size(); ++i) {
            if (lost.empty() || !lost[i]) {
                const Point& point = (*points)[i];
                found.emplace_back(point.rank, point.attempt, point.step, point.value);
            }
        }
        std::ranges::sort(found);
        EXPECT_EQ(found, winners);
        std::vector<Row> visited;
        EXPECT_TRUE(reader
                        ->visit_points(key, Attempts::Winning,
                                       [&](std::span<const Point> some) -> Result<void> {
                                           for (const Point& point : some) {
                                               visited.emplace_back(point.rank, point.attempt,
                                                                    point.step, point.value);
                                           }
                                           return {};
                                       })
                        .ok());
        std::ranges::sort(visited);
        EXPECT_EQ(visited, winners);
        // Of a reader that was asked nothing before: it reads logs from their ends.
        std::vector<Row> backwards;
        const auto read =
            tests::read_all(*RunReader::open(folder).value(), key,
                            {.columns = Columns::all(), .direction = Direction::Backwards});
        for (const Point& point : read.points) {
            backwards.emplace_back(point.rank, point.attempt, point.step, point.value);
        }
        std::ranges::sort(backwards);
        EXPECT_EQ(backwards, winners);
        for (const Axis axis : {Axis::Steps, Axis::WallTime}) {
            const Bins bins = reader->bins(key, {.axis = axis, .width = 7}).value();
            EXPECT_EQ(bins.points, winners.size());
            double total = 0;
            for (std::size_t i = 0; i < bins.size(); ++i) {
                total += bins.count[i] > 0 ? bins.mean[i] * static_cast<double>(bins.count[i]) : 0;
            }
            EXPECT_NEAR(total, sum(winners), 1e-6);
            const auto along = tests::read_all(*reader, key, {.axis = axis});
            EXPECT_EQ(along.points.size(), winners.size());
            EXPECT_TRUE(along.damage.empty());
            if (axis == Axis::Steps) {
                EXPECT_TRUE(std::ranges::is_sorted(along.points, {}, &Point::step));
            }
        }
        for (std::uint32_t attempt = 0; attempt < 4; ++attempt) {
            const auto own = std::ranges::count_if(run.points, [&](const LoggedPoint& point) {
                return point.key == key && point.attempt == attempt;
            });
            EXPECT_EQ(reader->bins(key, {.width = 9, .attempt = attempt}).value().points,
                      static_cast<std::uint64_t>(own));
        }
        if (winners.empty()) {
            EXPECT_EQ(info->count, 0u);
            EXPECT_TRUE(std::isnan(info->scalar.last));
            continue;
        }
        const auto step = [](const Row& row) { return std::get<2>(row); };
        EXPECT_EQ(info->scalar.count, winners.size());
        EXPECT_NEAR(info->scalar.sum, sum(winners), 1e-6);
        EXPECT_EQ(info->scalar.first_step, step(std::ranges::min(winners, {}, step)));
        EXPECT_EQ(info->scalar.last_step, step(std::ranges::max(winners, {}, step)));
        const auto value = [](const Row& row) { return std::get<3>(row); };
        EXPECT_EQ(info->scalar.max, value(std::ranges::max(winners, {}, value)));
    }
}

TEST(Attempts, FindingO02_RandomRunsGiveOneAnswerLiveSealedAndDropped) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const std::string folder = fresh_folder("memory") + "/01SAMPLE-x";
        AttemptRun run;
        const unsigned attempts = 1 + seed % 4;
        const unsigned sealed_after = seed % 3;  // the later ones stay live for a while
        for (unsigned attempt = 0; attempt < attempts; ++attempt) {
            log_attempt(folder, run, attempt, random);
            if (attempt == sealed_after && !run.processes.empty()) {
                seal_finished(folder).value();
            }
        }
        if (run.processes.empty()) {
            continue;
        }
        expect_winners(folder, run, sealed_after < attempts ? "partly sealed" : "live");
        seal_finished(folder).value();
        expect_winners(folder, run, "sealed");
        drop_sealed_logs(folder, std::chrono::nanoseconds(0)).value();
        expect_winners(folder, run, "logs dropped");
        if (::testing::Test::HasFailure()) {
            return;
        }
    }
}

// Resumed at 50, the first point at 60: what was logged from 50 to 59 counts no more, nor anything
// past the end of the new attempt, nor a series that the new attempt has not logged at all.
TEST(Attempts, FindingO08_ResumeStepCountsBeforeAndAfterSealing) {
    const std::string folder = fresh_folder("memory") + "/01SAMPLE-x";
    const auto log = [&](std::uint64_t writer, std::uint32_t attempt, Step resume_step, Step first,
                         Step end, bool also_other) {
        tlog::FileIdentity identity = sample_identity(writer);
        identity.attempt = attempt;
        identity.start_time_ns = 1000 + attempt;
        identity.resume_step = resume_step;
        auto to = open_log(folder, identity, {}).value();
        tlog::Batch batch;
        batch.keys = {{1, Kind::Scalar, "loss"}, {2, Kind::Scalar, "other"}};
        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> step, time_ns;
        std::vector<std::uint32_t> key, route;
        std::vector<double> value;
        for (std::uint32_t id = 1; id <= (also_other ? 2u : 1u); ++id) {
            for (Step at = first; at < end; ++at) {
                seq.push_back(seq.size() + 1);
                step.push_back(at);
                time_ns.push_back(static_cast<std::int64_t>(attempt) * 1'000'000 + at);
                key.push_back(id);
                route.push_back(kAllSinks);
                value.push_back(attempt);
            }
        }
        batch.first_seq = 1;
        batch.rows = static_cast<std::uint32_t>(seq.size());
        batch.long_rows.push_back({key, {seq, step, time_ns, {}, {}, {}, route}, value});
        to->append(batch).value();
        to->close(RunState::Finished).value();
    };
    log(1, 0, INT64_MIN, 0, 100, true);
    log(2, 1, 50, 60, 80, false);
    const auto check = [&](const char* when) {
        SCOPED_TRACE(when);
        const auto run = RunReader::open(folder).value();
        EXPECT_EQ(run->bins("loss", {.width = 1000}).value().points, 50u + 20);
        EXPECT_EQ(run->bins("other", {.width = 1000}).value().points, 50u);
        EXPECT_EQ(run->bins("other", {.axis = Axis::WallTime, .width = 1000}).value().points, 50u);
        EXPECT_EQ(run->bins("other", {.width = 1000, .attempt = 0}).value().points, 100u);
        EXPECT_EQ(tests::read_all(*run, "other", {.axis = Axis::Steps}).points.size(), 50u);
        for (const KeyInfo& key : run->keys()) {
            EXPECT_EQ(key.count, key.key == "loss" ? 70u : 50u) << key.key;
            EXPECT_EQ(key.scalar.last_step, key.key == "loss" ? 79 : 49) << key.key;
        }
        EXPECT_EQ(run->points("loss").value().size(), 120u) << "old points stay";
    };
    check("live");
    seal_finished(folder).value();
    check("sealed");
    drop_sealed_logs(folder, std::chrono::nanoseconds(0)).value();
    check("logs dropped");
}

}  // namespace
}  // namespace taffrail::store
