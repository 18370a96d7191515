// Everything a run's logs hold, for tests.
#pragma once

#include <taffrail/record.h>

#include "store/open_log.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::test {

struct KeptRecord {
    Step step = 0;
    std::int64_t time_ns = 0;
    std::optional<double> epoch;
    std::uint64_t writer = 0, seq = 0;
    std::uint32_t attempt = 0;
    std::int32_t rank = 0;
    Kind kind = Kind::Scalar;
    Phase phase = Phase::None;
    double scalar = 0;
    std::optional<Value> value;
};

using KeptRecords = std::map<std::string, std::vector<KeptRecord>>;

/// By key, in the order of each writer's log. Only records that are routed to sinks: the library's
/// own series are not.
inline KeptRecords read_back(const std::string& run_folder) {
    KeptRecords all;
    for (const std::uint64_t writer : store::list_writers(run_folder)) {
        auto log = store::open_log_reader(run_folder, writer).value();
        record::LogPosition position;
        for (;;) {
            const auto chunk = log->read(position, kAllSinks, 10'000).value();
            if (chunk.next == position) {
                break;
            }
            position = chunk.next;
            for (const Record& record : chunk.records) {
                KeptRecord kept{record.step,
                                record.time_ns,
                                record.epoch,
                                record.writer,
                                record.seq,
                                record.attempt,
                                record.rank,
                                record.kind,
                                record.phase,
                                record.scalar,
                                {}};
                if (record.value != nullptr) {
                    kept.value = *record.value;
                }
                all[std::string(record.key)].push_back(std::move(kept));
            }
        }
    }
    return all;
}

}  // namespace taffrail::test
