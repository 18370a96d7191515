// What a checkpoint frame holds: everything a list of runs needs, without reading a point.
#pragma once

#include <taffrail/series_summary.h>

#include "codec/tlog/batch.h"

#include <cstdint>
#include <vector>

namespace taffrail::tlog {

/// Running totals of one key; for keys that are no scalars only count, steps and times mean
/// something.
struct SeriesState {
    std::uint32_t key = 0;
    SeriesSummary summary;
};

/// The views inside point into the payload it was decoded from, or into what it was built from.
struct Checkpoint {
    FileIdentity identity;
    std::vector<KeyDefinition> keys;
    std::vector<SchemaDefinition> schemas;
    std::vector<MetaRecord> meta;  ///< in force, oldest first
    std::vector<ValueRecord>
        hparams;  ///< every Hparams record so far: later ones add and overwrite
    std::vector<RingPosition> ring_positions;
    std::vector<SeriesState> series;
    std::int64_t heartbeat_ns = 0;
};

struct EndMark {
    EndReason reason = EndReason::Rolled;
    RunState state = RunState::Running;
    std::int64_t time_ns = 0;
};

}  // namespace taffrail::tlog
