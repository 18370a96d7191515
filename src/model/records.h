// Points and values of a run as the records that RecordedRun::for_each() hands out.
#pragma once

#include <taffrail/reader.h>

#include <cmath>
#include <cstdint>
#include <string_view>

namespace taffrail::model {

/// Points into `key`.
inline Record record_of(std::string_view key, const Point& point) {
    Record record{.key = key,
                  .phase = point.phase,
                  .step = point.step,
                  .time_ns = point.time_ns,
                  .rank = point.rank,
                  .attempt = point.attempt,
                  .writer = point.writer,
                  .seq = point.seq,
                  .scalar = point.value};
    if (!std::isnan(point.epoch)) {
        record.epoch = point.epoch;
    }
    if (point.samples != INT64_MIN) {
        record.samples = point.samples;
    }
    return record;
}

/// Points into `key` and the value.
inline Record record_of(std::string_view key, const Entry& entry) {
    return {.key = key,
            .kind = kind_of(*entry.value),
            .phase = entry.phase,
            .step = entry.step,
            .time_ns = entry.time_ns,
            .epoch = entry.epoch,
            .samples = entry.samples,
            .rank = entry.rank,
            .attempt = entry.attempt,
            .writer = entry.writer,
            .seq = entry.seq,
            .value = entry.value.get()};
}

}  // namespace taffrail::model
