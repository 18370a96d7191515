// Runs of several attempts and ranks, with and without resume steps, and the rule of the winning
// points written down as plainly as it can be.
#pragma once

#include "store/open_log.h"
#include "store/sample_batch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace taffrail::store {

struct LoggedPoint {
    std::string key;
    std::int32_t rank = 0;
    std::uint32_t attempt = 0;
    Step step = 0;
    double value = 0;
};

struct AttemptRun {
    std::map<std::pair<std::int32_t, std::uint32_t>, std::optional<Step>> processes;
    std::vector<LoggedPoint> points;

    /// R of the attempt as a point of `rank` sees it.
    [[nodiscard]] std::optional<Step> begin_of(std::uint32_t attempt, std::int32_t rank,
                                               const std::string& key) const {
        if (!processes.contains({rank, attempt})) {
            if (rank == 0 || !processes.contains({0, attempt})) {
                return std::nullopt;
            }
            rank = 0;
        }
        std::optional<Step> begin = processes.at({rank, attempt});
        for (const LoggedPoint& point : points) {
            if (point.key == key && point.rank == rank && point.attempt == attempt) {
                begin = std::min(begin.value_or(point.step), point.step);
            }
        }
        return begin;
    }

    [[nodiscard]] bool wins(const LoggedPoint& point) const {
        for (std::uint32_t newer = point.attempt + 1; newer < 8; ++newer) {
            const auto begin = begin_of(newer, point.rank, point.key);
            if (begin && point.step >= *begin) {
                return false;
            }
        }
        return true;
    }

    /// (rank, attempt, step, value), sorted.
    using Row = std::tuple<std::int32_t, std::uint32_t, Step, double>;

    [[nodiscard]] std::vector<Row> winners(const std::string& key) const {
        std::vector<Row> rows;
        for (const LoggedPoint& point : points) {
            if (point.key == key && wins(point)) {
                rows.emplace_back(point.rank, point.attempt, point.step, point.value);
            }
        }
        std::ranges::sort(rows);
        return rows;
    }
};

/// Writes the processes of one attempt as finished logs.
inline void log_attempt(const std::string& folder, AttemptRun& run, std::uint32_t attempt,
                        std::mt19937& random) {
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    std::set<std::int32_t> ranks;
    for (std::int32_t rank = 0; rank < 3; ++rank) {
        if (rank == 0 ? pick(0, 9) > 0 : pick(0, 1) > 0) {
            ranks.insert(rank);
        }
    }
    const std::optional<Step> told =
        attempt > 0 && pick(0, 1) > 0 ? std::optional<Step>(pick(0, 60)) : std::nullopt;
    for (const std::int32_t rank : ranks) {
        tlog::FileIdentity identity =
            sample_identity(attempt * 100 + static_cast<unsigned>(rank) + 1);
        identity.attempt = attempt;
        identity.rank = rank;
        identity.start_time_ns = 1000 + attempt * 1'000'000;
        identity.resume_step = told.value_or(INT64_MIN);
        run.processes[{rank, attempt}] = told;
        auto log = open_log(folder, identity, {}).value();
        tlog::Batch batch;
        batch.keys = {{1, Kind::Scalar, "a"}, {2, Kind::Scalar, "b"}};
        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> step, time_ns;
        std::vector<std::uint32_t> key, route;
        std::vector<double> value;
        for (std::uint32_t id = 1; id <= 2; ++id) {
            if (pick(0, 3) == 0) {
                continue;  // this series is not logged again
            }
            const Step first = told && pick(0, 3) > 0 ? *told + pick(0, 10) : pick(0, 60);
            const int count = pick(1, 40);
            for (int i = 0; i < count; ++i) {
                seq.push_back(seq.size() + 1);
                // Now and then a step that goes back.
                step.push_back(pick(0, 19) == 0 ? pick(0, 80) : first + i);
                time_ns.push_back(identity.start_time_ns + static_cast<std::int64_t>(seq.size()));
                key.push_back(id);
                route.push_back(kAllSinks);
                value.push_back(attempt * 1000.0 + rank * 100.0 + i + id * 0.25);
                run.points.push_back(
                    {id == 1 ? "a" : "b", rank, attempt, step.back(), value.back()});
            }
        }
        batch.first_seq = 1;
        batch.rows = static_cast<std::uint32_t>(seq.size());
        if (!seq.empty()) {
            batch.long_rows.push_back({key, {seq, step, time_ns, {}, {}, {}, route}, value});
        }
        log->append(batch).value();
        log->close(RunState::Finished).value();
    }
}

}  // namespace taffrail::store
